// What the AI agent remembers of what it said.
import type { Decision, Memory } from '../ai/think.ts'

/** What a question it couldn't answer adds, and an answer settles. */
export const remembered = (
  { misses, lastItemId }: Memory,
  decision: Exclude<Decision, { is: 'handOver' | 'silent' }>,
): Pick<Memory, 'misses' | 'lastItemId' | 'hasAsked'> => {
  if (decision.is === 'answer') return { misses: 0, lastItemId: decision.source.id, hasAsked: false }
  if (decision.is === 'say')
    return decision.as === 'reply'
      ? { misses: 0, lastItemId: null, hasAsked: false }
      : { misses, lastItemId: null, hasAsked: true }
  if (decision.is === 'propose' || decision.is === 'code')
    return { misses: 0, lastItemId: null, hasAsked: true }
  const isMiss = decision.is === 'offer' || decision.why !== 'greeting'
  return { misses: misses + (isMiss ? 1 : 0), lastItemId, hasAsked: false }
}
