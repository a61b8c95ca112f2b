import { normalizeDigits } from '../../../../flow-engine/fold-text.ts'
import { findCards, findIbans } from '../guards/account-numbers.ts'
import type { Known, ReplyProblem } from './reply.ts'

/** Shorter ones are parts of ordinary words. */
const WORD_MIN = 4

/** The names and dots of the redaction. */
const HIDDEN = /•{4}|\[(?:card|bank account|national id|secret|email|phone) \d{1,4}\]/

/** What belongs to others or to nobody: names of tools, the system prompt, others' addresses, cards and accounts. */
export const findPrivate = (text: string, { privateWords, privateText = '' }: Known): ReplyProblem[] => {
  const problem = (what: string): ReplyProblem[] => [
    { code: 'private', message: `The reply contains ${what}. Leave that out.` },
  ]
  const squeezed = squeeze(text)
  if (privateWords.some((word) => squeeze(word).length >= WORD_MIN && squeezed.includes(squeeze(word))))
    return problem('something that isn’t meant for customers')
  if (privateText !== '' && sharesRun(text, privateText)) return problem('words of your instructions')
  if (HIDDEN.test(text)) return problem('a value that was hidden from you')
  const shown = normalizeDigits(text)
  if (findCards(shown).length > 0) return problem('a card number')
  return findIbans(shown).length > 0 ? problem('a bank account number') : []
}

/** Fewer may be chance. */
const RUN_WORDS = 7

const sharesRun = (text: string, secret: string): boolean => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const all = ` ${(secret.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `
  return words.some(
    (_, at) =>
      at + RUN_WORDS <= words.length && all.includes(` ${words.slice(at, at + RUN_WORDS).join(' ')} `),
  )
}

/** Letters and digits only, so that spaces and signs between them hide nothing. */
const squeeze = (text: string): string =>
  normalizeDigits(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}@]/gu, '')
