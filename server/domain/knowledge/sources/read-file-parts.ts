// The texts of an uploaded file.
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { fileKey } from '../../../platform/files/store.ts'
import { extractFile } from './extract/extract-thread.ts'
import type { ReadProblem } from './extract/problem.ts'
import { FILE_BYTES_MAX } from './schema.ts'
import type { StoredSource } from './source-queries.ts'

/** Throws MissingFileError, and StorageError if the storage fails. */
export const readFileParts = async (
  { files, workspaceId }: Ctx,
  { attachmentId, name }: StoredSource,
): Promise<{ texts: string[] } | { problem: ReadProblem }> => {
  if (attachmentId === null) throw new Error('a file that is being read has its upload')
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of await files.open(fileKey(workspaceId, attachmentId))) {
    size += chunk.length
    if (size > FILE_BYTES_MAX)
      return { problem: { code: 'FILE_TOO_LARGE', message: 'The file is larger than 10 MiB. Split it.' } }
    chunks.push(chunk)
  }
  return extractFile(name, Buffer.concat(chunks))
}
