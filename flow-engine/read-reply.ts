// Reads a customer's answer to a question: what was tapped, typed or attached.
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { wordsIn, wordsInAll } from './built-in-texts.ts'
import type { Attachment } from './contract.ts'
import { foldText, isBlank, normalizeDigits, startOf } from './fold-text.ts'
import { matchOption, type OfferedOption } from './match-option.ts'
import type { Json } from './paths.ts'
import { matchesPattern } from './patterns.ts'
import { readDateAnswer } from './read-date.ts'
import { readNumber } from './read-values.ts'
import { SCALAR_MAX } from './shapes.ts'
import type { StepOf } from './step-schema.ts'
import { wantsPerson } from './wants-person.ts'

export type Question = Pick<StepOf<'ask'>, 'answer' | 'pattern' | 'min' | 'max'>

export type Reply = {
  text: string
  /** The number of the tapped option of this question, as the token says. */
  option: number | null
  attachments: readonly Attachment[]
}

export type ReplyContext = {
  options: readonly OfferedOption[]
  language: string
  timeZone: string
  now: number
  /** ISO 3166-1: whose phone numbers may come without a country code. */
  country: string | null
  escapePhrases: readonly string[]
}

export type Reading =
  | { kind: 'answer'; value: Json; option: OfferedOption | null }
  | { kind: 'person' }
  | {
      kind: 'invalid'
      problem: 'empty' | 'not_an_option' | 'several_options' | 'wrong_form' | 'out_of_range'
    }

const FILES_MAX = 10
const EMAIL_MAX = 254
const PHONE_MAX = 40

export const RATING_MIN = 1
export const RATING_MAX = 5
/** The number of the option that leads to a person; the author's own options count from 1. */
export const PERSON_OPTION = 0
/** Added to an option's number, it is the row that leads to this option and those after it. */
export const MORE_OPTIONS = 100

/**
 * What a reply means for a question. A tapped option and a reply that fits exactly go first, then a wish for a person,
 * then what only nearly fits.
 */
export const readReply = (reply: Reply, question: Question, context: ReplyContext): Reading => {
  if (reply.option === PERSON_OPTION) return { kind: 'person' }
  const tapped = context.options.find(({ number }) => number === reply.option)
  if (tapped) return answer(storedValue(tapped, question), tapped)
  if (question.answer === 'file') return readFiles(reply, context)
  if (isBlank(reply.text)) return { kind: 'invalid', problem: 'empty' }
  const match = matchOption(reply.text, context.options)
  if (match.kind === 'option' && match.isExact)
    return answer(storedValue(match.option, question), match.option)
  if (isPersonNumber(reply.text, question) || wantsPerson(reply.text, context.escapePhrases))
    return { kind: 'person' }
  if (question.answer === 'choice') {
    if (match.kind === 'option') return answer(match.option.id, match.option)
    return { kind: 'invalid', problem: match.kind === 'several' ? 'several_options' : 'not_an_option' }
  }
  return readTyped(reply.text, question, context)
}

/** Numbered text offers a person as 0; for a rating, that is a number. */
const isPersonNumber = (text: string, question: Question): boolean =>
  (question.answer === 'choice' || question.answer === 'yesno') && foldText(text) === String(PERSON_OPTION)

const answer = (value: Json, option: OfferedOption | null = null): Reading => ({
  kind: 'answer',
  value,
  option,
})

const wrongForm: Reading = { kind: 'invalid', problem: 'wrong_form' }

/** What is stored for an option: its id, but yes and no as such and a rating as its number. */
const storedValue = (option: OfferedOption, { answer }: Question): Json => {
  if (answer === 'yesno') return option.id === 'yes'
  return answer === 'rating' ? Number(option.id.slice(1)) : option.id
}

const readTyped = (text: string, question: Question, context: ReplyContext): Reading => {
  switch (question.answer) {
    case 'yesno': {
      const isYes = readYesNo(text, context.language)
      return isYes === undefined ? wrongForm : answer(isYes)
    }
    case 'email':
      return orWrongForm(readEmail(text))
    case 'phone':
      return orWrongForm(readPhone(text, context.country))
    case 'date':
      return orWrongForm(readDateAnswer(text, context))
    case 'number':
      return inRange(readNumber(text.trim(), context.language), question)
    case 'rating':
      return readRating(text, question)
    default:
      return readFreeText(text, question)
  }
}

const orWrongForm = (value: string | undefined): Reading => (value === undefined ? wrongForm : answer(value))

