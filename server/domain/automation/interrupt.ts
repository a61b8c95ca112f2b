// A person speaks, takes over or closes: from the commit on, automation is silent. See decisions/0033-one-speaker.md.
import { sql } from 'kysely'
import type { EndReason } from '../../../flow-engine/end-reasons.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { countLater, eventsFrom } from '../../platform/events/record.ts'
import { withdrawal, withdrawalAnnounced } from '../deliveries/withdraw-deliveries.ts'
import { inputsFrom } from './inputs.ts'
import { type Pause, stateChange } from './states.ts'

/** Automation stays silent this long after a person's last message. */
export const PAUSED_MS = 12 * 3_600_000

type Interruption = {
  /** As actorId gives it, or the sender's id of a message written elsewhere. */
  by: string
  /** Of the dialogs that it ends. */
  reason: Extract<EndReason, 'person_took_over' | 'conversation_closed' | 'contact_merged'>
  /** `start`: for PAUSED_MS. `hold`: until somebody gives the conversation back. `end`: it is over. */
  pause: 'start' | 'hold' | 'end' | 'keep'
}

/**
 * Silences automation in the conversations, in the caller's transaction, which holds their locks and those of their
 * contacts: raises the epoch, withdraws automated messages that wait to be sent, cancels dialogs (also those that wait
 * for a part of themselves; the conductor writes their state) and leaves an `interrupted` input. One statement for all
 * of them. To be called where there is an `automationRevision`, before a message is stored, because a conversation
 * whose last message is withdrawn shows the one before it.
 */
export const interruptAutomation = async (
  ctx: Ctx,
  conversationIds: readonly string[],
  { by, reason, pause }: Interruption,
): Promise<void> => {
  if (conversationIds.length === 0) return
  const { db, workspaceId, now } = ctx
  const { rows } = await sql<{ runs: number; messages: number; changes: number }>`
    with ${stateChange(ctx, conversationIds, { isRaised: true, pause: pauseOf(ctx, by, pause) })},
    ${withdrawal(ctx)},
    run as (
      update flow_runs r set status = 'cancelled', end_reason = ${reason}, completed_at = ${now()},
        waiting_for = null, waiting_step = null, wakes_at = null, wake_token = null
      where r.workspace_id = ${workspaceId} and r.conversation_id = any(${conversationIds}::text[])
        and r.status = 'running' and r.is_dialog
      returning r.id, r.flow_id, r.conversation_id, r.contact_id
    ), run_end as (${eventsFrom(
      ctx,
      'flow_run.updated',
      sql`select conversation_id as "conversationId", contact_id as "contactId",
        jsonb_build_object('runId', id, 'flowId', flow_id, 'status', 'cancelled') as data from run`,
    )}
    ), input as (${inputsFrom(
      ctx,
      sql`(
        select c.id as "conversationId", 'interrupted' as kind, null as "messageId", null as "runId", c.id as at,
          jsonb_build_object('by', ${by}::text, 'reason', ${reason}::text, 'runIds',
            (select coalesce(jsonb_agg(id order by id), '[]') from run where run.conversation_id = c.id)) as data
        from conversation c) i`,
    )}
    )
    select (select count(*) from run) as runs, (select count(*) from removed) as messages,
      (select count(*) from change) as changes, ${withdrawalAnnounced(ctx)} as announced`.execute(db)
  const { runs, messages, changes } = rows[0]!
  countLater(ctx, 'flow_run.updated', runs)
  countLater(ctx, 'message.removed', messages)
  countLater(ctx, 'automation.updated', changes)
}

const pauseOf = ({ now }: Ctx, by: string, pause: Interruption['pause']): Pause | 'end' | 'keep' => {
  if (pause === 'start')
    return { reason: 'person_took_over', by, until: new Date(now().getTime() + PAUSED_MS) }
  return pause === 'hold' ? { reason: 'paused', by, until: null } : pause
}

/**
 * Withdraws what a person has overtaken and the interruption had to leave, because it was just being tried. In the
 * caller's transaction, which holds the conversation's lock.
 */
export const withdrawLeft = async (ctx: Ctx, conversationId: string): Promise<void> => {
  const { rows } = await sql<{ messages: number }>`
    with speaker as (
      select conversation_id, epoch from automation_states
      where workspace_id = ${ctx.workspaceId} and conversation_id = ${conversationId}
    ), ${withdrawal(ctx)}
    select (select count(*) from removed) as messages, ${withdrawalAnnounced(ctx)} as announced`.execute(
    ctx.db,
  )
  countLater(ctx, 'message.removed', rows[0]!.messages)
}
