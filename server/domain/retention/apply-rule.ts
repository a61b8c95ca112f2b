import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { interruptAutomation } from '../automation/interrupt.ts'
import { lockConversation } from '../conversations/queries.ts'
import { closeConversation } from '../conversations/set-conversation-status.ts'
import { cleanTraces } from '../erasures/clean-traces.ts'
import { removeConversation } from '../erasures/remove-conversation.ts'
import { addDone, isStillDue, listDue, takeDone } from './queries.ts'

/** Conversations of one turn. Deleting reads the workspace's log once for all of them. */
const BATCH = 500

/**
 * Applies an account's rule to some conversations, each in transactions of its own that look again whether it is still due: a customer
 * may have written, or an admin changed the rule. True if the rule's day is completed. Whoever takes over from a process that died
 * begins again and finds what is left.
 */
export const applyRule = async (
  ctx: Ctx,
  channelAccountId: string,
  { isStopping, batch = BATCH }: { isStopping: () => boolean; batch?: number },
): Promise<boolean> => {
  const closing = await listDue(ctx, channelAccountId, { part: 'close', limit: batch })
  for (const { id } of closing) {
    if (isStopping()) return false
    await closeIfDue(ctx, channelAccountId, id)
  }
  const deleting = await listDue(ctx, channelAccountId, { part: 'delete', limit: batch })
  if (deleting.length > 0 && !(await deleteIfDue(ctx, channelAccountId, { due: deleting, isStopping })))
    return false
  if (closing.length === batch || deleting.length === batch) return false
  await endDay(ctx, channelAccountId)
  return true
}

const closeIfDue = (ctx: Ctx, channelAccountId: string, conversationId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation || !(await isStillDue(ctx, channelAccountId, { part: 'close', conversationId }))) return
    // Nobody waits any more for what a dialog would say.
    if (conversation.automationRevision !== null)
      await interruptAutomation(ctx, [conversationId], {
        by: 'system',
        reason: 'conversation_closed',
        pause: 'end',
      })
    await closeConversation(ctx, conversationId)
    await addDone(ctx, channelAccountId, { closed: 1 })
  })

/** False if it was interrupted. */
const deleteIfDue = async (
  ctx: Ctx,
  channelAccountId: string,
  { due, isStopping }: { due: { id: string; contactId: string }[]; isStopping: () => boolean },
): Promise<boolean> => {
  const conversationIds = due.map(({ id }) => id)
  // Before the messages go, because their ids lead to what was answered about them.
  if (!(await cleanTraces(ctx, { contactIds: [], conversationIds, pattern: '' }, isStopping))) return false
  for (const { id: conversationId, contactId } of due) {
    const isRemoved = await removeConversation(ctx, conversationId, {
      contactId,
      mode: 'erase',
      isDue: (ctx) => isStillDue(ctx, channelAccountId, { part: 'delete', conversationId }),
      onRemoved: (ctx, counts) => addDone(ctx, channelAccountId, counts),
      isStopping,
    })
    if (!isRemoved) return false
  }
  return true
}

const endDay = (ctx: Ctx, channelAccountId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const done = await takeDone(ctx, channelAccountId)
    const counts = Object.entries(done?.counts ?? {}).filter(([, count]) => count > 0)
    if (!done || counts.length === 0) return
    await recordAudit(ctx, {
      action: 'retention.applied',
      target: { type: 'channel', id: channelAccountId, name: done.name },
      changes: Object.fromEntries(counts.map(([what, count]) => [what, { to: count }])),
    })
  })
