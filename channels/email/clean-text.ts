// Removes characters from email text that could break a database, a page or its display.
import { NAME_MAX, TEXT_MAX } from './mail.ts'

/** One line. */
export const cleanLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .toWellFormed()
    .trim()

export const cleanText = (text: string): string =>
  text
    .slice(0, TEXT_MAX * 2)
    .replace(/^\ufeff+/, '')
    .replaceAll('\0', '')
    .toWellFormed()

/** Direction marks and zero-width characters. */
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u00ad\ufff9-\ufffb]/g
export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '')

/** Invisible characters can make one name look like another. */
export const cleanName = (name: string): string =>
  withoutInvisible(cleanLine(name))
    .replace(/\s+/g, ' ')
    .replace(/^["'\s]+|(?<!["'\s])["'\s]+$/g, '')
    .slice(0, NAME_MAX)
    .toWellFormed()
