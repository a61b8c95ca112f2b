// Reactions to messages: at most one of a bot, and of a customer here.
// https://core.telegram.org/bots/api#setmessagereaction
import type { Entry } from '../entry.ts'
import type { Json } from '../http.ts'
import type { Person } from '../people.ts'
import { type Bot, chatOf, dateOf, userOf } from './bot.ts'

/** What bots may use, as the documentation lists it. */
const EMOJI = new Set(
  '👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡'.split(
    ' ',
  ),
)

/** Sets the bot's reaction, or takes it away with an empty list. `isBad` makes Telegram's own refusal. */
export const setReaction = (
  bot: Bot,
  person: Person,
  { message_id, reaction = [] }: Json,
  isBad: (what: string) => Error,
): true => {
  const entry = bot.entries(person).find(({ id }) => id === String(message_id))
  if (!entry) throw isBad('message to react not found')
  if (!Array.isArray(reaction)) throw isBad('expected an Array of ReactionType')
  if (reaction.length > 1) throw isBad('REACTIONS_TOO_MANY')
  const [{ type, emoji } = { type: 'emoji', emoji: undefined }] = reaction as Json[]
  if (reaction.length === 0) delete entry.reactions.business
  else if (type === 'emoji' && typeof emoji === 'string' && EMOJI.has(emoji)) entry.reactions.business = emoji
  else throw isBad('REACTION_INVALID')
  bot.publish(person, entry)
  return true
}

export const reactionUpdate = (bot: Bot, person: Person, entry: Entry, emoji: string): Json => ({
  chat: chatOf(person),
  message_id: Number(entry.id),
  user: userOf(person),
  date: dateOf(bot),
  old_reaction: [],
  new_reaction: emoji ? [{ type: 'emoji', emoji: emoji.replaceAll('\u{FE0F}', '') }] : [],
})
