// What becomes of a model's ending: what may be said, or what is wrong with it.
import { OFFER_CERTAINTY } from '../../knowledge/decide-answer.ts'
import { checkReply, type Known, type ReplyProblem } from '../checks/check-reply.ts'
import type { Confidence } from '../think.ts'
import type { Ending } from './final-tool.ts'
import type { Shown } from './known/turn-in-hand.ts'

/** From here on, the sources fit the question well. */
const HIGH_CERTAINTY = 0.3

type Words = Extract<Ending, { text: string }>

/** Empty if it may be said. `known.facts` holds what tools returned: a reply about that needs no source. */
export const problemsWith = (
  ending: Words,
  { known, usedTools, refs }: { known: Known; usedTools: boolean; refs: readonly string[] },
): ReplyProblem[] => {
  const isReply = ending.action === 'reply'
  const cited = isReply ? ending.sources : refs
  const isFactual = isReply && !(usedTools && cited.length === 0)
  return [
    ...checkReply({ text: ending.text, cited: isReply ? cited : [], isFactual }, known),
    ...(ending.action === 'ask'
      ? ending.options.flatMap((text) => checkReply({ text, cited: [], isFactual: false }, known))
      : []),
  ]
}

/** By what code knows; the model's own opinion only lowers it. Null: better not said. */
export const confidenceOf = (
  { isCertain }: { isCertain: boolean },
  cited: readonly Shown[],
  wasRepaired: boolean,
): Confidence | null => {
  if (cited.length === 0) return wasRepaired || !isCertain ? 'middle' : 'high'
  const best = Math.max(...cited.map(({ source }) => source.certainty))
  if (best >= HIGH_CERTAINTY && isCertain && !wasRepaired) return 'high'
  // Other words or another language than the source's: the model may see what the words don't show.
  return best >= OFFER_CERTAINTY || isCertain ? 'middle' : null
}
