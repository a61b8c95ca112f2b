// Who may speak in a conversation: automation_states. Conversations without a row have the defaults.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { countLater, eventsFrom } from '../../platform/events/record.ts'

export type PauseReason =
  /** A person wrote or took the conversation. */
  | 'person_took_over'
  /** A person paused it: until somebody gives it back. */
  | 'paused'
  /** A flow left the conversation to people. */
  | 'handed_over'
  /** The other side appears to be a program. */
  | 'looks_automated'
  /** More automated messages than people would bear. */
  | 'limit_reached'
  /** Automation couldn't decide what to do. */
  | 'failed'

export type Pause = {
  reason: PauseReason
  /** As actorId gives it, or the sender's id of a message written elsewhere. */
  by: string
  /** Null: until somebody gives the conversation back, or it is closed. */
  until: Date | null
}

/** Whether automation is paused by a row of automation_states. */
export const isPaused = (row: string, now: Date) =>
  sql<boolean>`(${sql.ref(`${row}.paused_at`)} is not null
    and (${sql.ref(`${row}.paused_until`)} is null or ${sql.ref(`${row}.paused_until`)} > ${now}))`

/**
 * The CTEs that change the states of conversations: `conversation` (id, "contactId", "isPaused" as it was), `speaker`
 * (conversation_id, epoch), and `change`, for whom the pause began or ended, with their events. A pause until somebody
 * gives the conversation back isn't shortened by another.
 */
export const stateChange = (
  ctx: Ctx,
  conversationIds: readonly string[],
  { isRaised, pause }: { isRaised: boolean; pause: Pause | 'end' | 'keep' },
) => {
  const { workspaceId, now } = ctx
  const at = now()
  const { reason, by, until } = typeof pause === 'string' ? NOT_PAUSED : pause
  const raise = isRaised ? 1 : 0
  const isHeld = sql`${isPaused('s', at)} and s.pause_reason = 'paused' and ${pause !== 'end'}::boolean`
  return sql`
  conversation as (
    select c.id, c.contact_id as "contactId", coalesce(${isPaused('s', at)}, false) as "isPaused"
    from conversations c
    left join automation_states s on s.workspace_id = ${workspaceId} and s.conversation_id = c.id
    where c.workspace_id = ${workspaceId} and c.id = any(${conversationIds}::text[])
  ), speaker as (
    insert into automation_states as s
      (workspace_id, conversation_id, epoch, paused_at, paused_until, paused_by, pause_reason)
    select ${workspaceId}, id, ${raise}::integer, ${reason && at}::timestamptz, ${until}::timestamptz, ${by}::text,
      ${reason}::text
    from conversation
    order by id
    on conflict (workspace_id, conversation_id) do update set
      epoch = s.epoch + excluded.epoch${
        pause === 'keep'
          ? sql``
          : sql`,
      paused_at = case when ${reason !== null}::boolean and ${isPaused('s', at)} then s.paused_at else excluded.paused_at end,
      paused_until = case when ${isHeld} then s.paused_until else excluded.paused_until end,
      paused_by = case when ${isHeld} then s.paused_by else excluded.paused_by end,
      pause_reason = case when ${isHeld} then s.pause_reason else excluded.pause_reason end`
      }
    returning conversation_id, epoch, ${isPaused('s', at)} as "isPaused"
  ), change as (
    select c.id as "conversationId", c."contactId",
      jsonb_build_object('conversationId', c.id, 'isPaused', s."isPaused") as data
    from conversation c join speaker s on s.conversation_id = c.id and s."isPaused" <> c."isPaused"
  ), changed as (${eventsFrom(ctx, 'automation.updated', sql`select * from change`)}
  )`
}

const NOT_PAUSED = { reason: null, by: null, until: null }

/** `stateChange` by itself. Returns those whose pause began or ended. */
const changeStates = async (
  ctx: Ctx,
  conversationIds: readonly string[],
  pause: Pause | 'end',
): Promise<string[]> => {
  const { rows } = await sql<{ conversationId: string }>`
    with ${stateChange(ctx, conversationIds, { isRaised: false, pause })}
    select "conversationId" from change`.execute(ctx.db)
  countLater(ctx, 'automation.updated', rows.length)
  return rows.map(({ conversationId }) => conversationId)
}

/**
 * Leaves the conversations to people, without taking back what automation has said: dialogs that a message would start
 * or go on, and the AI agent. Flows that say so (`evenIfAssigned`) and background flows go on. In the caller's
 * transaction, which holds the conversations' locks; one statement.
 */
export const pauseAutomation = (
  ctx: Ctx,
  conversationIds: readonly string[],
  pause: Pause,
): Promise<string[]> => changeStates(ctx, conversationIds, pause)

/** The pause is over. In the caller's transaction, which holds the conversations' locks; one statement. */
export const endPause = (ctx: Ctx, conversationIds: readonly string[]): Promise<string[]> =>
  changeStates(ctx, conversationIds, 'end')

/** Those of the conversations in which automation is paused, and by whom. */
export const listPaused = async (
  { db, workspaceId, now }: Ctx,
  conversationIds: readonly string[],
): Promise<{ conversationId: string; by: string }[]> => {
  const { rows } = await sql<{ conversationId: string; by: string }>`
    select s.conversation_id as "conversationId", s.paused_by as by from automation_states s
    where s.workspace_id = ${workspaceId} and s.conversation_id = any(${conversationIds}::text[])
      and ${isPaused('s', now())}`.execute(db)
  return rows
}
