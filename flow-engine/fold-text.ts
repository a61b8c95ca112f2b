// Brings texts into the form in which they are compared: without case, accents and punctuation, with the digits of any
// script as 0 to 9.

/** Marks above and below Latin, Greek, Cyrillic, Hebrew and Arabic letters; the vowels of other scripts stay. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/gu
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]|\u20e3/gu
const NO_WORD = /[^\p{L}\p{N}\p{M}]+/gu

/** Letters that have no accent to take away. */
const PLAIN: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
  ي: 'ی',
  ى: 'ی',
  ك: 'ک',
  ة: 'ه',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ё: 'е',
}
const TO_PLAIN = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu')

/** Longer texts are not answers to a choice, and comparing them takes time. */
export const FOLDED_MAX = 4_000

/** Lower case, digits as 0 to 9, words separated by one space, nothing else. */
export const foldText = (text: string): string =>
  normalizeDigits(text.slice(0, FOLDED_MAX))
    .toLowerCase()
    .replace(TO_PLAIN, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(/['’ʼ]/gu, '')
    .replace(NO_WORD, ' ')
    // One character may have become eighteen.
    .slice(0, FOLDED_MAX)
    .trim()

const DINGBATS = /[❶-❿➀-➉➊-➓]/gu
const DIGIT = /\p{Nd}/u
const DIGITS = /\p{Nd}/gu

/** The digits of all scripts as 0 to 9, circled and full-width ones too; invisible characters removed. */
export const normalizeDigits = (text: string): string =>
  text
    .replace(/🔟/gu, '10')
    .replace(INVISIBLE, (character) => (character === '\n' || character === '\t' ? ' ' : ''))
    .replace(DINGBATS, (digit) => String(((digit.charCodeAt(0) - 0x2776) % 10) + 1))
    .normalize('NFKC')
    .replace(DIGITS, digitValue)

/** Unicode keeps the ten digits of each script together and in order, so a digit's value is its distance to the first. */
const digitValue = (digit: string): string => {
  const code = digit.codePointAt(0)!
  let start = code
  while (DIGIT.test(String.fromCodePoint(start - 1))) start--
  return String((code - start) % 10)
}

const NOTHING_VISIBLE = /^[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** True if there is nothing to see: empty, or only spaces and zero-width characters. */
export const isBlank = (text: string): boolean => NOTHING_VISIBLE.test(text)

/** Chinese, Japanese and Thai are written without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Whether a folded text has the folded words in a row, as whole words where the script separates them. */
export const hasWords = (folded: string, words: string): boolean =>
  words !== '' && ` ${folded} `.includes(wordPattern(words))

/** What to look for in a folded text between two spaces. */
export const wordPattern = (words: string): string => (UNSPACED.test(words) ? words : ` ${words} `)

export const wordCount = (folded: string): number => (folded === '' ? 0 : folded.split(' ').length)

/** The start of a text, at most `max` UTF-16 units and never half a character, which no database takes. */
export const startOf = (text: string, max: number): string => {
  const isHalf = text.length > max && /[\ud800-\udbff]/.test(text.charAt(max - 1))
  return text.slice(0, isHalf ? max - 1 : max)
}

/** The same for people: a cut is shown by "…". */
export const cutText = (text: string, max: number): string =>
  text.length <= max ? text : `${startOf(text, max - 1)}…`
