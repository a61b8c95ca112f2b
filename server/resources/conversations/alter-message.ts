// What happens to a message that is in the thread already: reactions, edits, deletions. They change the message and what
// lists show of it, and are no messages themselves.
import { type Ctx, inTransaction } from '../../ctx.ts'
import type { Metadata } from '../../db/tables.ts'
import { record } from '../../events/record.ts'
import { findAlterable, noteInbound, setAltered } from './alter-queries.ts'
import { indexGrams } from './grams.ts'

export type Alteration = {
  channelAccountId: string
  /** The provider's id of the message that is altered. */
  targetId: string
  by: 'customer' | 'business'
  /** The provider's own time, no later than now. */
  at: Date
} & (
  | { is: 'reaction'; emoji: string | null }
  | { is: 'edit'; body: string }
  /** The text is kept: what was said was said, and the workspace decides what to keep. */
  | { is: 'revoke' }
)

type Reaction = { by: Alteration['by']; emoji: string; at: string }

const listOf = (value: unknown): Reaction[] => (Array.isArray(value) ? (value as Reaction[]) : [])

/**
 * Alters a message. One that we do not have is passed over, as is an older reaction that comes after a newer one; only
 * who wrote a message edits or deletes it. False when there is no such message.
 */
export const alterMessage = (ctx: Ctx, alteration: Alteration): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const target = await findAlterable(ctx, alteration.channelAccountId, alteration.targetId)
    if (!target) return false
    const isOwn = (target.senderType === 'customer') === (alteration.by === 'customer')
    if (alteration.is !== 'reaction' && !isOwn) return false
    const altered = apply(alteration, target)
    if (alteration.by === 'customer' && alteration.is === 'reaction')
      await noteInbound(ctx, target.conversationId, alteration.at)
    if (!altered) return true
    await setAltered(ctx, target, altered)
    if (alteration.is === 'edit') await indexGrams(ctx, target.conversationId, altered.body)
    await record(ctx, {
      type: 'message.updated',
      conversationId: target.conversationId,
      contactId: target.contactId,
      data: { messageId: target.id },
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
  const { reactions: before, ...rest } = metadata ?? {}
  const own = listOf(before).find(({ by }) => by === alteration.by)
  if (own && own.at > at) return undefined
  const reactions = listOf(before).filter(({ by }) => by !== alteration.by)
  if (alteration.emoji !== null) reactions.push({ by: alteration.by, emoji: alteration.emoji, at })
  const changed = reactions.length > 0 ? { ...rest, reactions } : rest
  return { body, metadata: Object.keys(changed).length > 0 ? changed : null }
}
