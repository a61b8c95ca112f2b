// Numbers that a state gave a person. Without a word that names them, only those with a checksum or a shape that hardly
// anything else has: a phone or order number that is hidden by mistake can't be helped with.
import { normalizeDigits } from '../../../../flow-engine/fold-text.ts'
import { passesLuhn, type Span } from './account-numbers.ts'

type Kind = { pattern: RegExp; isValid?: (value: string) => boolean }

const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0)

const KINDS: readonly Kind[] = [
  // United States.
  { pattern: /(?<![\p{N}-])(?!000|666|9)\d{3}([- ])(?!00)\d\d\1(?!0000)\d{4}(?![\p{N}-])/gu },
  // United Kingdom.
  {
    pattern:
      /(?<![\p{L}\p{N}])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D](?![\p{L}\p{N}])/giu,
  },
  // Spain: residents and foreigners.
  {
    pattern: /(?<![\p{L}\p{N}])(?:\d{8}|[XYZ][ -]?\d{7})[ -]?[A-Z](?![\p{L}\p{N}])/giu,
    isValid: (value) => {
      const number = Number(value.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter))))
      return 'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23] === value.at(-1)
    },
  },
  // Italy.
  {
    pattern: /(?<![\p{L}\p{N}])[A-Z]{6}\d\d[A-EHLMPR-T]\d\d[A-Z]\d{3}[A-Z](?![\p{L}\p{N}])/giu,
  },
  // France: sex, year and month of birth, and 97 less the rest.
  {
    pattern:
      /(?<![\p{L}\p{N}])[12] ?\d\d ?(?:0[1-9]|1[0-2]) ?\d[\dAB] ?\d{3} ?\d{3} ?\d\d(?![\p{L}\p{N}])/giu,
    isValid: (value) => {
      const number = value.slice(0, 13).replace('2A', '19').replace('2B', '18')
      return 97n - (BigInt(number) % 97n) === BigInt(value.slice(13))
    },
  },
  // Brazil.
  {
    pattern: /(?<![\p{N}+])\d{3}\.?\d{3}\.?\d{3}-?\d\d(?!\p{N})/gu,
    isValid: (value) => {
      if (new Set(value).size === 1) return false
      const check = (length: number): number => {
        const sum = weighted(
          value,
          Array.from({ length }, (_, at) => length + 1 - at),
        )
        return ((sum * 10) % 11) % 10
      }
      return check(9) === Number(value[9]) && check(10) === Number(value[10])
    },
  },
  // Turkey.
  {
    pattern: /(?<![\p{N}+])[1-9]\d{10}(?!\p{N})/gu,
    isValid: (value) => {
      const odd = weighted(value, [1, 0, 1, 0, 1, 0, 1, 0, 1])
      const even = weighted(value, [0, 1, 0, 1, 0, 1, 0, 1])
      const tenth = (odd * 7 - even + 100) % 10
      return tenth === Number(value[9]) && (odd + even + tenth) % 10 === Number(value[10])
    },
  },
  // Mexico.
  {
    pattern:
      /(?<![\p{L}\p{N}])[A-Z][AEIOUX][A-Z]{2}\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])[HMX][A-Z]{5}[A-Z\d]\d(?![\p{L}\p{N}])/giu,
  },
  // China: the date of birth is in the middle.
  {
    pattern:
      /(?<![\p{L}\p{N}])[1-9]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[\dX](?![\p{L}\p{N}])/giu,
    isValid: (value) =>
      '10X98765432'[weighted(value, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] ===
      value[17],
  },
  // Sweden.
  {
    pattern: /(?<![\p{N}-])(?:19|20)?\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])[-+]\d{4}(?![\p{N}-])/gu,
    isValid: (value) => passesLuhn(value.slice(-10)),
  },
]

export const findNationalIds = (text: string): Span[] => {
  // The same length, so that places stay.
  const plain = text.replace(/\p{Nd}/gu, (digit) => (digit.length === 1 ? normalizeDigits(digit) : digit))
  return KINDS.flatMap(({ pattern, isValid }) =>
    [...plain.matchAll(pattern)].flatMap(({ index, 0: shown }) => {
      const value = shown.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()
      return !isValid || isValid(value) ? [{ start: index, end: index + shown.length, value }] : []
    }),
  )
}
