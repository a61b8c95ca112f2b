import { normalizeDigits } from '../../../../flow-engine/fold-text.ts'
import type { Known, ReplyProblem } from './reply.ts'

/** Shorter ones are parts of ordinary words. */
const WORD_MIN = 4
const CARD_DIGITS = [13, 19] as const
const IBAN_LENGTH = [15, 34] as const

/** What belongs to others or to nobody: names of tools, the system prompt, others' addresses, cards and accounts. */
export const findPrivate = (text: string, { privateWords }: Known): ReplyProblem[] => {
  const problem = (what: string): ReplyProblem[] => [
    { code: 'private', message: `The reply contains ${what}. Leave that out.` },
  ]
  const squeezed = squeeze(text)
  if (privateWords.some((word) => squeeze(word).length >= WORD_MIN && squeezed.includes(squeeze(word))))
    return problem('something that isn’t meant for customers')
  const runs = runsOf(text)
  if (runs.some(isCard)) return problem('a card number')
  return runs.some(isIban) ? problem('a bank account number') : []
}

/** Letters and digits only, so that spaces and signs between them hide nothing. */
const squeeze = (text: string): string =>
  normalizeDigits(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}@]/gu, '')

/** Neighbouring words with digits, joined, as long numbers are written in groups. */
const runsOf = (text: string): string[] => {
  const runs: string[] = []
  let run: string[] = []
  for (const word of [
    ...normalizeDigits(text)
      .toUpperCase()
      .split(/[^\p{L}\p{N}]+/u),
    '',
  ]) {
    if (/\d/.test(word)) run.push(word)
    else if (run.length > 0) {
      for (let from = 0; from < run.length; from++)
        for (let to = from + 1; to <= Math.min(run.length, from + 10); to++)
          runs.push(run.slice(from, to).join(''))
      run = []
    }
  }
  return runs
}

const isCard = (run: string): boolean => {
  if (!/^\d+$/.test(run) || run.length < CARD_DIGITS[0] || run.length > CARD_DIGITS[1]) return false
  const sum = [...run].reverse().reduce((sum, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
    return sum + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

const isIban = (run: string): boolean => {
  if (run.length < IBAN_LENGTH[0] || run.length > IBAN_LENGTH[1] || !/^[A-Z]{2}\d\d[A-Z\d]+$/.test(run))
    return false
  let rest = 0
  for (const character of run.slice(4) + run.slice(0, 4))
    for (const digit of String(Number.parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}
