// Whether a customer asks again what they asked before: whatever was replied didn't help.
import { foldText } from '../../../../flow-engine/fold-text.ts'
import { partsOf, similarity } from './similarity.ts'

/** Characters: shorter ones ("ok", "yes please") are no questions. */
const LENGTH_MIN = 10
const ALIKE_MIN = 0.75
const EARLIER_MAX = 20
const COMPARED_MAX = 600

/** `earlier` are the messages of the same episode that were replied to, in any order. */
export const isRepeated = (text: string, earlier: readonly string[]): boolean => {
  const asked = toCompare(text)
  if (asked.folded.length < LENGTH_MIN) return false
  return earlier.slice(-EARLIER_MAX).some((one) => isAlike(asked, toCompare(one)))
}

type Compared = { folded: string; parts: ReadonlySet<string>; numbers: string }

/** Words that only soften or hurry a question. */
const FILLERS = new Set(
  'again please pls hello hi hey so still now but and just ok okay bitte nochmal noch mal hallo jetzt also und aber por favor otra vez hola pero y de novo ola mas e encore sil vous plait bonjour mais et ancora per ciao ma alstublieft hoi opnieuw maar en'
    .split(' ')
    .map(foldText),
)

const toCompare = (text: string): Compared => {
  const words = foldText(text.slice(0, COMPARED_MAX))
    .split(' ')
    .filter((word) => !FILLERS.has(word))
  const folded = words.join(' ')
  // "Where is order 12?" and "Where is order 13?" are two questions.
  const numbers = words.filter((word) => /\d/.test(word)).join(' ')
  return { folded, parts: partsOf(folded), numbers }
}

const isAlike = (one: Compared, other: Compared): boolean => {
  if (one.folded === other.folded) return true
  if (one.numbers !== other.numbers || one.parts.size === 0 || other.parts.size === 0) return false
  return similarity(one.parts, other.parts) >= ALIKE_MIN
}
