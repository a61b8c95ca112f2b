// Whether a text carries an email address or a phone number of somebody else.
import { normalizeDigits } from '../../../flow-engine/fold-text.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { listOwnNumbers } from '../channel-accounts/queries.ts'
import type { Identity } from '../contacts/people-queries.ts'
import { readPhones } from '../contacts/phone-spellings.ts'
import { asIdentities } from './contact-keys.ts'
import { holdsAny } from './holder-queries.ts'

const AT = /\s{0,3}(?:@|\(at\)|\[at\])\s{0,3}/g
const DOT = /\s{0,3}(?:\(dot\)|\[dot\])\s{0,3}/g
const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/gu
const NUMBER = /\+?\d[\d ()./-]{4,60}\d/g
const DIGITS_MIN = 6
const DIGITS_MAX = 17
/** Of one row of numbers, between spaces: any of them in a row may be the phone number. */
const PARTS_MAX = 12
/** A reply with more is left to a person. */
const CANDIDATES_MAX = 500

const phonesIn = (text: string): string[] =>
  [...text.matchAll(NUMBER)].flatMap(([row]) => {
    const parts = row.split(' ').filter(Boolean).slice(0, PARTS_MAX)
    return parts.flatMap((_, from) =>
      parts.slice(from).map((_, more) => parts.slice(from, from + more + 1).join(' ')),
    )
  })

const isLikely = (text: string): boolean => {
  const { length } = text.replace(/\D/g, '')
  return length >= DIGITS_MIN && length <= DIGITS_MAX
}

/** True also for a text with more of them than can be looked up. */
export const namesOthers = async (
  ctx: Ctx,
  { contactId, text }: { contactId: string; text: string },
): Promise<boolean> => {
  const plain = normalizeDigits(text).toLowerCase().replace(AT, '@').replace(DOT, '.')
  const emails = [...plain.matchAll(EMAIL)].map(([value]): Identity => ({ kind: 'email', value }))
  const phones = [...new Set(phonesIn(plain).filter(isLikely))]
  if (emails.length + phones.length > CANDIDATES_MAX) return true
  if (emails.length + phones.length === 0) return false
  const own = phones.length > 0 ? await listOwnNumbers(ctx) : []
  const numbers = [...new Set(phones.flatMap((phone) => readPhones(phone, own)))]
  return holdsAny(ctx, { otherThan: contactId, identities: [...emails, ...numbers.flatMap(asIdentities)] })
}
