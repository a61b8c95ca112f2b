// Phone numbers: stored as E.164, shown with their country. Only the full metadata ("max") knows the countries of fixed
// lines.
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'

/** Longer input is no phone number; the parser itself would search through 250 characters. */
const PHONE_TEXT_MAX = 64
/** E.164 allows 15 digits; the shortest numbers in use have 5 with their calling code. */
const BARE_NUMBER_PATTERN = /^\+?([1-9]\d{4,14})$/
/** A business-scoped WhatsApp user id begins with the user's country: `US.13491208655302741918`. */
const USER_ID_COUNTRY_PATTERN = /^([A-Z]{2})\./

/**
 * The main country of a calling code that several share: a number valid in none of them (a test sender, a reserved
 * range) is listed under the largest rather than under none.
 */
const MAIN_COUNTRY: Record<string, CountryCode> = {
  1: 'US',
  7: 'RU',
  39: 'IT',
  44: 'GB',
  47: 'NO',
  61: 'AU',
  212: 'MA',
  262: 'RE',
  290: 'SH',
  358: 'FI',
  590: 'GP',
  599: 'CW',
}

const countries = new Set<string>(getCountries())

/** Whether the numbering plans include the country. */
export const isCountry = (text: string | null): text is CountryCode => text !== null && countries.has(text)

const onlyCountry = new Map<string, CountryCode>()
for (const country of getCountries()) onlyCountry.set(getCountryCallingCode(country), country)
for (const [code, country] of Object.entries(MAIN_COUNTRY)) onlyCountry.set(code, country)

const parse = (text: string) => {
  const trimmed = text.trim()
  if (trimmed.length > PHONE_TEXT_MAX) return undefined
  const international = /^[1-9]/.test(trimmed) ? `+${trimmed}` : trimmed
  return parsePhoneNumberFromString(international, { extract: false })
}

/**
 * The E.164 form of a number in international format, with or without its plus sign, however it is spaced. Null if it
 * is no number. A provider's bare digits are accepted even if no numbering plan includes them.
 */
export const toE164 = (text: string): string | null => {
  const parsed = parse(text)
  if (parsed) return parsed.number
  const bare = BARE_NUMBER_PATTERN.exec(text.trim())
  return bare ? `+${bare[1]}` : null
}

/**
 * The two-letter country of an E.164 number, else of a WhatsApp user id, else null. XK, AC and TA occur, which ISO 3166
 * reserves without assigning them.
 */
export const countryOf = (phone: string | null, whatsappUserId?: string): string | null => {
  const parsed = phone ? parse(phone) : undefined
  if (parsed) return parsed.country ?? onlyCountry.get(parsed.countryCallingCode) ?? null
  return (whatsappUserId && USER_ID_COUNTRY_PATTERN.exec(whatsappUserId)?.[1]) || null
}
