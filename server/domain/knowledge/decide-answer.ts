// What may be said without a model: pure, so that a test, the console and the agent decide alike.
import type { KnowledgeMatch } from './schema.ts'

/**
 * The line, drawn on the questions of test/questions that are for calibration, not on those of the test: what is said
 * above it is right at least nine times in ten. See docs/decisions/0034-knowledge.md.
 */
export const SAY_CERTAINTY = 0.44
/** How much less certain the next match must be. Two equal answers are both offered. */
export const SAY_LEAD = 0.05
/** Below this, nothing is even offered. */
export const OFFER_CERTAINTY = 0.1
export const OFFERED_MAX = 3

type Match = Pick<KnowledgeMatch, 'type' | 'needsReview' | 'certainty'>

export type Decision<M> = { say: M; offer: readonly [] } | { say: null; offer: readonly M[] }

/**
 * `say`: the answer that may be sent word for word. `offer`: up to three to choose from; empty if nothing is close.
 * Articles and answers past their review date are only offered.
 */
export const decideAnswer = <M extends Match>(ranked: readonly M[]): Decision<M> => {
  const [first, ...others] = ranked
  if (!first) return { say: null, offer: [] }
  const next = Math.max(0, ...others.map(({ certainty }) => certainty))
  const isCertain = first.certainty >= SAY_CERTAINTY && first.certainty - next >= SAY_LEAD
  if (isCertain && first.type === 'answer' && !first.needsReview) return { say: first, offer: [] }
  return {
    say: null,
    offer: ranked.slice(0, OFFERED_MAX).filter(({ certainty }) => certainty >= OFFER_CERTAINTY),
  }
}
