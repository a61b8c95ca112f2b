// Whether a customer asks for a person. In code, so that no flow's author and no model can take it away. Words to stop
// messages altogether (STOP) belong to the channels.
import { asksWhetherMachine } from './asks-whether-machine.ts'
import { ESCAPE_WORDS } from './escape-words.ts'
import { foldText, hasWords, wordCount, wordPattern } from './fold-text.ts'

const WORDS_MAX = 6
/** For scripts without spaces, where every message is one word. */
const CHARACTERS_MAX = 12
/** Shorter words are too near to others for a letter to be forgiven. */
const FUZZY_LENGTH_MIN = 5
const OWN_PHRASES_MAX = 200

const split = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map(foldText)
    .filter((word) => word !== '')

const languages = Object.entries(ESCAPE_WORDS).map(([language, { people, around, phrases }]) => ({
  language,
  people: split(people, ' '),
  around: new Set(split(around, ' ')),
  patterns: split(phrases, '|').map(wordPattern),
}))
/** Prepared, because every message of a customer is compared with them. */
const allPatterns = languages.flatMap(({ patterns }) => patterns)

/**
 * True for messages of at most 6 words that say nothing but "a person, please", and for set phrases anywhere
 * ("talk to a human"). `ownPhrases` are the workspace's: each counts as a whole message, or as a phrase if it has
 * several words.
 */
export const wantsPerson = (text: string, ownPhrases: readonly string[] = []): boolean => {
  const folded = foldText(text)
  if (folded === '') return false
  const spaced = ` ${folded} `
  if (allPatterns.some((pattern) => spaced.includes(pattern))) return !asksWhetherMachine(text)
  if (ownPhrases.slice(0, OWN_PHRASES_MAX).some((phrase) => isOwn(folded, foldText(phrase)))) return true
  const words = folded.split(' ')
  if (words.length > WORDS_MAX) return false
  return languages.some(({ people, around }) => isWish(words, people, around)) && !asksWhetherMachine(text)
}

/** The languages in which the text is such a wish, by our own words; empty if it is none. Typos count if nothing else does. */
export const wishLanguages = (text: string): string[] => {
  const folded = foldText(text)
  if (folded === '') return []
  const spaced = ` ${folded} `
  const words = folded.split(' ')
  const isShort = words.length <= WORDS_MAX
  const wishedIn = (isSame: (word: string, wanted: string) => boolean): string[] =>
    languages
      .filter(
        ({ patterns, people, around }) =>
          patterns.some((pattern) => spaced.includes(pattern)) ||
          (isShort && isWish(words, people, around, isSame)),
      )
      .map(({ language }) => language)
  const exactly = wishedIn((word, wanted) => word === wanted)
  return exactly.length > 0 ? exactly : wishedIn(isNear)
}

const isOwn = (folded: string, phrase: string): boolean =>
  folded === phrase || (wordCount(phrase) > 1 && hasWords(folded, phrase))

const isWish = (
  words: readonly string[],
  people: readonly string[],
  around: ReadonlySet<string>,
  isSame = isNear,
): boolean => {
  if (around.size === 0) return words.length === 1 && isUnspacedWish(words[0]!, people)
  return (
    words.some((word) => people.some((person) => isSame(word, person))) &&
    words.every((word) => around.has(word) || people.some((person) => isSame(word, person)))
  )
}

/** Little more than the word itself: 人工, 我要人工, オペレーターお願いします. */
const isUnspacedWish = (text: string, people: readonly string[]): boolean =>
  text.length <= CHARACTERS_MAX &&
  people.some(
    (person) =>
      text === person || (text.startsWith('我要') && text.endsWith(person)) || isPolite(text, person),
  )

const POLITE =
  /^(?:を|に|と|に代わって|に変わって|请|請)?(?:お願い(?:します|いたします)?|ください|下さい|谢谢|謝謝)$/u

const isPolite = (text: string, person: string): boolean =>
  text.startsWith(person) && POLITE.test(text.slice(person.length))

/** The same word, or one with a letter missing, added within, wrong, or two neighbours swapped. “personal” is no “persona”. */
const isNear = (word: string, wanted: string): boolean => {
  if (word === wanted) return true
  const isLong = word.length >= FUZZY_LENGTH_MIN && wanted.length >= FUZZY_LENGTH_MIN
  if (!isLong || Math.abs(word.length - wanted.length) > 1 || word.startsWith(wanted)) return false
  let start = 0
  while (start < word.length && word[start] === wanted[start]) start++
  const [rest, wantedRest] = [word.slice(start), wanted.slice(start)]
  return (
    rest.slice(1) === wantedRest.slice(1) ||
    rest.slice(1) === wantedRest ||
    rest === wantedRest.slice(1) ||
    (rest[0] === wantedRest[1] && rest[1] === wantedRest[0] && rest.slice(2) === wantedRest.slice(2))
  )
}
