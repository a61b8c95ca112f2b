import { actorId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { findMentions } from './find-mentions.ts'
import { insertMentions, listMentionable, takeMentions } from './mention-queries.ts'

type NoteMentions = {
  noteId: string
  conversationId: string | null
  body: string
  mentionedIds: readonly string[]
  isNew: boolean
}

/**
 * Stores who a note mentions, in the transaction that writes it. Whoever was mentioned before a change isn't notified
 * again, and has not read less of it. Throws VALIDATION_ERROR for somebody who isn't of the workspace or may not see the conversation.
 */
export const saveMentions = async (
  ctx: Ctx,
  { noteId, conversationId, body, mentionedIds, isNew }: NoteMentions,
): Promise<void> => {
  const before = isNew ? [] : await takeMentions(ctx, noteId)
  if (mentionedIds.length === 0 || conversationId === null) return
  const people = await listMentionable(ctx, conversationId)
  const mentioned = mentionedIds.map((id) => people.find((person) => person.id === id))
  const blind = mentioned.find((person) => !person?.canSee)
  if (mentioned.some((person) => !person?.canSee))
    throw invalid({
      field: 'mentionedIds',
      message: blind
        ? `includes ${blind.nickname}, who can’t see this conversation`
        : 'includes somebody who isn’t a member of this workspace',
    })
  const mentions = findMentions(
    body,
    people.filter(({ id }) => mentionedIds.includes(id)),
  )
  if (mentions.length === 0) return
  await insertMentions(
    ctx,
    noteId,
    mentions.map((mention) => ({
      ...mention,
      ...(before.find(({ accountId }) => accountId === mention.accountId) ?? {
        isAnnounced: false,
        isUnread: mention.accountId !== actorId(ctx.actor),
      }),
    })),
  )
}
