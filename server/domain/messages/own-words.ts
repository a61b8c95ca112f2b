import type { Metadata } from '../../platform/db/tables.ts'
import { cleanFileName } from '../../platform/files/file-name.ts'

/** Kinds of messages (metadata.type) whose text is a description that the channel wrote for people. */
const DESCRIBED: ReadonlySet<unknown> = new Set([
  'sticker',
  'location',
  'contacts',
  'poll',
  'dice',
  'game',
  'story',
  'checklist',
  'unsupported',
])
/** What channels call a file without a caption that has no name of its own. */
const FILE_LABELS: ReadonlySet<string> = new Set([
  'Image',
  'Audio',
  'Video',
  'Animation',
  'Document',
  'File',
  'Voice message',
  'Video message',
  'Empty message',
])

/**
 * What the customer wrote themselves. The body of a message is never empty: for a file without a caption it is the file's
 * name or a label, which is no answer to a question.
 */
export const readOwnWords = (
  body: string,
  metadata: Metadata | null,
  attachments: readonly { name: string }[],
): string => {
  const type = metadata?.type ?? null
  if (type === null || type === 'choice') return body
  if (DESCRIBED.has(type)) return ''
  const isOurs = (line: string): boolean =>
    FILE_LABELS.has(line) || attachments.some(({ name }) => name === line || name === cleanFileName(line))
  return body.split('\n').every(isOurs) ? '' : body
}
