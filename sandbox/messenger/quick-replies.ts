// Quick replies below the latest message of a page.
// https://developers.facebook.com/docs/messenger-platform/reference/buttons/quick-replies
import type { Json } from '../http.ts'

export type QuickReply = { title: string; payload: string }

const REPLIES_MAX = 13
const TITLE_MAX = 20
const PAYLOAD_MAX = 1_000

/** Those of a message; null if it has none. `isInvalid` makes the refusal, in the Graph API's words. */
export const readQuickReplies = (
  given: unknown,
  isInvalid: (message: string) => Error,
): QuickReply[] | null => {
  if (given === undefined) return null
  if (!Array.isArray(given)) throw isInvalid('Param message[quick_replies] must be an array.')
  if (given.length === 0 || given.length > REPLIES_MAX)
    throw tooLong('message[quick_replies]', REPLIES_MAX, isInvalid)
  return given.map((reply: Json, at) => {
    const name = `message[quick_replies][${at}]`
    const { content_type: type, title, payload } = reply ?? {}
    if (type !== 'text')
      throw isInvalid(`Param ${name}[content_type] must be one of {TEXT, USER_PHONE_NUMBER, USER_EMAIL}`)
    for (const [key, value, max] of [
      ['title', title, TITLE_MAX],
      ['payload', payload, PAYLOAD_MAX],
    ] as const) {
      if (typeof value !== 'string' || value === '')
        throw isInvalid(`Param ${name}[${key}] must be a non-empty UTF-8 encoded string`)
      if ([...value].length > max) throw tooLong(`${name}[${key}]`, max, isInvalid)
    }
    return { title: String(title), payload: String(payload) }
  })
}

const tooLong = (name: string, max: number, isInvalid: (message: string) => Error): Error =>
  isInvalid(`Length of param ${name} must be less than or equal to ${max}`)
