// What a text names as a password, a code or the number of a document: “my PIN is 4711”, “Passwort: hunter2”. The word is
// found first, then what it announces is looked for in the few words behind it.
import { normalizeDigits } from '../../../../flow-engine/fold-text.ts'
import type { Span } from './account-numbers.ts'
import {
  ANY_CODE_WORDS,
  BETWEEN,
  CODE_WORDS,
  DOCUMENT_WORDS,
  ORDINARY_WORDS,
  OTHER_CODES,
  PASSWORD_WORDS,
  UNSPACED_CODE_WORDS,
  UNSPACED_DOCUMENT_WORDS,
  UNSPACED_PASSWORD_WORDS,
  VERBS,
} from './secret-words.ts'

type Named = 'password' | 'code' | 'anyCode' | 'document'

/** Words between the name and the value. */
const BETWEEN_MAX = 5
const VALUE_MAX = 200
const VALUE_MIN = 3

const plainOf = (word: string): string =>
  word
    .toLowerCase()
    .replaceAll('’', "'")
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')

const escaped = (word: string): string =>
  plainOf(word)
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/[ -]/g, '[ -]?')

/** The longest first, so that “pin code” isn't taken for “pin”. */
const alternatives = (words: string): string =>
  words
    .split('|')
    .map(escaped)
    .sort((a, b) => b.length - a.length)
    .join('|')

const whole = (words: string): string => `(?<![\\p{L}\\p{N}])(?:${alternatives(words)})(?![\\p{L}\\p{N}])`

const NAMES: readonly (readonly [Named, RegExp])[] = [
  ['password', new RegExp(`${whole(PASSWORD_WORDS)}|${alternatives(UNSPACED_PASSWORD_WORDS)}`, 'gu')],
  ['code', new RegExp(`${whole(CODE_WORDS)}|${alternatives(UNSPACED_CODE_WORDS)}`, 'gu')],
  ['anyCode', new RegExp(whole(ANY_CODE_WORDS), 'gu')],
  ['document', new RegExp(`${whole(DOCUMENT_WORDS)}|${alternatives(UNSPACED_DOCUMENT_WORDS)}`, 'gu')],
]

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/[ |]/).map(plainOf))
const VERB_SET = wordSet(VERBS)
const BETWEEN_SET = wordSet(BETWEEN)
const ORDINARY_SET = wordSet(ORDINARY_WORDS)
const OTHER_CODE_SET = wordSet(OTHER_CODES)

export const findNamedSecrets = (text: string): (Span & { kind: 'secret' | 'national id' })[] => {
  const { plain, places } = flattened(text)
  return NAMES.flatMap(([named, pattern]) =>
    [...plain.matchAll(pattern)].flatMap(({ index, 0: name }) => {
      if (named === 'anyCode' && isOfOtherCode(plain.slice(Math.max(0, index - 30), index))) return []
      const span = valueAfter(text, places[index + name.length] ?? text.length, named)
      return span
        ? [{ ...span, kind: named === 'document' ? ('national id' as const) : ('secret' as const) }]
        : []
    }),
  )
}

/** Without case and accents, and where each unit of it stands in the text. */
const flattened = (text: string): { plain: string; places: number[] } => {
  let plain = ''
  const places: number[] = []
  let at = 0
  for (const character of text) {
    const flat = plainOf(character)
    for (let unit = 0; unit < flat.length; unit++) places.push(at)
    plain += flat
    at += character.length
  }
  return { plain, places }
}

const isOfOtherCode = (before: string): boolean => {
  const word = /(\p{L}{1,30})[\s-]{0,2}$/u.exec(before)?.[1]
  return word !== undefined && OTHER_CODE_SET.has(word)
}

const WORD = /[ \t\u00a0]{0,3}\n?[ \t\u00a0]{0,3}([^\s]{1,200})/uy

