// Matters that people take over, whatever the AI agent could say about them.
import { foldedPieces, phraseFinder, phrasesOf } from './phrases.ts'
import { LEGAL, MEDICAL, MINOR, SELF_HARM, THREAT, VIOLENCE } from './topic-phrases.ts'

export type SensitiveTopic = 'self_harm' | 'threat' | 'minor' | 'medical' | 'legal'

const FINDERS = {
  // Whoever is in danger hears the same, and people look at once.
  self_harm: phraseFinder(`${SELF_HARM}|${VIOLENCE}`),
  threat: phraseFinder(THREAT),
  medical: phraseFinder(MEDICAL),
  legal: phraseFinder(LEGAL),
}

/** People have to look at these at once. */
export const isUrgent = (topic: SensitiveTopic): boolean => topic === 'self_harm' || topic === 'threat'

/** “I want to disappear from your list”, “en finir avec cet abonnement”. */
const OF_LISTS =
  /(?:desaparecer|disparaître|disparaitre|sparire|scomparire|sumir|zniknąć|verdwijnen|исчезнуть|зникнути) (?:de|da|do|des|du|dal|dalla|dalle|z|uit|из|зі|з) (?!la vida|del mundo|este mundo|ce monde|questo mondo|tego|жизни|життя)|(?:end it all|ending it all|en finir) (?:with|avec) (?!my life|life|la vie|ma vie)/giu

/** The gravest that the text is about. */
export const sensitiveTopic = (text: string): SensitiveTopic | null => {
  if (FINDERS.self_harm(text.replace(OF_LISTS, ' '))) return 'self_harm'
  if (FINDERS.threat(text)) return 'threat'
  if (isOfChild(text)) return 'minor'
  if (FINDERS.medical(text)) return 'medical'
  return FINDERS.legal(text) ? 'legal' : null
}

/** "I am 12" and "I am 12 and", not "I am 12 km away" or "I have been a customer for 12 years". */
const AGE = '(?:[5-9]|1[0-5])'
const AND =
  'and|but|can|may|und|aber|darf|y|pero|puedo|e|mas|posso|et|mais|puis|ma|en|maar|mag|i|ale|ve|ama|и|но|і|але|و'
const MINOR_PATTERNS = phrasesOf(MINOR.replaceAll('#', '0')).map(
  (phrase) => new RegExp(` ${phrase.replace('0', AGE)}(?:$| (?:${AND}) )`, 'u'),
)
const SENTENCES_MAX = 200

const isOfChild = (text: string): boolean =>
  text
    .split(/[.!?;,\n。！？،]/u)
    .slice(0, SENTENCES_MAX)
    .flatMap((sentence) => foldedPieces(sentence))
    .some((piece) => MINOR_PATTERNS.some((pattern) => pattern.test(piece.trimEnd())))
