// What becomes of a model's ending: what may be said, or what is wrong with it.
import { OFFER_CERTAINTY } from '../../knowledge/decide-answer.ts'
import { type CheckedReply, checkReply, type Known, type ReplyProblem } from '../checks/check-reply.ts'
import { claimsNothing, type Grounding, groundingOf, isShort } from '../checks/grounding.ts'
import type { Confidence } from '../think.ts'
import type { Ending } from './final-tool.ts'
import type { Shown } from './known/turn-in-hand.ts'

/** From here on, the sources fit the question well. */
const HIGH_CERTAINTY = 0.3

type Words = Extract<Ending, { text: string }>

/**
 * Empty if it may be said. `refs`: of all sources that were shown. A short question, politeness, or a short word that
 * something was noted claims nothing.
 */
export const problemsWith = (
  ending: Words,
  { known, refs }: { known: Known; refs: readonly string[] },
): ReplyProblem[] =>
  ending.action === 'ask'
    ? [
        ...checkReply({ text: ending.text, cited: refs, isFactual: !isShort(ending.text) }, known),
        ...ending.options.flatMap((text) => checkReply({ text, cited: [], isFactual: false }, known)),
      ]
    : checkReply(checkedOf(ending, known), known)

const checkedOf = (
  { text, sources }: Extract<Words, { action: 'reply' }>,
  { done = [] }: Known,
): CheckedReply => ({
  text,
  cited: sources,
  isFactual: sources.length > 0 || !(claimsNothing(text) || (done.length > 0 && isShort(text))),
})

/** How much of a reply its sources say. */
export const groundingWith = (ending: Extract<Words, { action: 'reply' }>, known: Known): Grounding =>
  groundingOf(checkedOf(ending, known), known)

/** By what code knows; the model's own opinion only lowers it. Null: better not said. */
export const confidenceOf = (
  { isCertain }: { isCertain: boolean },
  cited: readonly Shown[],
  { wasRepaired, grounding }: { wasRepaired: boolean; grounding: Grounding },
): Confidence | null => {
  const isSure = isCertain && !wasRepaired && grounding === 'enough'
  if (cited.length === 0) return isSure ? 'high' : 'middle'
  const best = Math.max(...cited.map(({ source }) => source.certainty))
  if (best >= HIGH_CERTAINTY && isSure) return 'high'
  // Other words or another language than the source's: the model may see what the words don't show.
  return best >= OFFER_CERTAINTY || isCertain ? 'middle' : null
}
