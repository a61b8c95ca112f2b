// A snoozed conversation is open and out of the inbox, until a time or until the customer writes. What the customer
// writes ends it in the statement that stores the message (messages/insert-messages.ts), and so does closing.
import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { actorName } from './actor-name.ts'
import { requestHandOut } from './hand-out.ts'
import { insertSystemEntry, type LockedConversation, lockConversation } from './queries.ts'
import { UNTIL_REPLY } from './schema.ts'
import { findTriage, setSnooze } from './triage-queries.ts'
import { noteRead } from './unread.ts'
import { pauseWait, resumeWait } from './waits.ts'

const SNOOZE_DAYS_MAX = 366
const DAY_MS = 86_400_000

/** Throws VALIDATION_ERROR for a time that has passed or is more than a year away. */
export const requireSnoozable = ({ now }: Pick<Ctx, 'now'>, until: string): void => {
  const inMs = Date.parse(until) - now().getTime()
  if (until === UNTIL_REPLY || (inMs > 0 && inMs <= SNOOZE_DAYS_MAX * DAY_MS)) return
  throw invalid({
    field: 'until',
    message: inMs > 0 ? `must be within ${SNOOZE_DAYS_MAX} days` : 'must be in the future',
  })
}

/**
 * Snoozes an open conversation until a time, or, with UNTIL_REPLY, until the customer writes, which ends it in any case.
 * Doesn't move updatedAt; nothing changes if it is snoozed until then. Throws CONVERSATION_NOT_FOUND, and VALIDATION_ERROR for a closed one and what requireSnoozable
 * throws.
 */
export const snoozeConversation = (
  ctx: Ctx,
  { conversationId, until }: { conversationId: string; until: string },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    requireSnoozable(ctx, until)
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    if (conversation.status === 'closed')
      throw invalid({ field: 'until', message: 'needs an open conversation' })
    const { snoozedUntil } = await findTriage(ctx, conversationId)
    if (snoozedUntil !== null && Date.parse(snoozedUntil) === Date.parse(until)) return
    await setSnooze(ctx, conversationId, { until })
    await pauseWait(ctx, conversation)
    const words =
      until === UNTIL_REPLY ? 'the customer replies' : `${until.slice(0, 16).replace('T', ' ')} UTC`
    await insertSystemEntry(ctx, {
      conversation,
      body: `${await actorName(ctx)} snoozed this until ${words}`,
      metadata: { event: 'snoozed', until, by: actorId(ctx.actor) },
    })
    await recordSnooze(ctx, conversation, until)
    if (conversation.agentId !== null) await requestHandOut(ctx, conversation.teamRevision)
  })

/** Ends the snooze; nothing changes if there is none. Throws CONVERSATION_NOT_FOUND. */
export const unsnoozeConversation = (
  ctx: Ctx,
  { conversationId }: { conversationId: string },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    if ((await findTriage(ctx, conversationId)).snoozedUntil === null) return
    await setSnooze(ctx, conversationId, { until: null })
    await resumeWait(ctx, conversation)
    await insertSystemEntry(ctx, {
      conversation,
      body: `${await actorName(ctx)} ended the snooze`,
      metadata: { event: 'unsnoozed', by: actorId(ctx.actor) },
    })
    await recordSnooze(ctx, conversation, null)
  })

/**
 * When the time has come: back to the top of the inbox, and unread for who snoozed it. The customer hasn't written since,
 * or it would have ended then. Nothing happens if somebody was faster.
 */
export const wakeConversation = (ctx: Ctx, conversationId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) return
    const { snoozedUntil, snoozedBy } = await findTriage(ctx, conversationId)
    const at = ctx.now()
    if (snoozedUntil === null || Date.parse(snoozedUntil) > at.getTime()) return
    await setSnooze(ctx, conversationId, { until: null, at })
    await resumeWait(ctx, conversation)
    await insertSystemEntry(ctx, {
      conversation,
      body: 'The snooze ended without a reply from the customer',
      metadata: { event: 'unsnoozed', by: 'system' },
    })
    await recordSnooze(ctx, conversation, null)
    if (snoozedBy !== null) await markUnreadFor(ctx, conversation, snoozedBy)
  })

const markUnreadFor = async (
  ctx: Ctx,
  { id: conversationId, contactId }: LockedConversation,
  accountId: string,
): Promise<void> => {
  const { unreadCount, isChanged } = await noteRead(ctx, { accountId, conversationId, upTo: null })
  if (isChanged)
    await record(ctx, {
      type: 'conversation.unread',
      conversationId,
      contactId,
      data: { conversationId, accountId, unreadCount },
    })
}

const recordSnooze = (
  ctx: Ctx,
  { id: conversationId, contactId }: LockedConversation,
  until: string | null,
): Promise<unknown> =>
  record(ctx, {
    type: 'conversation.snoozed',
    conversationId,
    contactId,
    data: { conversationId, until },
  })