const valueAfter = (text: string, from: number, named: Named): Span | undefined => {
  let at = from
  let isMarked = false
  let isSaid = false
  for (let count = 0; count < BETWEEN_MAX; count++) {
    const mark = /[^\p{L}\p{N}\s]?[\s]{0,2}(?:[:=：＝→]|->|=>)[:=>]{0,2}|[是为為はが는은]/uy
    mark.lastIndex = at
    const marked = mark.exec(text)
    if (marked) {
      isMarked = true
      at = mark.lastIndex
    }
    WORD.lastIndex = at
    const word = WORD.exec(text)
    if (!word) return undefined
    const start = WORD.lastIndex - word[1]!.length
    const flat = plainOf(word[1]!).replace(/^[^\p{L}\p{N}]{1,200}|[^\p{L}\p{N}]{1,200}$/gu, '')
    if (VERB_SET.has(flat) && !isMarked) isSaid = true
    else if (flat !== '' && !(BETWEEN_SET.has(flat) && !isMarked))
      return fitting(valueAt(text, start), named, isMarked, isSaid)
    else if (flat === '' && /^[-–—]+$/.test(word[1]!)) isSaid = true
    else if (flat === '' && !isMarked && !/^["'“„«(*_`]/.test(word[1]!))
      return fitting(valueAt(text, start), named, isMarked, isSaid)
    at = WORD.lastIndex - (/[:=：＝]$/u.test(word[1]!) ? 1 : 0)
    // A sentence that ends says nothing about what follows.
    if (/[.!?]$/.test(word[1]!) && !/^n[or]\.$/i.test(word[1]!)) return undefined
  }
  return undefined
}

const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '”',
  '„': '“”',
  '«': '»',
  '`': '`',
  '‘': '’',
  '「': '」',
}

/** A word, or all that is quoted. */
const valueAt = (text: string, start: number): Span => {
  const ends = QUOTES[text[start]!]
  if (ends !== undefined)
    for (let at = start + 1; at < Math.min(text.length, start + VALUE_MAX); at++)
      if (ends.includes(text[at]!)) return span(text, start + 1, at)
  let end = start
  while (end < text.length && end - start < VALUE_MAX && !/\s/.test(text[end]!)) end++
  // In scripts without spaces a sentence goes on behind it.
  const ascii = /^[!-~]+(?=[^\p{ASCII}])/u.exec(text.slice(start, end))?.[0]
  if (
    ascii !== undefined &&
    ascii.length >= VALUE_MIN &&
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}。、]/u.test(
      text[start + ascii.length]!,
    )
  )
    end = start + ascii.length
  while (end > start && /[.,;:)\]}"'”“»*_`]/.test(text[end - 1]!)) end--
  while (start < end && /[(*_`]/.test(text[start]!)) start++
  return span(text, start, end)
}

const span = (text: string, start: number, end: number): Span => ({
  start,
  end,
  value: text.slice(start, end),
})

const fitting = (one: Span, named: Named, isMarked: boolean, isSaid: boolean): Span | undefined => {
  const value = normalizeDigits(one.value)
  const digits = value.replace(/\D/g, '').length
  if (value.length < VALUE_MIN || /^\[/.test(value)) return undefined
  if (named === 'anyCode') return /^\d{4,8}$/.test(value.replace(/-/g, '')) ? one : undefined
  if (named === 'code') return digits >= 3 && digits * 2 >= value.length ? one : undefined
  if (named === 'document') return digits >= 4 && /^[\p{L}\p{N}./-]+$/u.test(value) ? one : undefined
  if (isMarked) return one
  const isOdd = /\d/.test(value) || /[^\p{L}'’-]/u.test(value.slice(0, -1)) || /\p{Ll}\p{Lu}/u.test(value)
  return isOdd || (isSaid && !ORDINARY_SET.has(plainOf(value).replace(/[^\p{L}]{1,200}$/u, '')))
    ? one
    : undefined
}