const inRange = (value: number | undefined, { min, max }: Question): Reading => {
  if (value === undefined) return wrongForm
  const isInside = value >= (min ?? -Infinity) && value <= (max ?? Infinity)
  return isInside ? answer(value) : { kind: 'invalid', problem: 'out_of_range' }
}

const readFreeText = (text: string, { pattern }: Question): Reading => {
  const trimmed = startOf(text.trim(), SCALAR_MAX)
  if (pattern === undefined) return answer(trimmed)
  const fitting = [trimmed, normalizeDigits(trimmed)].find((one) => matchesPattern(pattern, one))
  return orWrongForm(fitting)
}

const readFiles = ({ text, attachments }: Reply, { escapePhrases }: ReplyContext): Reading => {
  const files = attachments.filter(({ type }) => type !== 'sticker').slice(0, FILES_MAX)
  if (files.length > 0) return answer(files.map(({ id }) => id))
  if (wantsPerson(text, escapePhrases)) return { kind: 'person' }
  return { kind: 'invalid', problem: 'wrong_form' }
}

const YES_SIGNS = /[👍👌✅✔]/u
const NO_SIGNS = /[👎❌✖🚫]/u
const YES_NO_WORDS_MAX = 6

/** "ja bitte", "No, thanks", 👍. A word that means yes in one language and no in another is read in the customer's. */
export const readYesNo = (text: string, language: string): boolean | undefined => {
  const folded = foldText(text)
  if (folded === '') return readSign(text)
  for (const words of [wordsOf(language), allWords]) {
    const isYes = words.yes.has(folded)
    if (isYes !== words.no.has(folded)) return isYes
    if (isYes) return undefined
  }
  const all = folded.split(' ')
  if (all.length > YES_NO_WORDS_MAX) return undefined
  const own = wordsOf(language)
  const hasYes = all.some((word) => own.yes.has(word))
  const hasNo = all.some((word) => own.no.has(word))
  return hasYes === hasNo ? undefined : hasYes
}

const readSign = (text: string): boolean | undefined => {
  const isYes = YES_SIGNS.test(text)
  return isYes === NO_SIGNS.test(text) ? undefined : isYes
}

type YesNo = { yes: ReadonlySet<string>; no: ReadonlySet<string> }

const toWords = (yes: readonly string[], no: readonly string[]): YesNo => ({
  yes: new Set(yes.map(foldText)),
  no: new Set(no.map(foldText)),
})
const allWords = toWords(wordsInAll('yes'), wordsInAll('no'))
const wordsOf = (language: string): YesNo => toWords(wordsIn('yes', language), wordsIn('no', language))

// One "@" between two parts without spaces, and a dot in the domain: as the API checks addresses.
const EMAIL = /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\.]+(?:\.[^\s@<>(),;:"[\]\\.]+)+$/u

/** The one address in a text, in lower case; undefined if there is none or more than one. */
export const readEmail = (text: string): string | undefined => {
  const found = new Set(
    text
      .normalize('NFKC')
      .split(/[\s<>(),;:"]/u)
      .map((word) => word.replace(/^['.]|[.!?']$/g, '').toLowerCase())
      .filter((word) => word.length <= EMAIL_MAX && EMAIL.test(word)),
  )
  return found.size === 1 ? [...found][0] : undefined
}

/** E.164. Without a country code, it counts as a number of the customer's country. */
export const readPhone = (text: string, country: string | null): string | undefined => {
  if (text.length > PHONE_MAX) return undefined
  // Unknown countries are passed through by the parser as none.
  const defaultCountry = country?.toUpperCase() as Parameters<typeof parsePhoneNumberFromString>[1]
  const phone = parsePhoneNumberFromString(normalizeDigits(text), defaultCountry)
  return phone?.isValid() ? phone.number : undefined
}

const OUT_OF = /^(\d{1,3}) ?(?:\/|out of|of|von|de|sur|su|van|z|из|із) ?(\d{1,3})$/

/** "4", "4/5", "4 out of 5", ★★★★. */
const readRating = (text: string, { min = RATING_MIN, max = RATING_MAX }: Question): Reading => {
  const plain = normalizeDigits(text).trim().toLowerCase()
  const stars = /^(?:[⭐★🌟]\s*)+$/u.test(text.trim()) ? [...text.matchAll(/[⭐★🌟]/gu)].length : undefined
  const [, given, outOf] = OUT_OF.exec(plain) ?? []
  const value = stars ?? (given && Number(outOf) === max ? Number(given) : readNumber(plain))
  if (value === undefined || !Number.isInteger(value)) return wrongForm
  return inRange(value, { answer: 'rating', min, max })
}
