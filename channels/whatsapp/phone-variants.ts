// Alternative spellings of a mobile number. In three countries, a number and its WhatsApp id may differ by a digit.
// Lookups try both; messages are always sent to the provider's form.

type Rule = {
  /** The calling code and the national number, in two groups. */
  form: RegExp
  rewrite: (code: string, national: string) => string
}

// Only subscriber numbers starting with 6 to 9 were mobile before the ninth digit was introduced. Inserting a 9 before
// 2 to 5 would turn a landline's number into someone else's, https://github.com/chatwoot/chatwoot/pull/14657
const RULES: readonly Rule[] = [
  {
    form: /^(55)([1-9]{2}[6-9]\d{7})$/,
    rewrite: (code, national) => `${code}${national.slice(0, 2)}9${national.slice(2)}`,
  },
  {
    form: /^(55)([1-9]{2}9[6-9]\d{7})$/,
    rewrite: (code, national) => `${code}${national.slice(0, 2)}${national.slice(3)}`,
  },
  { form: /^(54)([1-8]\d{9})$/, rewrite: (code, national) => `${code}9${national}` },
  { form: /^(54)9([1-8]\d{9})$/, rewrite: (code, national) => `${code}${national}` },
  { form: /^(52)([2-9]\d{9})$/, rewrite: (code, national) => `${code}1${national}` },
  { form: /^(52)1([2-9]\d{9})$/, rewrite: (code, national) => `${code}${national}` },
]

/**
 * The number itself, then the other spelling of the same mobile number if there is one: Brazil's ninth digit,
 * Argentina's 9, Mexico's 1. Takes E.164 or bare digits and returns the same format.
 */
export const phoneVariants = (phone: string): string[] => {
  const plus = phone.startsWith('+') ? '+' : ''
  const digits = phone.slice(plus.length)
  for (const { form, rewrite } of RULES) {
    const match = form.exec(digits)
    if (match) return [phone, `${plus}${rewrite(match[1]!, match[2]!)}`]
  }
  return [phone]
}
