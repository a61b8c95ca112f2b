// A bot and its customers as Telegram's updates and responses show them.
import Type, { type Static } from 'typebox'
import type { Entry } from '../entry.ts'
import { shownNow } from '../hub.ts'
import type { Person } from '../people.ts'
import type { Provider } from '../provider.ts'
import { Address } from '../shapes.ts'

export const TelegramConnection = Type.Object({
  botToken: Type.String(),
  botName: Type.String(),
  /** Set by the bot itself with setWebhook, or from outside. */
  webhookUrl: Address,
  webhookSecret: Address,
  /** The updates that the bot asked for; null: the usual ones, without reactions. */
  allowedUpdates: Type.Union([Type.Array(Type.String()), Type.Null()]),
})

export type Bot = Provider<Static<typeof TelegramConnection>> & {
  updates: number
  /** Message ids increase within each chat; one counter for all chats satisfies that. */
  messages: number
  /** The taps that were not answered yet, by the query's id. Their buttons show a spinner. */
  queries: Map<string, { person: Person; entry: Entry }>
}

export const dateOf = ({ hub }: Bot): number => Math.floor(shownNow(hub) / 1000)
export const botUser = ({ connection }: Bot) => ({
  id: Number(connection.botToken.split(':', 1)[0]) || 110201543,
  is_bot: true,
  first_name: connection.botName,
  username: 'hollow_and_kiln_bot',
})
export const userOf = ({ telegramId, name, username }: Person) => {
  const [first, ...rest] = name.split(' ')
  return {
    id: Number(telegramId),
    is_bot: false,
    first_name: first,
    ...(rest.length > 0 && { last_name: rest.join(' ') }),
    ...(username && { username }),
    language_code: 'en',
  }
}
export const chatOf = (person: Person) => {
  const { is_bot: _, language_code: __, ...chat } = userOf(person)
  return { ...chat, type: 'private' }
}
export const headOf = (bot: Bot, person: Person, id: string, from: Entry['from']) => ({
  message_id: Number(id),
  from: from === 'business' ? botUser(bot) : userOf(person),
  chat: chatOf(person),
  date: dateOf(bot),
})
export const fileIds = ({ id, bytes }: { id: string; bytes: Buffer }) => ({
  file_id: id,
  file_unique_id: `u${id}`,
  file_size: bytes.length,
})
