// Values of CSV files that we write: none may run as a formula.

/** What makes a spreadsheet treat text as a formula, including the wide forms of East Asian keyboards. */
const FORMULA_START = /^[\s\p{Cf}]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u
/**
 * Spreadsheets in many countries split cells at semicolons, tabs or bars, so a value may continue in further cells,
 * quoted or not, and each may start a formula.
 */
const FORMULA_AFTER_SEPARATOR = /([;\t\r\n|,])(?=["'\s\p{Cf}]{0,20}[=+\-@|%\uff1d\uff0b\uff0d\uff20])(?!')/gu
/** Digits after a plus sign are just a number, even if run as a formula. */
const PHONE = /^\+\d{5,15}$/

/**
 * One value: an apostrophe turns a formula into text, and values with a separator, a quote or a line break are quoted.
 */
export const csvCell = (text: string | null): string => {
  const value = text ?? ''
  const first = FORMULA_START.test(value) && !PHONE.test(value) ? `'${value}` : value
  const harmless = first.replaceAll(FORMULA_AFTER_SEPARATOR, "$1'")
  return /[",;|\t\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
