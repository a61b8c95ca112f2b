// Parses a provider's JSON without trusting its shape. Ids may be numbers beyond 2^53, which JSON.parse would round, so
// they are quoted first.

export type JsonObject = Record<string, unknown>

/** Providers' payloads have about twelve levels. A thousand would overflow the stack of recursive code. */
export const DEPTH_MAX = 64
/** Counts values and commas. A thousand messages, the largest batch of a provider, have about 20,000. */
export const VALUES_MAX = 100_000
/** Counts distinct field names; providers use a few hundred. JSON.parse takes a microsecond for each new one. */
export const KEY_NAMES_MAX = 2_000
const SAFE_DIGITS = 15
const TEXT_MAX = 65_536

export type Read = { value: unknown } | { refusal: 'notJson' | 'tooDeep' | 'tooMany' }

export const readJson = (text: string): Read => {
  const scanned = scan(text)
  if ('refusal' in scanned) return scanned
  try {
    return { value: JSON.parse(scanned.quoted) }
  } catch {
    return { refusal: 'notJson' }
  }
}

/** Empty if the text isn't a JSON object. */
export const readObject = (text: string): JsonObject => {
  const read = readJson(text)
  return 'value' in read ? objectOf(read.value) : {}
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const ARRAY_START = 0x5b
const ARRAY_END = 0x5d
const OBJECT_START = 0x7b
const OBJECT_END = 0x7d

/** The text with every integer that doesn't fit in a double quoted. */
const scan = (text: string): { quoted: string } | { refusal: 'tooDeep' | 'tooMany' } => {
  const names = new Set<string>()
  let quoted = ''
  let copied = 0
  let depth = 0
  let values = 0
  let stringStart = 0
  let stringEnd = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    switch (code) {
      case QUOTE:
        stringStart = at
        stringEnd = at = endOfString(text, at)
        break
      case OBJECT_START:
      case ARRAY_START:
        if (++depth > DEPTH_MAX) return { refusal: 'tooDeep' }
        if (++values > VALUES_MAX) return { refusal: 'tooMany' }
        break
      case OBJECT_END:
      case ARRAY_END:
        depth--
        break
      case COMMA:
        if (++values > VALUES_MAX) return { refusal: 'tooMany' }
        break
      case COLON:
        names.add(text.slice(stringStart, stringEnd))
        if (names.size > KEY_NAMES_MAX) return { refusal: 'tooMany' }
        break
      default:
        if (isNumberCode(code)) {
          let end = at + 1
          while (end < text.length && isNumberCode(text.charCodeAt(end))) end++
          if (isUnsafeInteger(text, at, end)) {
            quoted += `${text.slice(copied, at)}"${text.slice(at, end)}"`
            copied = end
          }
          at = end - 1
        }
    }
  }
  return { quoted: copied === 0 ? text : quoted + text.slice(copied) }
}

const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return Math.min(at, text.length)
}

/** 0 to 9, - + . e E */
const isNumberCode = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2d ||
  code === 0x2b ||
  code === 0x2e ||
  code === 0x65 ||
  code === 0x45

const isUnsafeInteger = (text: string, start: number, end: number): boolean => {
  if (end - start <= SAFE_DIGITS) return false
  const number = text.slice(start, end)
  return /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Text that is valid in any database and any JSON: no NUL, no lone surrogates. Null if it is empty or not text. */
export const textOf = (value: unknown, max = TEXT_MAX): string | null => {
  if (typeof value !== 'string') return null
  const text = value.slice(0, max).replaceAll('\0', '').toWellFormed()
  return text === '' ? null : text
}

/** One line for a name or label: trimmed, with white space and control characters collapsed to single spaces. */
export const lineOf = (value: unknown, max = 512): string | null =>
  textOf(value, max)
    ?.replace(/[\s\p{Cc}]+/gu, ' ')
    .trim() || null

const ID_MAX = 512

/** An id or number given as a string or a number. */
export const idOf = (value: unknown): string | null =>
  typeof value === 'number' && Number.isFinite(value) ? String(value) : textOf(value, ID_MAX)?.trim() || null

export const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** Larger numbers are milliseconds: as seconds, this is the year 33658. */
const MILLISECONDS_FROM = 1e12
const TIME_MAX_MS = 8.64e15

/** Unix seconds, as text or number; some senders give milliseconds. */
export const timeOf = (value: unknown): Date | null => {
  const number = numberOf(value)
  if (number === null || number <= 0) return null
  const ms = number >= MILLISECONDS_FROM ? number : number * 1000
  return ms <= TIME_MAX_MS ? new Date(ms) : null
}
