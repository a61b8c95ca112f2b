// Closes a workspace in three steps: nothing new begins, what has begun is ended, and then nobody can write.
import { setTimeout as delay } from 'node:timers/promises'
import type { Connection } from '../../platform/db/connection.ts'
import { makeProgress } from '../../platform/db/copy/progress.ts'
import { StartError } from '../../platform/start-error.ts'
import { addGuards, dropGuards } from './guards.ts'
import { endMove, setMoveState, takeJobs } from './moves.ts'
import { listGuardedTables } from './tables.ts'

/** Longer than any call to a provider or a model, and than the sweep after a worker that died. */
const SETTLE_MAX_MS = 180_000
const LOOK_EVERY_MS = 200

/** What the relay and its followers write: closed once it has passed on everything. */
const AFTER_EVENTS = [
  'events',
  'feed',
  'feed_heads',
  'webhook_deliveries',
  'webhook_endpoints',
  'notification_inputs',
  'notifications',
  'chat_emails',
]

type Say = (line: string) => void

/** The row of workspace_moves is there already. Throws StartError if something doesn't end. */
export const closeWorkspace = async (client: Connection, workspaceId: string, say: Say): Promise<void> => {
  await settle(client, workspaceId, say)
  const tables = await listGuardedTables(client)
  const isLate = ({ name }: { name: string }) => AFTER_EVENTS.includes(name)
  await addGuards(
    client,
    workspaceId,
    tables.filter((table) => !isLate(table)),
  )
  await settle(client, workspaceId, say)
  await addGuards(client, workspaceId, tables.filter(isLate))
  await takeJobs(client, workspaceId)
  await setMoveState(client, workspaceId, { state: 'closed' })
}

/** Opens it again: whatever was copied, nothing of it counts. */
export const reopenWorkspace = async (client: Connection, workspaceId: string): Promise<void> => {
  await client.query('rollback')
  await dropGuards(client, workspaceId)
  await endMove(client, workspaceId)
}

const UNDER_WAY: Readonly<Record<string, string>> = {
  'messages being sent': `deliveries where workspace_id = $1 and state = 'sending'`,
  'reactions being sent': `sent_reactions where workspace_id = $1 and state = 'sending'`,
  'files being downloaded': `attachments where workspace_id = $1 and state = 'pending' and claimed_by is not null`,
  'actions being called': `action_calls where workspace_id = $1 and state = 'calling'`,
  'webhooks being sent': `webhook_deliveries where workspace_id = $1 and state = 'sending'`,
  'turns of the AI agent': `ai_turns where workspace_id = $1 and state = 'thinking'`,
  'events not yet in the feed': `events e join feed_relay r on (e.tx, e.id) > (r.tx, r.id) where e.workspace_id = $1`,
}

const countUnderWay = async (client: Connection, workspaceId: string): Promise<[string, number][]> => {
  const { rows } = await client.query<{ what: string; count: string }>(
    Object.entries(UNDER_WAY)
      .map(([what, from]) => `select '${what}' as what, count(*) from ${from}`)
      .join(' union all '),
    [workspaceId],
  )
  const running = await takeJobs(client, workspaceId)
  const counts = rows.map(({ what, count }): [string, number] => [what, Number(count)])
  return [...counts, ['running jobs', running] as [string, number]].filter(([, count]) => count > 0)
}

const settle = async (client: Connection, workspaceId: string, say: Say): Promise<void> => {
  const progress = makeProgress(say)
  for (const endMs = performance.now() + SETTLE_MAX_MS; ; ) {
    const left = await countUnderWay(client, workspaceId)
    if (left.length === 0) return
    const what = left.map(([name, count]) => `${count} ${name}`).join(', ')
    if (performance.now() > endMs)
      throw new StartError(
        `The workspace is still at work (${what}). A worker of the source has to run while it is moved; start one and try again.`,
      )
    progress(`waiting for ${what}`)
    await delay(LOOK_EVERY_MS)
  }
}
