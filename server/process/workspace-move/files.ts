// The workspace's files, from the source's storage to the target's. Most are copied while the workspace is still open.
import { statfs } from 'node:fs/promises'
import type { Connection } from '../../platform/db/connection.ts'
import { makeProgress } from '../../platform/db/copy/progress.ts'
import { type FileStore, MissingFileError } from '../../platform/files/store.ts'
import { StartError } from '../../platform/start-error.ts'

type StoredFile = { key: string; mimeType: string; size: number }

const EXPORT_TYPE = 'application/octet-stream'

export const listFiles = async (client: Connection, workspaceId: string): Promise<StoredFile[]> => {
  const { rows } = await client.query<StoredFile>(
    `select storage_key as key, max(mime_type) as "mimeType", max(size)::float8 as size from attachments
     where workspace_id = $1 and storage_key is not null and state = 'stored' group by 1
     union all
     select f ->> 'key', $2, coalesce((f ->> 'size')::float8, 0) from exports, jsonb_array_elements(files) f
     where workspace_id = $1 and status = 'completed' and f ->> 'key' is not null`,
    [workspaceId, EXPORT_TYPE],
  )
  return rows
}

/** Throws StartError if they don't fit. */
export const checkSpace = async (folder: string, files: readonly StoredFile[]): Promise<void> => {
  const needed = files.reduce((sum, { size }) => sum + size, 0)
  const found = await statfs(folder).catch(() => null)
  if (found && found.bavail * found.bsize < needed)
    throw new StartError(
      `The files need ${Math.ceil(needed / 1e6)} MB, and ${folder} has ${Math.floor((found.bavail * found.bsize) / 1e6)} MB left.`,
    )
}

export type FilesCopied = { files: number; bytes: number; missing: string[] }

export type FileCopier = (client: Connection) => Promise<FilesCopied>

/** Each call copies what no earlier one has. A file never changes under its key. */
export const makeFileCopier = (
  workspaceId: string,
  stores: { from: FileStore; to: FileStore },
  say: (line: string) => void,
): FileCopier => {
  const copied = new Map<string, number>()
  const progress = makeProgress(say)
  return async (client) => {
    const missing: string[] = []
    const wanted = await listFiles(client, workspaceId)
    for (const { key, mimeType } of wanted) {
      if (copied.has(key)) continue
      const content = await stores.from.open(key).catch((error: unknown) => {
        if (!(error instanceof MissingFileError)) throw error
        missing.push(key)
        return null
      })
      if (!content) continue
      const { size } = await stores.to.put(key, content, { mimeType })
      copied.set(key, size)
      progress(`copied ${copied.size} of ${wanted.length} files`)
    }
    const kept = wanted.filter(({ key }) => copied.has(key))
    return {
      files: kept.length,
      bytes: kept.reduce((sum, { key }) => sum + copied.get(key)!, 0),
      missing,
    }
  }
}
