// Where payment cards and bank accounts stand in a text, in the digits of any script and with anything between them.
// A checksum alone fits one number in ten, so the issuer's first digits and the country's length have to fit too.
import { normalizeDigits } from '../../../../flow-engine/fold-text.ts'

/** A part of a text, and its value without what only groups it. */
export type Span = { start: number; end: number; value: string }

/** Characters between two digits of one number. */
const GAP_MAX = 3
const DIGIT_OR_GAP = /\p{Nd}(?:[^\p{L}\p{N}]{0,3}\p{Nd})*/gu

/** First digits, and how many there are. */
const CARDS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(6011|64[4-9]|65|62)/, [16, 17, 18, 19]],
  [/^(30[0-5]|3[689])/, [14]],
  [/^35(2[89]|[3-8])/, [16]],
  [/^220[0-4]/, [16]],
  [/^(50|5[6-9]|6[37])/, [16, 18, 19]],
]
const CARD_LENGTHS = [19, 18, 17, 16, 15, 14, 13] as const

/** Cards, the longest that fits at each place. They start and end where a group of digits does. */
export const findCards = (text: string): Span[] =>
  [...text.matchAll(DIGIT_OR_GAP)].flatMap((run) => cardsInRun(run[0], run.index))

const cardsInRun = (run: string, offset: number): Span[] => {
  const digits = [...run.matchAll(/\p{Nd}/gu)].map(({ index, 0: digit }) => ({
    at: index,
    end: index + digit.length,
    value: normalizeDigits(digit),
  }))
  const startsGroup = (at: number): boolean => at === 0 || digits[at - 1]!.end < digits[at]!.at
  const endsGroup = (at: number): boolean => at === digits.length - 1 || startsGroup(at + 1)
  const found: Span[] = []
  for (let at = 0; at <= digits.length - CARD_LENGTHS.at(-1)!; at++) {
    if (!startsGroup(at)) continue
    const length = CARD_LENGTHS.find(
      (length) =>
        at + length <= digits.length &&
        endsGroup(at + length - 1) &&
        isCard(
          digits
            .slice(at, at + length)
            .map(({ value }) => value)
            .join(''),
        ),
    )
    if (length === undefined) continue
    const own = digits.slice(at, at + length)
    found.push({
      start: offset + own[0]!.at,
      end: offset + own.at(-1)!.end,
      value: own.map(({ value }) => value).join(''),
    })
    at += length - 1
  }
  return found
}

const isCard = (digits: string): boolean =>
  CARDS.some(([first, lengths]) => lengths.includes(digits.length) && first.test(digits)) &&
  passesLuhn(digits)

/** The checksum of cards, and of some national ids. */
export const passesLuhn = (digits: string): boolean => {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const value = Number(digits[digits.length - 1 - at]) * (at % 2 === 0 ? 1 : 2)
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    'NO15 BE16 DK18 FI18 FO18 GL18 NL18 SD18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 XK20 CH21 HR21 LI21 LV21 BG22 ' +
    'BH22 CR22 DE22 GB22 GE22 IE22 ME22 RS22 AE23 GI23 IL23 IQ23 OM23 TL23 AD24 CZ24 ES24 MD24 PK24 RO24 SA24 SE24 ' +
    'SK24 TN24 VG24 LY25 PT25 ST25 IS26 TR26 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28 CY28 DO28 GT28 HU28 LB28 ' +
    'NI28 PL28 SV28 BR29 EG29 PS29 QA29 UA29 JO30 KW30 MU30 MT31 SC31 LC32 RU33'
  )
    .split(' ')
    .map((one) => [one.slice(0, 2), Number(one.slice(2))]),
)
const IBAN_START = /(?<![\p{L}\p{N}])[A-Za-z]{2}[^\p{L}\p{N}]{0,3}\p{Nd}/gu

/** Bank accounts as IBAN. */
export const findIbans = (text: string): Span[] =>
  [...text.matchAll(IBAN_START)].flatMap(({ index, 0: start }) => {
    const length = IBAN_LENGTHS.get(start.slice(0, 2).toUpperCase())
    const span = length === undefined ? undefined : take(text, index, length)
    return span && isIban(span.value) ? [span] : []
  })

/** So many letters and digits from here, if no more than a gap is between them and the next is none. */
const take = (text: string, start: number, length: number): Span | undefined => {
  let value = ''
  let gap = 0
  let at = start
  while (at < text.length && value.length < length) {
    const character = String.fromCodePoint(text.codePointAt(at)!)
    if (/[A-Za-z\p{Nd}]/u.test(character)) {
      value += normalizeDigits(character).toUpperCase()
      gap = 0
    } else if (/[\p{L}\p{N}]/u.test(character) || ++gap > GAP_MAX) return undefined
    at += character.length
  }
  return value.length === length && !/[\p{L}\p{N}]/u.test(text.charAt(at))
    ? { start, end: at, value }
    : undefined
}

const isIban = (value: string): boolean => {
  let rest = 0
  for (const character of value.slice(4) + value.slice(0, 4))
    for (const digit of String(Number.parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}
