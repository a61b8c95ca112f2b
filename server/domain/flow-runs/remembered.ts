// What the AI agent remembers of what it said.
import type { Decision, Memory } from '../ai/think.ts'

/** What a question it couldn't answer adds, and an answer settles. */
export const remembered = (
  memory: Memory,
  decision: Spoken,
): Pick<Memory, 'misses' | 'lastItemId' | 'hasAsked' | 'language'> => {
  const language = decision.is === 'propose' ? decision.proposed.language : decision.language
  return { ...outcomeOf(memory, decision), language: language ?? memory.language ?? null }
}

type Spoken = Exclude<Decision, { is: 'handOver' | 'silent' }>

const outcomeOf = (
  { misses, lastItemId }: Memory,
  decision: Spoken,
): Pick<Memory, 'misses' | 'lastItemId' | 'hasAsked'> => {
  if (decision.is === 'answer') return { misses: 0, lastItemId: decision.source.id, hasAsked: false }
  if (decision.is === 'say')
    return decision.as === 'reply'
      ? { misses: 0, lastItemId: null, hasAsked: false }
      : { misses, lastItemId: null, hasAsked: true }
  if (decision.is === 'propose' || decision.is === 'code')
    return { misses: 0, lastItemId: null, hasAsked: true }
  const isMiss = decision.is === 'offer' || decision.why === 'unclear' || decision.why === 'itself'
  return { misses: misses + (isMiss ? 1 : 0), lastItemId, hasAsked: false }
}
