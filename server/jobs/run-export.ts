// Writes exports, and deletes their files when they expire.
import { PERSON_ARCHIVE_KEPT_MS } from '../domain/exports/person-archive.ts'
import { expireExport, listExpired } from '../domain/exports/queries.ts'
import { runExport as run } from '../domain/exports/run-export.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import type { JobDeps } from './deps.ts'

const STOP_CHECK_MS = 250
const KEPT_MS = 7 * 24 * 3_600_000
const EXPIRED_MAX = 100

export const runExport = async (
  deps: JobDeps & { connectionString: string },
  { workspaceId, exportId }: JobPayloads['run_export'],
): Promise<void> => {
  const stopping = new AbortController()
  const timer = setInterval(
    () => deps.isStopping() && stopping.abort(new Error('the worker stops; the export begins again')),
    STOP_CHECK_MS,
  )
  try {
    const { connectionString } = deps
    await run(systemCtx(deps, workspaceId), exportId, { connectionString, signal: stopping.signal })
  } finally {
    clearInterval(timer)
  }
}

export const sweepExports = async ({ db, files, now }: JobDeps): Promise<void> => {
  const before = (ms: number) => new Date(now().getTime() - ms)
  const ended = { workspaces: before(KEPT_MS), persons: before(PERSON_ARCHIVE_KEPT_MS) }
  for (const one of await listExpired(db, ended, EXPIRED_MAX)) {
    for (const { key } of one.files) await files.remove(key)
    await expireExport(db, one)
  }
}
