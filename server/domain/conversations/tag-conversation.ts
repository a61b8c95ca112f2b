import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { unknownTags } from '../contacts/change-contact-tags.ts'
import type { TagList } from '../tags/schema.ts'
import { lockConversation } from './queries.ts'
import {
  findTriage,
  listConversationTags,
  lockKnownTags,
  setConversationTags,
  setPriority,
} from './triage-queries.ts'
import type { ChangeConversationTagsBody } from './triage-schema.ts'

type TagChange = {
  conversationId: string
  add: readonly string[]
  remove: readonly string[]
  /** As the caller names them in an error. */
  fields?: { add: string; remove: string }
}

const FIELDS = { add: 'addTagIds', remove: 'removeTagIds' }

/**
 * Adds tags to a conversation and removes others. They are apart from those of its contact. Doesn't move updatedAt.
 * Throws CONVERSATION_NOT_FOUND, and VALIDATION_ERROR naming every id that is not a tag of this workspace.
 */
export const tagConversation = (
  ctx: Ctx,
  { conversationId, add, remove, fields = FIELDS }: TagChange,
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const known = await lockKnownTags(ctx, [...add, ...remove])
    const problems = [...unknownTags(known, fields.add, add), ...unknownTags(known, fields.remove, remove)]
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

/** The same for programs, which get all tags of the conversation. Also throws VALIDATION_ERROR for one that is to be both added and removed. */
export const changeConversationTags = (
  ctx: Ctx,
  conversationId: string,
  { add = [], remove = [] }: ChangeConversationTagsBody,
): Promise<TagList> =>
  inTransaction(ctx, async (ctx) => {
    const both = remove.flatMap((id, at) =>
      add.includes(id) ? [{ field: `remove[${at}]`, message: 'is also in add' }] : [],
    )
    if (both.length > 0) throw invalid(...both)
    await tagConversation(ctx, {
      conversationId,
      add: [...new Set(add)],
      remove,
      fields: { add: 'add', remove: 'remove' },
    })
    return { tags: await listConversationTags(ctx, conversationId) }
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
