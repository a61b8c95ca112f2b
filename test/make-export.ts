import { newId } from '../server/platform/db/id.ts'
import type { TestApp } from './app.ts'

/** A completed export with a file, of the workspace or of a contact. */
export const makeExport = async (
  { db }: Pick<TestApp, 'db'>,
  workspaceId: string,
  contactId: string | null = null,
): Promise<string> => {
  const id = newId()
  const file = {
    name: 'tags.ndjson',
    resource: 'tags',
    rows: 1,
    bytes: 1,
    sha256: '00',
    key: `${workspaceId}/x`,
  }
  await db
    .insertInto('exports')
    .values({
      workspace_id: workspaceId,
      id,
      contact_id: contactId,
      status: 'completed',
      resources: ['tags'],
      created_after: null,
      include_files: false,
      files: JSON.stringify([file]),
      created_by: 'system',
      created_at: new Date(),
      completed_at: new Date(),
    })
    .execute()
  return id
}
