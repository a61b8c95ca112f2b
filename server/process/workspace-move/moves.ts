// The row that says that a workspace is closed, in both databases, and what it keeps of the queue.

import { CLOSED_ANNOUNCEMENT } from '../../platform/db/closed-workspaces.ts'
import type { Connection } from '../../platform/db/connection.ts'
import { REVOKED_CHANNEL } from '../../platform/db/listen.ts'

export type MoveState = 'closing' | 'closed' | 'moved' | 'arriving'

export type MoveRow = {
  moveId: string
  state: MoveState
  movedTo: string | null
  hasOwnFiles: boolean
}

/** A job of the queue that isn't running. */
type Job = {
  task: string
  payload: unknown
  queue: string | null
  runAt: string
  priority: number
  maxAttempts: number
  key: string | null
}

export const findMove = async (client: Connection, workspaceId: string): Promise<MoveRow | undefined> => {
  const { rows } = await client.query<MoveRow>(
    `select move_id as "moveId", state, moved_to as "movedTo", has_own_files as "hasOwnFiles"
     from workspace_moves where workspace_id = $1`,
    [workspaceId],
  )
  return rows[0]
}

/** Closes the workspace for requests and for work that has not begun. */
export const beginMove = async (
  client: Connection,
  { workspaceId, moveId, state }: { workspaceId: string; moveId: string; state: 'closing' | 'arriving' },
): Promise<void> => {
  await client.query(
    `insert into workspace_moves (workspace_id, move_id, state, begun_at) values ($1, $2, $3, now())
     on conflict (workspace_id) do nothing`,
    [workspaceId, moveId, state],
  )
  await announce(client)
}

export const setMoveState = async (
  client: Connection,
  workspaceId: string,
  {
    state,
    movedTo = null,
    url = null,
    hasOwnFiles = false,
  }: Partial<MoveRow> & { state: MoveState; url?: string | null },
): Promise<void> => {
  await client.query(
    `update workspace_moves set state = $2, moved_to = $3, url = $4, has_own_files = $5,
       moved_at = case when $2 = 'moved' then now() end where workspace_id = $1`,
    [workspaceId, state, movedTo, url, hasOwnFiles],
  )
  await announce(client)
}

/** Every process reads again which workspaces are closed. */
export const announce = async (client: Connection): Promise<void> => {
  await client.query('select pg_notify($1, $2)', [REVOKED_CHANNEL, CLOSED_ANNOUNCEMENT])
}

const IS_OURS = `(j.payload ->> 'workspaceId' = $1 or j.payload ->> 'teamsOf' = $1)`

/** Takes the workspace's jobs out of the queue, into the row. Those that run stay; returns how many. */
export const takeJobs = async (client: Connection, workspaceId: string): Promise<number> => {
  await client.query(
    `with taken as (
       delete from graphile_worker._private_jobs j where ${IS_OURS} and j.locked_at is null
         and j.attempts < j.max_attempts returning j.*
     )
     update workspace_moves set jobs = jobs || coalesce((select jsonb_agg(jsonb_build_object('task', t.identifier,
         'payload', j.payload, 'queue', q.queue_name, 'runAt', j.run_at, 'priority', j.priority,
         'maxAttempts', j.max_attempts, 'key', j.key) order by j.id)
       from taken j join graphile_worker._private_tasks t on t.id = j.task_id
         left join graphile_worker._private_job_queues q on q.id = j.job_queue_id), '[]')
     where workspace_id = $1`,
    [workspaceId],
  )
  const { rows } = await client.query<{ count: string }>(
    `select count(*) from graphile_worker._private_jobs j where ${IS_OURS} and j.locked_at is not null`,
    [workspaceId],
  )
  return Number(rows[0]!.count)
}

export const readJobs = async (client: Connection, workspaceId: string): Promise<Job[]> => {
  const { rows } = await client.query<{ jobs: Job[] }>(
    'select jobs from workspace_moves where workspace_id = $1',
    [workspaceId],
  )
  return rows[0]?.jobs ?? []
}

export const keepJobs = async (
  client: Connection,
  workspaceId: string,
  jobs: readonly Job[],
): Promise<void> => {
  await client.query('update workspace_moves set jobs = $2 where workspace_id = $1', [
    workspaceId,
    JSON.stringify(jobs),
  ])
}

/** Whatever was there of it is gone. */
export const forgetMove = async (client: Connection, workspaceId: string): Promise<void> => {
  await client.query('delete from workspace_moves where workspace_id = $1', [workspaceId])
  await announce(client)
}

/** Opens the workspace, with its jobs back in the queue. */
export const endMove = async (client: Connection, workspaceId: string): Promise<void> => {
  await client.query('begin')
  await client.query(
    `select graphile_worker.add_job(j.task, j.payload, j.queue, j."runAt", j."maxAttempts", j.key, j.priority)
     from workspace_moves m cross join jsonb_to_recordset(m.jobs) as j (task text, payload json, queue text,
       "runAt" timestamptz, "maxAttempts" integer, key text, priority integer)
     where m.workspace_id = $1`,
    [workspaceId],
  )
  await client.query('delete from workspace_moves where workspace_id = $1', [workspaceId])
  await announce(client)
  await client.query('commit')
}
