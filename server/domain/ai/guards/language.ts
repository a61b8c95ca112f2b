// The language that a customer writes in. Short texts mislead every detector, so what is known of the contact counts
// unless the text says otherwise for certain.
import { baseOf } from '../../../../flow-engine/language.ts'
import { languagesOfScript } from './script.ts'

/** Of the newest messages; more doesn't make it more certain. */
const READ_MAX = 1_000
/** Fewer could be a name or a product in any language. */
const LETTERS_MIN = 12
const WORDS_MIN = 3
/** “iPhone Pro Max” has none, and “Lukas Müller” neither. */
const SMALL_WORDS_MIN = 2
/** For a contact whose language isn't known, a wrong guess costs more than English. */
const SCORE_MIN = 0.6
/** How much likelier than the contact's language it has to be. */
const LEAD_MIN = 0.1

/**
 * ISO 639-1, or the contact's language as it is stored if the texts don't contradict it. Null if nothing is known.
 * `texts` are the customer's, the newest last. Loads the detector (30 MB) when it is first needed.
 */
export const languageOf = async (
  texts: readonly string[],
  contactLanguage: string | null,
): Promise<string | null> => {
  const text = wordsOnly(texts)
  const own = contactLanguage === null ? null : baseOf(contactLanguage)
  const ofScript = languagesOfScript(text)
  if (ofScript?.length === 1) return own === ofScript[0] ? contactLanguage : ofScript[0]!
  if (own !== null && ofScript?.includes(own) && ofScript[0] === 'zh') return contactLanguage
  // A script that the contact's language isn't written in needs no length.
  if (isTooShort(text) && (!ofScript || (own !== null && ofScript.includes(own)))) return contactLanguage
  const guess = await detect(text)
  const fits = guess !== null && (!ofScript || ofScript.includes(guess.language))
  if (!fits) return ofScript ? ofScript[0]! : contactLanguage
  if (own === null) return guess.score >= SCORE_MIN ? guess.language : null
  return guess.language !== own && guess.score - (guess.scores[own] ?? 0) >= LEAD_MIN
    ? guess.language
    : contactLanguage
}

const isTooShort = (text: string): boolean => {
  const words = text.split(' ')
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const hasCase = /\p{Ll}/u.test(text)
  return (
    letters < LETTERS_MIN ||
    words.length < WORDS_MIN ||
    (hasCase && words.filter((word) => !/\p{Lu}/u.test(word)).length < SMALL_WORDS_MIN)
  )
}

/** Addresses, numbers and signs have no language. */
const wordsOnly = (texts: readonly string[]): string =>
  texts
    .join('\n')
    .slice(-READ_MAX)
    .replace(/\S{0,200}(?:@|:\/\/|\p{N})\S{0,200}/gu, ' ')
    .replace(/[^\p{L}\p{M}'’]+/gu, ' ')
    .trim()

type Guess = { language: string; score: number; scores: Record<string, number> }

const detect = async (text: string): Promise<Guess | null> => {
  const { eld } = await import('eld/extrasmall')
  const result = eld.detect(text)
  const scores = result.getScores()
  const score = scores[result.language]
  return score !== undefined && result.isReliable() ? { language: result.language, score, scores } : null
}
