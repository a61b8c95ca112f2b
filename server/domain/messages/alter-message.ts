// Changes to an existing message: reactions, edits, deletions. They change the message and how lists show it, and are
// no messages themselves.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { Metadata } from '../../platform/db/tables.ts'
import { record } from '../../platform/events/record.ts'
import { bigramsOf, indexBigrams } from '../search/bigrams.ts'
import { findAlterable, setAltered, touchLastInbound } from './alter-queries.ts'
import { reactionOf, type Side, withReaction } from './reaction.ts'

export type Alteration = {
  channelAccountId: string
  /** The provider's id of the changed message. */
  targetId: string
  by: Side
  /** The provider's own time, no later than now. */
  at: Date
} & (
  | { is: 'reaction'; emoji: string | null }
  | { is: 'edit'; body: string }
  /** The text is kept; the workspace decides about retention. */
  | { is: 'revoke' }
)

const CHANGES = { reaction: 'reactions', edit: 'body', revoke: 'deletedAt' } as const

/**
 * Alters a message. Unknown messages are ignored, and so is an older reaction that arrives after a newer one; only its
 * author may edit or delete a message. False if there is no such message.
 */
export const alterMessage = (ctx: Ctx, alteration: Alteration): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const target = await findAlterable(ctx, alteration.channelAccountId, alteration.targetId)
    if (!target) return false
    const isOwn = (target.senderType === 'customer') === (alteration.by === 'customer')
    if (alteration.is !== 'reaction' && !isOwn) return true
    const altered = apply(alteration, target)
    if (alteration.by === 'customer' && alteration.is === 'reaction')
      await touchLastInbound(ctx, target.conversationId, alteration.at)
    if (!altered) return true
    await setAltered(ctx, target, altered)
    if (alteration.is === 'edit')
      await indexBigrams(ctx, [{ conversationId: target.conversationId, grams: bigramsOf(altered.body) }])
    await record(ctx, {
      type: 'message.updated',
      conversationId: target.conversationId,
      contactId: target.contactId,
      data: { messageId: target.id, changed: [CHANGES[alteration.is]] },
    })
    return true
  })

const apply = (
  alteration: Alteration,
  { body, metadata }: { body: string; metadata: Metadata | null },
): { body: string; metadata: Metadata | null } | undefined => {
  const at = alteration.at.toISOString()
  if (alteration.is === 'revoke')
    return metadata?.deletedAt ? undefined : { body, metadata: { ...metadata, deletedAt: at } }
  if (alteration.is === 'edit') {
    if (body === alteration.body || String(metadata?.editedAt ?? '') > at) return undefined
    return {
      body: alteration.body,
      metadata: { ...metadata, editedAt: at, originalBody: metadata?.originalBody ?? body },
    }
  }
  const own = reactionOf(metadata, alteration.by)
  if (own && own.at > at) return undefined
  const { by, emoji } = alteration
  return { body, metadata: withReaction(metadata, by, emoji === null ? null : { emoji, at }) }
}
