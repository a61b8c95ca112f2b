// Which of several options a typed answer means.
import { wordsInAll } from './built-in-texts.ts'
import { foldText, hasWords, wordCount } from './fold-text.ts'

/** An option as the customer saw it: `number` is the option's place in the definition, not on the screen. */
export type OfferedOption = { id: string; number: number; title: string; also: readonly string[] }

/** An exact answer is a number or a whole title; other answers may still be a wish for a person. */
export type OptionMatch =
  | { kind: 'option'; option: OfferedOption; isExact: boolean }
  | { kind: 'several' }
  | { kind: 'none' }

const PREFIX_MIN = 3
const NAMED_WORDS_MAX = 6
const UNSPACED_CHARACTERS_MAX = 20
/** Of 1: how much of two texts has to be the same, and how far the best has to be ahead of the next. */
const SIMILARITY_MIN = 0.6
const SIMILARITY_GAP = 0.15

const NONE: OptionMatch = { kind: 'none' }
const SEVERAL: OptionMatch = { kind: 'several' }

/**
 * In this order: the whole title or another word for it, the number on the screen, the start of one title, one title
 * within a short message, one title that is nearly the same; the last two only where nothing is denied. Two options named are `several`. A title goes before a
 * number, because titles may be numbers themselves.
 */
export const matchOption = (text: string, options: readonly OfferedOption[]): OptionMatch => {
  const folded = foldText(text)
  if (folded === '') return NONE
  const named = options.map((option) => ({ option, names: namesOf(option) }))
  const exact = named.filter(({ names }) => names.includes(folded))
  if (exact.length > 0) return exact.length > 1 ? SEVERAL : found(exact[0]!.option, true)
  return (
    matchNumber(folded, options) ??
    (folded.length >= PREFIX_MIN
      ? oneOf(named.filter(({ names }) => names.some((name) => name.startsWith(folded))))
      : undefined) ??
    (isDenied(folded) ? undefined : (matchNamed(folded, named) ?? matchSimilar(folded, named))) ??
    NONE
  )
}

type Named = { option: OfferedOption; names: string[] }

const namesOf = ({ title, also }: OfferedOption): string[] =>
  [title, ...also].map(foldText).filter((name) => name !== '')

const found = (option: OfferedOption, isExact = false): OptionMatch => ({ kind: 'option', option, isExact })

const oneOf = (candidates: readonly Named[]): OptionMatch | undefined =>
  candidates.length === 0 ? undefined : candidates.length > 1 ? SEVERAL : found(candidates[0]!.option)

const COUNTERS = new Set(
  'option number nr no num opcion numero nummer opcao choix optie numer opcja secenek вариант номер варіант خيار رقم אפשרות מספר विकल्प pilihan nomor lua chon so alternativ 第 选项 選項 番号 번호'
    .split(' ')
    .map(foldText),
)
const AFFIXES = /^第?(\d{1,2})(?:番|号|號|번|个|個)?$/u
const CHINESE_DIGITS = '一二三四五六七八九十'
const CONNECTOR_MAX = 4

/** "2", "2.", "②", "option 2", "第二"; several numbers and nothing else: several. */
const matchNumber = (folded: string, options: readonly OfferedOption[]): OptionMatch | undefined => {
  const words = folded.split(' ').filter((word) => !COUNTERS.has(word))
  const places = words.map(readPlace)
  const wanted = new Set(
    places.filter((place) => place !== undefined && place >= 1 && place <= options.length),
  )
  const isOnlyNumbers = words.every((word, at) => places[at] !== undefined || isConnector(word))
  if (wanted.size === 0 || !isOnlyNumbers) return undefined
  if (wanted.size > 1) return SEVERAL
  return words.length === 1 ? found(options[[...wanted][0]! - 1]!, true) : undefined
}

const isConnector = (word: string): boolean => word.length <= CONNECTOR_MAX && !/\d/.test(word)

const readPlace = (word: string): number | undefined => {
  const [, digits] = AFFIXES.exec(word) ?? []
  if (digits) return Number(digits)
  const chinese = CHINESE_DIGITS.indexOf(word.replace(/^第/u, ''))
  return word !== '' && chinese >= 0 && word.replace(/^第/u, '').length === 1 ? chinese + 1 : undefined
}

const NEGATIONS = [
  ...new Set(
    [
      ...wordsInAll('no'),
      'not',
      'dont',
      'nicht',
      'kein',
      'keine',
      'pas',
      'niet',
      'geen',
      'nie',
      'не',
      'değil',
    ]
      .map(foldText)
      .filter((word) => word.length > 1 && wordCount(word) === 1),
  ),
]

const isDenied = (folded: string): boolean => NEGATIONS.some((word) => hasWords(folded, word))

/** A short message with one title in it: "the opening hours please". */
const matchNamed = (folded: string, named: readonly Named[]): OptionMatch | undefined => {
  const hits = named.flatMap(({ option, names }) =>
    names.filter((name) => hasWords(folded, name)).map((name) => ({ option, name })),
  )
  // "order status" names that option and not also the one called "order".
  const widest = hits.filter(
    ({ option, name }) =>
      !hits.some((other) => other.option !== option && other.name !== name && hasWords(other.name, name)),
  )
  const options = new Set(widest.map(({ option }) => option))
  if (options.size === 0) return undefined
  if (options.size > 1) return SEVERAL
  const isShort =
    wordCount(folded) <= NAMED_WORDS_MAX && (folded.includes(' ') || folded.length <= UNSPACED_CHARACTERS_MAX)
  return isShort ? found([...options][0]!) : undefined
}

const matchSimilar = (folded: string, named: readonly Named[]): OptionMatch | undefined => {
  const wanted = trigramsOf(folded)
  const ranked = named
    .map(({ option, names }) => ({
      option,
      score: Math.max(0, ...names.map((name) => similarity(wanted, trigramsOf(name)))),
    }))
    .sort((a, b) => b.score - a.score)
  const [best, next] = ranked
  if (!best || best.score < SIMILARITY_MIN) return undefined
  return best.score - (next?.score ?? 0) >= SIMILARITY_GAP ? found(best.option) : SEVERAL
}

/** As PostgreSQL's pg_trgm counts them: each word with two spaces before it and one behind. */
const trigramsOf = (folded: string): Set<string> => {
  const grams = new Set<string>()
  for (const word of folded.slice(0, 200).split(' ')) {
    const padded = `  ${word} `
    for (let at = 0; at + 3 <= padded.length; at++) grams.add(padded.slice(at, at + 3))
  }
  return grams
}

const similarity = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  let common = 0
  for (const gram of one) if (other.has(gram)) common++
  return common / (one.size + other.size - common)
}
