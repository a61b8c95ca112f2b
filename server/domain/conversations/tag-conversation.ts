import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { lockConversation } from './queries.ts'
import { findTriage, lockKnownTags, setConversationTags, setPriority } from './triage-queries.ts'

type TagChange = { conversationId: string; add: readonly string[]; remove: readonly string[] }

/**
 * Adds tags to a conversation and removes others. They are apart from those of its contact. Doesn't move updatedAt.
 * Throws CONVERSATION_NOT_FOUND, and VALIDATION_ERROR naming every id that is not a tag of this workspace.
 */
export const tagConversation = (ctx: Ctx, { conversationId, add, remove }: TagChange): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const known = await lockKnownTags(ctx, [...add, ...remove])
    const problems = Object.entries({ addTagIds: add, removeTagIds: remove }).flatMap(([field, ids]) =>
      ids.flatMap((id, at) =>
        known.has(id) ? [] : [{ field: `${field}[${at}]`, message: 'is not a tag of this workspace' }],
      ),
    )
    if (problems.length > 0) throw invalid(...problems)
    const { added, removed } = await setConversationTags(ctx, conversationId, { add, remove })
    if (added.length + removed.length === 0) return
    await record(ctx, {
      type: 'conversation.tagged',
      conversationId,
      contactId: conversation.contactId,
      data: { conversationId, tagIdsAdded: added, tagIdsRemoved: removed },
    })
  })

/** Nothing changes if it has that priority. Doesn't move updatedAt. Throws CONVERSATION_NOT_FOUND. */
export const prioritizeConversation = (
  ctx: Ctx,
  { conversationId, priority }: { conversationId: string; priority: number },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    if ((await findTriage(ctx, conversationId)).priority === priority) return
    await setPriority(ctx, conversationId, priority)
    await record(ctx, {
      type: 'conversation.prioritized',
      conversationId,
      contactId: conversation.contactId,
      data: { conversationId, priority },
    })
  })
