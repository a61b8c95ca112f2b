// Sends the rows of a table some at a time, so that a long one neither waits for one answer nor holds up the server.
import { ApiError, type WorkspaceApi } from '../../../state/api.ts'
import type { ImportColumn, ImportedRow } from '../../../state/types.ts'

const ROWS_MAX = 100
/** Below what a request may have. */
const CHARACTERS_MAX = 200_000
const TRIES_MAX = 5
const WAIT_MS = 2_000

export type Progress = { done: number; created: number; updated: number; refused: string[] }

const batchesOf = function* (rows: readonly string[][]): Generator<string[][]> {
  let batch: string[][] = []
  let size = 0
  for (const row of rows) {
    const own = row.reduce((sum, cell) => sum + cell.length + 3, 0)
    if (batch.length > 0 && (batch.length === ROWS_MAX || size + own > CHARACTERS_MAX)) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(row)
    size += own
  }
  if (batch.length > 0) yield batch
}

/** What was stored is found again, so whatever got no answer is sent once more. */
const send = async (api: WorkspaceApi, body: object, signal: AbortSignal): Promise<ImportedRow[]> => {
  for (let tries = 1; ; tries++)
    try {
      signal.throwIfAborted()
      return (await api.post<{ rows: ImportedRow[] }>('/contacts/import-rows', body)).rows
    } catch (error) {
      const isFinal =
        error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429
      if (signal.aborted || isFinal || tries === TRIES_MAX) throw error
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS * tries))
    }
}

export const sendRows = async (
  api: WorkspaceApi,
  {
    columns,
    rows,
    signal,
    onProgress,
  }: {
    columns: readonly ImportColumn[]
    rows: readonly string[][]
    signal: AbortSignal
    onProgress: (progress: Progress) => void
  },
): Promise<void> => {
  let progress: Progress = { done: 0, created: 0, updated: 0, refused: [] }
  for (const batch of batchesOf(rows)) {
    const answers = await send(api, { columns, rows: batch }, signal)
    const count = (is: ImportedRow['is']) => answers.filter((row) => row.is === is).length
    progress = {
      done: progress.done + batch.length,
      created: progress.created + count('created'),
      updated: progress.updated + count('updated'),
      refused: [...progress.refused, ...answers.flatMap(({ line }) => line ?? [])],
    }
    onProgress(progress)
  }
}
