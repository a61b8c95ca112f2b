// Taps on inline keyboards: until the bot has answered the query of a tap, its button has a spinner.
// https://core.telegram.org/bots/api#callbackquery
import type { Entry } from '../entry.ts'
import type { Json } from '../http.ts'
import type { Person } from '../people.ts'
import { type Bot, headOf, userOf } from './bot.ts'

/** Of older messages, a query has only the id. */
const ACCESSIBLE_MS = 48 * 3_600_000
/** A spinner stops by itself. */
const SPINNER_MAX_MS = 15_000

/** The update's query for a tap on the button that carries this data. */
export const openQuery = (bot: Bot, person: Person, entry: Entry, data: string): Json => {
  const id = String(BigInt(person.telegramId) * 10_000_000_000n + BigInt(++bot.messages))
  if (bot.connection.webhookUrl) {
    bot.queries.set(id, { person, entry })
    entry.content.tapped = data
    bot.publish(person, entry)
    bot.hub.clock.after(SPINNER_MAX_MS, () => answerQuery(bot, id))
  }
  const message = shownMessage(bot, person, entry)
  return { id, from: userOf(person), message, chat_instance: person.telegramId, data }
}

/** False if there is no such query, or no longer. */
export const answerQuery = (bot: Bot, id: string): boolean => {
  const query = bot.queries.get(id)
  if (!query) return false
  bot.queries.delete(id)
  const isWaiting = [...bot.queries.values()].some(({ entry }) => entry === query.entry)
  if (!isWaiting) delete query.entry.content.tapped
  bot.publish(query.person, query.entry)
  return true
}

const shownMessage = (bot: Bot, person: Person, { id, atMs, content }: Entry): Json => {
  const { clock } = bot.hub
  const head = headOf(bot, person, id, 'business')
  if (clock.now() - atMs > ACCESSIBLE_MS) return { chat: head.chat, message_id: head.message_id, date: 0 }
  const { text, caption, keyboard } = content
  return {
    ...head,
    date: Math.floor(clock.shown(atMs) / 1000),
    ...(text ? { text } : { caption }),
    reply_markup: { inline_keyboard: keyboard },
  }
}
