// The reactions in a message's metadata: at most one by the customer and one by the team.
import { isObject } from '../../../channels/channel.ts'
import type { Metadata } from '../../platform/db/tables.ts'

export type Side = 'customer' | 'business'

export type Reaction = {
  by: Side
  emoji: string
  at: string
  /** Who of the team, if it was given here. */
  agentId?: string
  name?: string
  /** Left out once the customer has it. */
  status?: 'queued' | 'failed'
  /** Why it failed; without that status, why it could not be taken away. */
  error?: { code: string; message: string }
  /** The one that the customer still sees in place of a failed one. */
  instead?: string
}

const listOf = (value: unknown): Reaction[] =>
  // They are only written here and by alter-message.ts.
  Array.isArray(value) ? value.filter((one): one is Reaction => isObject(one) && 'by' in one) : []

export const reactionOf = (metadata: Metadata | null, side: Side): Reaction | undefined =>
  listOf(metadata?.reactions).find(({ by }) => by === side)

/** The metadata with another reaction of that side, or none. */
export const withReaction = (
  metadata: Metadata | null,
  side: Side,
  reaction: Omit<Reaction, 'by'> | null,
): Metadata | null => {
  const { reactions: before, ...rest } = metadata ?? {}
  const reactions = listOf(before).filter(({ by }) => by !== side)
  if (reaction) reactions.push({ by: side, ...reaction })
  const changed = reactions.length > 0 ? { ...rest, reactions } : rest
  return Object.keys(changed).length > 0 ? changed : null
}
