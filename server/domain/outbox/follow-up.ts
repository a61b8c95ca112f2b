// What follows a reply: the contact is tagged, the conversation assigned and closed, in one transaction with it.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { requireMayAssign } from '../../platform/ctx/permissions.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { announceTags, unknownTags } from '../contacts/change-contact-tags.ts'
import { lockTags, setContactTags } from '../contacts/profile-queries.ts'
import { assignConversation } from '../conversations/assign-conversation.ts'
import { type LockedConversation, lockCandidate, lockConversation } from '../conversations/queries.ts'
import { closeLocked } from '../conversations/set-conversation-status.ts'
import type { Afterwards } from './schema.ts'

type Following = { after?: Afterwards | null | undefined; thenClose: boolean }

export const closesOf = ({ after, thenClose }: Following): boolean => thenClose || after?.closes === true

/**
 * Throws VALIDATION_ERROR for an unknown tag, INVALID_AGENT for someone who is no active member, and FORBIDDEN if the
 * actor may not assign the conversation.
 */
export const requireCarryOut = async (
  ctx: Ctx,
  conversation: LockedConversation,
  { tagIds, assigneeId }: Afterwards,
): Promise<void> => {
  const known = new Set((await lockTags(ctx, tagIds)).map(({ id }) => id))
  const problems = unknownTags(known, 'after.tagIds', tagIds)
  if (problems.length > 0) throw invalid(...problems)
  if (assigneeId === null || assigneeId === conversation.agentId) return
  requireMayAssign(ctx.actor, conversation)
  if (!(await lockCandidate(ctx, assigneeId))?.isActiveHere) throw new ApiError('INVALID_AGENT')
}

/**
 * In the caller's transaction, which holds the conversation's lock. A tag that was deleted meanwhile is left out. Throws
 * what assignConversation throws. Returns the tags that the contact did not have.
 */
export const carryOut = async (
  ctx: Ctx,
  conversation: LockedConversation,
  { staysOpen = false, ...following }: Following & { staysOpen?: boolean },
): Promise<string[]> => {
  const { tagIds = [], assigneeId = null } = following.after ?? {}
  const tagged = await addTags(ctx, conversation.contactId, tagIds)
  const agentId = assigneeId ?? conversation.agentId
  if (agentId !== null && agentId !== conversation.agentId)
    await assignConversation(ctx, { conversationId: conversation.id, agentId })
  // Last, as whoever assigns it away may be one who only sees their own.
  if (closesOf(following) && !staysOpen) await closeLocked(ctx, { ...conversation, agentId })
  return tagged
}

const addTags = async (ctx: Ctx, contactId: string, tagIds: readonly string[]): Promise<string[]> => {
  if (tagIds.length === 0) return []
  const add = (await lockTags(ctx, [...tagIds])).map(({ id }) => id)
  const change = await setContactTags(ctx, contactId, { add, remove: [] })
  await announceTags(ctx, contactId, change)
  return change.added
}

/** The same for a saved reply without a text. Throws CONVERSATION_NOT_FOUND and what requireCarryOut throws. */
export const followUp = (
  ctx: Ctx,
  { conversationId, ...after }: Afterwards & { conversationId: string },
): Promise<{ success: true; tagIdsAdded: string[] }> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    await requireCarryOut(ctx, conversation, after)
    const tagIdsAdded = await carryOut(ctx, conversation, { after, thenClose: false })
    return { success: true, tagIdsAdded }
  })
