// Reads the provider's JSON without trusting its shape. Ids may be numbers beyond 2^53: JSON.parse would round them, so
// such numbers become text before it sees them.

export type JsonObject = Record<string, unknown>

/** The provider's own payloads are some twelve levels deep. A thousand levels would exhaust the stack of whoever walks them. */
export const DEPTH_MAX = 64
const SAFE_DIGITS = 15
export const TEXT_MAX = 65_536

export type Read = { value: unknown } | { refusal: 'notJson' | 'tooDeep' }

export const readJson = (text: string): Read => {
  const { quoted, depth } = scan(text)
  if (depth > DEPTH_MAX) return { refusal: 'tooDeep' }
  try {
    return { value: JSON.parse(quoted) }
  } catch {
    return { refusal: 'notJson' }
  }
}

/** The text with every integer that a double cannot hold in quotation marks, and how deep it nests. */
const scan = (text: string): { quoted: string; depth: number } => {
  let quoted = ''
  let copied = 0
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === '"') at = endOfString(text, at)
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth)
    else if (char === '}' || char === ']') depth--
    else if (isNumberChar(char)) {
      let end = at + 1
      while (end < text.length && isNumberChar(text[end]!)) end++
      const number = text.slice(at, end)
      if (isUnsafeInteger(number)) {
        quoted += `${text.slice(copied, at)}"${number}"`
        copied = end
      }
      at = end - 1
    }
  }
  return { quoted: copied === 0 ? text : quoted + text.slice(copied), depth: deepest }
}

const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text[before] === '\\') before--
    if ((end - before) % 2 === 1) return end
  }
  return text.length
}

const isNumberChar = (char: string): boolean =>
  (char >= '0' && char <= '9') || char === '-' || char === '+' || char === '.' || char === 'e' || char === 'E'

const isUnsafeInteger = (number: string): boolean =>
  number.length > SAFE_DIGITS && /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Text that any database and any JSON takes: no NUL, no half of a surrogate pair. Null where there is none. */
export const textOf = (value: unknown, max = TEXT_MAX): string | null => {
  if (typeof value !== 'string') return null
  const text = value.slice(0, max).replaceAll('\0', '').toWellFormed()
  return text === '' ? null : text
}

/** One line for a name or a label: trimmed, its runs of white space and control characters one space each. */
export const lineOf = (value: unknown, max = 512): string | null =>
  textOf(value, max)
    ?.replace(/[\s\p{Cc}]+/gu, ' ')
    .trim() || null

const ID_MAX = 512

/** An id or a number that may come as either a string or a number. */
export const idOf = (value: unknown): string | null =>
  typeof value === 'number' && Number.isFinite(value) ? String(value) : textOf(value, ID_MAX)?.trim() || null

export const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** From here on a number is milliseconds: in seconds it would be the year 33658. */
const MILLISECONDS_FROM = 1e12
const TIME_MAX_MS = 8.64e15

/** Unix seconds, as text or number; some senders give milliseconds. */
export const timeOf = (value: unknown): Date | null => {
  const number = numberOf(value)
  if (number === null || number <= 0) return null
  const ms = number >= MILLISECONDS_FROM ? number : number * 1000
  return ms <= TIME_MAX_MS ? new Date(ms) : null
}
