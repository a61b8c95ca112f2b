// Inline keyboards below a bot's messages, and taps on them.
// https://core.telegram.org/bots/api#inlinekeyboardmarkup
import type { Json } from '../http.ts'

export type KeyboardButton = { text: string; callback_data?: string; url?: string }
export type Keyboard = KeyboardButton[][]

const DATA_MAX_BYTES = 64
const BUTTONS_MAX = 100

/**
 * The rows of a message's `reply_markup`, which is JSON in a form; null if there is none. `isBad` makes Telegram's own
 * refusal.
 */
export const readKeyboard = (markup: unknown, isBad: (what: string) => Error): Keyboard | null => {
  if (markup === undefined || markup === '') return null
  const given = typeof markup === 'string' ? parse(markup) : markup
  if (given === undefined) throw isBad("can't parse reply keyboard markup JSON object")
  if (typeof given !== 'object' || given === null) throw isBad('object expected as reply markup')
  const { inline_keyboard: rows } = given as Json
  if (rows === undefined) return null
  if (!Array.isArray(rows)) throw isBad('field "inline_keyboard" must be of type Array')
  if (!rows.every(Array.isArray)) throw isBad('field "inline_keyboard" must be an Array of Arrays')
  const keyboard = rows.map((row: unknown[]) => row.map((button) => readButton(button, isBad)))
  if (keyboard.flat().length > BUTTONS_MAX) throw isBad('reply markup is too long')
  return keyboard
}

const readButton = (given: unknown, isBad: (what: string) => Error): KeyboardButton => {
  const problem = (what: string) => isBad(`can't parse inline keyboard button: ${what}`)
  if (typeof given !== 'object' || given === null) throw problem('InlineKeyboardButton must be an Object')
  const { text, callback_data: data, url } = given as Json
  if (typeof text !== 'string') throw problem('Can\'t find field "text"')
  if (text.trim() === '') throw isBad('BUTTON_INVALID')
  if (typeof url === 'string') return { text, url }
  if (data === undefined) throw problem('Text buttons are unallowed in the inline keyboard')
  if (typeof data !== 'string') throw problem('Field "callback_data" must be of type String')
  const bytes = Buffer.byteLength(data)
  if (bytes < 1 || bytes > DATA_MAX_BYTES) throw isBad('BUTTON_DATA_INVALID')
  return { text, callback_data: data }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
