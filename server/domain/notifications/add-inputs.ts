import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { SettledEvent } from '../feed/number-events.ts'

export const NOTIFICATIONS_CHANNEL = 'foyer_notifications'

export type InputKind = 'assigned' | 'note' | 'message' | 'unassigned' | 'overdue'

type Input = { kind: InputKind; subjectId: string | null }

/** What of an event may concern somebody; undefined for most. */
const toInput = ({ type, data }: SettledEvent): Input | undefined => {
  switch (type) {
    case 'conversation.assigned':
      return typeof data.agentId === 'string'
        ? { kind: 'assigned', subjectId: data.agentId }
        : { kind: 'unassigned', subjectId: null }
    case 'conversation.team_changed':
      return data.teamId === null ? undefined : { kind: 'unassigned', subjectId: null }
    case 'conversation.answer_overdue':
      return { kind: 'overdue', subjectId: null }
    case 'note.created':
    case 'note.updated':
      return { kind: 'note', subjectId: String(data.noteId) }
    case 'message.created':
      return data.senderType === 'customer'
        ? { kind: 'message', subjectId: String(data.messageId) }
        : undefined
    // What a flow leaves behind may be for people.
    case 'flow_run.updated':
      return data.status === 'running' ? undefined : { kind: 'unassigned', subjectId: null }
    default:
      return undefined
  }
}

const PERSON = /^agent:(.+)$/

/** For the relay's transaction, so that each event is decided on once. At most one statement. */
export const addNotificationInputs = async (trx: Db, events: readonly SettledEvent[]): Promise<void> => {
  const inputs = events.flatMap((event) => {
    const input = event.actor === null || event.conversationId === null ? undefined : toInput(event)
    const { workspaceId, conversationId, actor, createdAt } = event
    return input
      ? [{ workspaceId, conversationId, actorId: PERSON.exec(actor!)?.[1] ?? null, createdAt, ...input }]
      : []
  })
  if (inputs.length === 0) return
  await sql`
    with added as (
      insert into notification_inputs (workspace_id, kind, conversation_id, subject_id, actor_id, created_at)
      select i."workspaceId", i.kind, i."conversationId", i."subjectId", i."actorId", i."createdAt"
      from ${rowsOf(inputs)} as i ("workspaceId" text, kind text, "conversationId" text, "subjectId" text,
        "actorId" text, "createdAt" timestamptz)
    )
    select pg_notify(${NOTIFICATIONS_CHANNEL}, '')`.execute(trx)
}
