// The spellings of one number, as people write and dial it. Stored numbers are E.164 or the provider's form of it;
// typed ones may be national, have an international prefix, or be a digit longer or shorter in Brazil, Argentina and
// Mexico.
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { phoneVariants } from '../../../channels/channel.ts'
import { countryOf, isCountry, toE164 } from './phone.ts'

const ABROAD = /^\s*(00|\+)/
/** Shorter parts of a national number are too ambiguous to reinterpret. */
const READ_AGAIN_MIN = 6
/** At most this many countries of the workspace's own numbers are tried for a national number. */
const COUNTRIES_MAX = 10

/**
 * Every number that a text may mean, in E.164 and in each spelling of it: international, or national in the countries
 * of the given numbers. Empty if it is no number.
 */
export const readPhones = (text: string, ownNumbers: readonly string[]): string[] => {
  const international = text.replace(/^\s*00/, '+')
  const phone = toE164(international)
  const found = new Set(phone ? phoneVariants(phone) : [])
  if (!ABROAD.test(text))
    for (const country of countriesOf(ownNumbers)) {
      const parsed = parsePhoneNumberFromString(text, { defaultCountry: country, extract: false })
      // An old spelling is invalid in today's numbering plan, so only its length is checked.
      if (parsed?.isPossible()) for (const one of phoneVariants(parsed.number)) found.add(one)
    }
  return [...found]
}

const countriesOf = (numbers: readonly string[]) =>
  [...new Set(numbers.map((number) => countryOf(number)))].filter(isCountry).slice(0, COUNTRIES_MAX)

/** Calling codes of the countries in which a mobile number has two spellings. */
const CODES_WITH_VARIANTS = ['55', '54', '52']

/**
 * The digits that a stored phone may contain when someone searches for a number or a part of one: as typed, without the
 * international or national prefix, and in the other spelling of a complete number.
 */
export const searchedDigits = (text: string): string[] => {
  const digits = text.replaceAll(/\D/g, '')
  const isAbroad = ABROAD.test(text)
  const bare = isAbroad ? digits.replace(/^00/, '') : digits.replace(/^0/, '')
  if (!isAbroad && bare.length < READ_AGAIN_MIN) return [digits]
  const codes = isAbroad ? [''] : ['', ...CODES_WITH_VARIANTS]
  const others = codes.flatMap((code) => phoneVariants(code + bare).slice(1))
  // "+49 (0)151 …", and Argentina's 15, which is a 9 from abroad.
  const parsed = parsePhoneNumberFromString(isAbroad ? text.replace(/^\s*00/, '+') : text, {
    ...(!isAbroad && { defaultCountry: 'AR' }),
    extract: false,
  })
  const meant = parsed && (isAbroad || parsed.isValid()) ? phoneVariants(parsed.number.slice(1)) : []
  return [...new Set([digits, bare, ...others, ...meant])]
}
