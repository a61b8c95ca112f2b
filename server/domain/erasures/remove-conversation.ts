import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { ErasureCounts, ErasureMode } from '../../platform/db/tables.ts'
import {
  deleteAround,
  deleteConversation,
  deleteFiles,
  deleteMessages,
  emptyConversation,
  emptyMessages,
  listFiles,
  listMessageIds,
  lockConversationOf,
  recountContact,
} from './conversation-queries.ts'

/** Messages that one transaction removes. */
const BATCH = 500

export type Removal = {
  contactId: string
  mode: ErasureMode
  /** Asked in each transaction, under the locks: whether it is still to be removed. Left out: it is. */
  isDue?: (ctx: Ctx) => Promise<boolean>
  /** Called in each transaction with what it removes. */
  onRemoved: (ctx: Ctx, counts: ErasureCounts) => Promise<void>
  isStopping: () => boolean
}

/**
 * Removes a conversation, or what was said in it. A file is removed before the row that names it, so whoever continues after a crash
 * finds it again. False if it was interrupted.
 */
export const removeConversation = async (
  ctx: Ctx,
  conversationId: string,
  { contactId, mode, isDue, onRemoved, isStopping }: Removal,
): Promise<boolean> => {
  for (let after = ''; ; ) {
    if (isStopping()) return false
    const messageIds = await listMessageIds(ctx, { conversationId, after, limit: BATCH })
    const isEnd = messageIds.length < BATCH
    const files = await listFiles(ctx, { messageIds, ...(isEnd && { notesOf: conversationId }) })
    const isRemoved = await inTransaction(ctx, async (ctx) => {
      if (!(await lockConversationOf(ctx, { contactId, conversationId }))) return true
      if (isDue && !(await isDue(ctx))) return true
      for (const { key } of files) if (key) await ctx.files.remove(key)
      await deleteFiles(
        ctx,
        files.map(({ id }) => id),
      )
      if (mode === 'erase') await deleteMessages(ctx, messageIds)
      else await emptyMessages(ctx, messageIds)
      const counts = { messages: messageIds.length, files: files.length }
      if (!isEnd) {
        await onRemoved(ctx, counts)
        return false
      }
      const notes = await deleteAround(ctx, conversationId)
      if (mode === 'anonymise') await emptyConversation(ctx, conversationId)
      else if (!(await deleteConversation(ctx, conversationId))) {
        await onRemoved(ctx, { ...counts, notes })
        return false
      }
      await recountContact(ctx, contactId)
      await onRemoved(ctx, { ...counts, notes, conversations: 1 })
      return true
    })
    if (isRemoved) return true
    after = mode === 'erase' ? '' : (messageIds.at(-1) ?? after)
  }
}
