// A file of a message, and one that the workspace's token uploaded and no message has yet: rows without content.
import { newId } from '../server/platform/db/id.ts'
import type { TestApp } from './app.ts'

export const makeAttachments = async (
  { db }: Pick<TestApp, 'db'>,
  workspace: { id: string; tokenId: string },
  messageId: string,
): Promise<{ attachmentId: string; uploadId: string }> => {
  const [attachmentId, uploadId] = [newId(), newId()]
  const file = {
    workspace_id: workspace.id,
    type: 'file',
    name: 'map.pdf',
    mime_type: 'application/pdf',
    size: 9,
    state: 'stored',
    created_at: new Date(),
  } as const
  await db
    .insertInto('attachments')
    .values([
      { ...file, id: attachmentId, message_id: messageId },
      { ...file, id: uploadId, message_id: null, uploaded_by: `api:${workspace.tokenId}` },
    ])
    .execute()
  return { attachmentId, uploadId }
}
