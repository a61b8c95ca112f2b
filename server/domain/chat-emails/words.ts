// The texts of these emails, and of the page that stops them; words/ has them as data.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHAT_LANGUAGES } from '../chat-boxes/schema.ts'

const NAMES = [
  'subject',
  'intro',
  'files',
  'open',
  'reply',
  'why',
  'stopTitle',
  'stopText',
  'stopButton',
  'stopped',
  'wrongLink',
] as const
type Name = (typeof NAMES)[number]
export type MailWords = Record<Name, string>

const loaded = new Map<string, MailWords>()

/** English stands in for a language that there is none of. */
export const mailWords = (language: string): MailWords => {
  const known = CHAT_LANGUAGES.find((one) => one === language) ?? 'en'
  const words =
    loaded.get(known) ??
    // The files are ours; a test compares each with the English one.
    (JSON.parse(readFileSync(join(import.meta.dirname, `words/${known}.json`), 'utf8')) as MailWords)
  loaded.set(known, words)
  return words
}

export const fillWords = (text: string, values: Record<string, string>): string =>
  text.replace(/\{(\w{1,20})\}/g, (place, name: string) => values[name] ?? place)
