// Workspaces that are closed because they are being moved to another database, or were. Background work leaves them out in
// its statements (isAtWork); requests ask what this process has last read. Both only keep the order: what is exact are
// the triggers that the move puts on every table (docs/decisions/0110-moving-a-workspace.md).
import { sql } from 'kysely'
import { ApiError } from '../errors.ts'
import { type Db, rootOf } from './pool.ts'

/** Announced on the channel of revocations (listen.ts): it is no token's id. */
export const CLOSED_ANNOUNCEMENT = 'workspaces'

/** How long a move of a small workspace takes, roughly. */
const RETRY_AFTER_SECONDS = '30'

/**
 * For statements over all workspaces: whether work there may begin. The list is read once for each statement, so the plan
 * stays what it would be without.
 */
export const isAtWork = (workspaceId: string) =>
  sql<boolean>`${sql.ref(workspaceId)} <> all (array(select workspace_id from workspace_moves))`

/** The same for what ends work that has begun, which may happen until the tables are closed. */
export const isWritable = (workspaceId: string) =>
  sql<boolean>`${sql.ref(workspaceId)} <> all (array(select workspace_id from workspace_moves where state <> 'closing'))`

/** For what is shown: whether the workspace has not moved. */
export const isHere = (workspaceId: string) =>
  sql<boolean>`${sql.ref(workspaceId)} <> all (array(select workspace_id from workspace_moves where state = 'moved'))`

type Closed = { isMoved: boolean; url: string | null }

const known = new WeakMap<Db, ReadonlyMap<string, Closed>>()

/** Reads which workspaces are closed, for requireOpen. */
export const readClosed = async (db: Db): Promise<void> => {
  const { rows } = await sql<{ id: string; state: string; url: string | null }>`
    select workspace_id as id, state, url from workspace_moves`.execute(db)
  known.set(
    rootOf(db),
    new Map(rows.map(({ id, state, url }) => [id, { isMoved: state === 'moved', url }] as const)),
  )
}

/** The same for a command, which asks the database. */
export const checkOpen = async (db: Db, workspaceId: string): Promise<void> => {
  const { rows } = await sql<{ state: string }>`
    select state from workspace_moves where workspace_id = ${workspaceId}`.execute(db)
  if (rows[0])
    throw new Error(
      rows[0].state === 'moved'
        ? 'This workspace was moved to another database (foyer workspace list says which).'
        : 'This workspace is being moved to another database.',
    )
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Throws SERVICE_UNAVAILABLE for a write while the workspace is moved, and WORKSPACE_MOVED for everything afterwards. */
export const requireOpen = (db: Db, workspaceId: string, method = 'POST'): void => {
  const closed = known.get(rootOf(db))?.get(workspaceId)
  if (!closed) return
  if (closed.isMoved)
    throw new ApiError('WORKSPACE_MOVED', {
      ...(closed.url !== null && { message: `This workspace was moved to ${closed.url}. Use that address.` }),
    })
  if (!SAFE_METHODS.has(method))
    throw new ApiError('SERVICE_UNAVAILABLE', {
      message: 'This workspace is being moved to another server and can only be read. Try again shortly.',
      headers: { 'retry-after': RETRY_AFTER_SECONDS },
    })
}
