// Telegram's Bot API for one bot, and the customers in private chats with it.
import type { Entry } from '../entry.ts'
import { type App, ControlError, type Json, objectOf, parametersOf, Refusal } from '../http.ts'
import { type ChatInput, type Hub, keepUpload, readInput, type Tap } from '../hub.ts'
import type { Person } from '../people.ts'
import { makeProvider } from '../provider.ts'
import { type Bot, botUser, chatOf, dateOf, fileIds, headOf } from './bot.ts'
import { type Keyboard, readKeyboard } from './keyboard.ts'
import { answerQuery, openQuery } from './queries.ts'
import { reactionUpdate, setReaction } from './reactions.ts'

const TEXT_MAX = 4096
const CAPTION_MAX = 1024
const FILE_MAX_BYTES = 20 * 1024 * 1024
const MEDIA: Record<string, { field: string; type: string }> = {
  sendPhoto: { field: 'photo', type: 'image' },
  sendDocument: { field: 'document', type: 'document' },
  sendVideo: { field: 'video', type: 'video' },
  sendAnimation: { field: 'animation', type: 'video' },
  sendAudio: { field: 'audio', type: 'audio' },
  sendVoice: { field: 'voice', type: 'audio' },
  sendSticker: { field: 'sticker', type: 'sticker' },
}

const refusalOf = (code: number, description: string, parameters?: Json): Refusal =>
  new Refusal(description, {
    http: code,
    body: { ok: false, error_code: code, description, ...(parameters && { parameters }) },
    activity: { app: 'telegram', code },
  })
const isBad = (what: string): Refusal => refusalOf(400, `Bad Request: ${what}`)

const REFUSALS: Record<number, () => Refusal> = {
  400: () => isBad('message text is empty'),
  401: () => refusalOf(401, 'Unauthorized'),
  403: () => refusalOf(403, 'Forbidden: bot was blocked by the user'),
  404: () => refusalOf(404, 'Not Found'),
  429: () => refusalOf(429, 'Too Many Requests: retry after 3', { retry_after: 3 }),
  500: () => refusalOf(500, 'Internal Server Error'),
}
const refuse = (code = 403): Refusal => (REFUSALS[code] ?? REFUSALS[403]!)()

export type Telegram = ReturnType<typeof makeTelegram>

export const makeTelegram = (hub: Hub) => {
  const startedAt = Math.floor(Date.now() / 1000)
  const connection = {
    botToken: '110201543:sandbox',
    botName: 'Hollow & Kiln',
    webhookUrl: null,
    webhookSecret: null,
    allowedUpdates: null,
  }
  const bot: Bot = {
    ...makeProvider<Bot['connection']>(hub, { app: 'telegram', connection, refuse }),
    updates: startedAt,
    messages: startedAt,
    queries: new Map(),
  }
  return {
    connection: bot.connection,
    stop: bot.outbox.stop,
    register: (app: App): void => registerBot(app, bot),
    write: (person: Person, input: ChatInput): Entry => {
      const id = String(++bot.messages)
      const { message, ...shown } = customerMessage(bot, person, id, input)
      sendUpdate(bot, { message })
      return bot.add(person, { id, from: 'customer', ...shown, replyTo: input.replyTo ?? null })
    },
    /** The chat shows nothing of a tap, but the button has a spinner until the bot has answered the query. */
    tap: (person: Person, { entry, choice }: Tap): null => {
      const keyboard = (entry.content.keyboard ?? []) as Keyboard
      const data = keyboard
        .flat()
        .find(({ text, callback_data: data }) => data && (data === choice || text === choice))?.callback_data
      if (data === undefined) throw new ControlError(`The message has no button "${choice}".`)
      sendUpdate(bot, { callback_query: openQuery(bot, person, entry, data) })
      return null
    },
    /** The customer's reaction to a message, which only bots learn that have asked for it. */
    react: (person: Person, entry: Entry, emoji: string): void => {
      bot.publish(person, entry)
      if (!bot.connection.allowedUpdates?.includes('message_reaction')) return
      sendUpdate(bot, { message_reaction: reactionUpdate(bot, person, entry, emoji) })
    },
    /** Edits one of the customer's earlier messages. */
    edit: (person: Person, entry: Entry, text: string): void => {
      entry.content.text = text
      const { message } = customerMessage(bot, person, entry.id, { type: 'text', text })
      sendUpdate(bot, { edited_message: { ...message, edit_date: dateOf(bot) } })
      bot.publish(person, entry)
    },
  }
}

/** The response to an update may be a call of a method, whose result the bot doesn't get. */
const sendUpdate = (bot: Bot, update: Json): void => {
  const { webhookUrl, webhookSecret } = bot.connection
  bot.outbox.send(
    webhookUrl,
    Buffer.from(JSON.stringify({ update_id: ++bot.updates, ...update })),
    {
      'content-type': 'application/json',
      ...(webhookSecret && { 'x-telegram-bot-api-secret-token': webhookSecret }),
    },
    (_, answer) => {
      const { method, ...parameters } = objectOf(parse(answer))
      if (typeof method === 'string') call(bot, method, parameters).catch(() => {})
    },
  )
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const registerBot = (app: App, bot: Bot): void => {
  const checkToken = (token: string): void => {
    if (token !== bot.connection.botToken) throw refuse(401)
  }
  app.all<{ Params: { token: string; method: string } }>('/bot:token/:method', async (request) => {
    checkToken(request.params.token)
    return { ok: true, result: await call(bot, request.params.method, await parametersOf(request)) }
  })
  app.get<{ Params: { token: string; id: string } }>('/file/bot:token/files/:id', (request, reply) => {
    checkToken(request.params.token)
    const found = bot.hub.media.find(request.params.id, bot.hub.clock.now())
    if (!found) throw refuse(404)
    return reply.type('application/octet-stream').send(found.bytes)
  })
}

const call = async (bot: Bot, method: string, parameters: Json): Promise<unknown> => {
  switch (method) {
    case 'getMe':
      return { ...botUser(bot), can_join_groups: false, can_read_all_group_messages: false }
    case 'setWebhook':
      return setWebhook(bot, parameters)
    case 'deleteWebhook':
      bot.connection.webhookUrl = null
      return true
    case 'getWebhookInfo':
      return {
        url: bot.connection.webhookUrl ?? '',
        has_custom_certificate: false,
        pending_update_count: bot.outbox.waiting(),
        ...(bot.connection.allowedUpdates && { allowed_updates: bot.connection.allowedUpdates }),
      }
    case 'setMessageReaction': {
      const person = personOf(bot, parameters)
      return bot.accept(person, () => setReaction(bot, person, parameters, isBad))
    }
    case 'sendChatAction':
      bot.showTyping(personOf(bot, parameters))
      return true
    case 'getChat':
      return chatOf(personOf(bot, parameters))
    case 'getUserProfilePhotos':
      return { total_count: 0, photos: [] }
    case 'getFile':
      return fileOf(bot, parameters)
    case 'editMessageText':
      return editText(bot, parameters)
    case 'answerCallbackQuery':
      if (answerQuery(bot, String(parameters.callback_query_id))) return true
      throw isBad('query is too old and response timeout expired or query ID is invalid')
    default:
      if (method === 'sendMessage' || method === 'sendLocation' || MEDIA[method])
        return send(bot, method, parameters)
      throw refuse(404)
  }
}

const setWebhook = ({ connection }: Bot, { url, secret_token, allowed_updates: allowed }: Json): true => {
  if (typeof url !== 'string') throw isBad('bad webhook: no address')
  if (url && !URL.canParse(url)) throw isBad('bad webhook: invalid URL')
  if (secret_token !== undefined && !/^[\w-]{1,256}$/.test(String(secret_token)))
    throw isBad('secret token contains unallowed characters')
  connection.webhookUrl = url || null
  connection.webhookSecret = secret_token === undefined ? null : String(secret_token)
  // Left out, it stays as it was; empty, the usual ones.
  if (Array.isArray(allowed)) connection.allowedUpdates = allowed.length > 0 ? allowed.map(String) : null
  return true
}

const fileOf = ({ hub }: Bot, { file_id }: Json): Json => {
  const file = hub.media.find(String(file_id), hub.clock.now())
  if (!file) throw isBad('invalid file_id')
  if (file.bytes.length > FILE_MAX_BYTES) throw isBad('file is too big')
  return { ...fileIds(file), file_path: `files/${file.id}` }
}

const editText = (bot: Bot, parameters: Json): Json => {
  const person = personOf(bot, parameters)
  const entry = bot
    .entries(person)
    .find(({ id, from }) => id === String(parameters.message_id) && from === 'business')
  if (!entry) throw isBad('message to edit not found')
  entry.content.text = parameters.text
  bot.publish(person, entry)
  const { from: _, ...head } = headOf(bot, person, entry.id, 'business')
  return { ...head, text: parameters.text }
}

const send = async (bot: Bot, method: string, parameters: Json): Promise<Json> => {
  const keyboard = readKeyboard(parameters.reply_markup, isBad)
  const shown = await contentOf(bot, method, parameters)
  if (keyboard) shown.content.keyboard = keyboard
  const person = personOf(bot, parameters)
  return bot.accept(person, () => {
    const quotes = (parameters.reply_parameters as { message_id?: number } | undefined)?.message_id
    const id = String(++bot.messages)
    const replyTo = quotes === undefined ? null : String(quotes)
    bot.add(person, { id, ...shown, from: 'business', status: 'sent', replyTo })
    const { text, caption, keyboard } = shown.content
    return {
      ...headOf(bot, person, id, 'business'),
      ...(text ? { text } : caption ? { caption } : {}),
      ...(keyboard ? { reply_markup: { inline_keyboard: keyboard } } : {}),
    }
  })
}

const personOf = (bot: Bot, { chat_id }: Json): Person => {
  const person = bot.hub.people.byTelegram(String(chat_id))
  // A bot may only write to people who have written to it.
  if (!person || bot.entries(person).length === 0) throw isBad('chat not found')
  if (bot.isBlocked(person)) throw refuse(403)
  return person
}

const contentOf = async (
  { hub }: Bot,
  method: string,
  parameters: Json,
): Promise<Pick<Entry, 'type' | 'content'>> => {
  if (method === 'sendMessage') {
    const text = typeof parameters.text === 'string' ? parameters.text : ''
    if (!text.trim()) throw refuse(400)
    if (text.length > TEXT_MAX) throw isBad('message is too long')
    return { type: 'text', content: { text } }
  }
  if (method === 'sendLocation') {
    const { latitude, longitude } = parameters
    return { type: 'location', content: { latitude: Number(latitude), longitude: Number(longitude) } }
  }
  const { field, type } = MEDIA[method]!
  const given = parameters[field]
  const caption = typeof parameters.caption === 'string' ? parameters.caption : undefined
  if (caption && caption.length > CAPTION_MAX) throw isBad('message caption is too long')
  if (given instanceof File) return { type, content: { ...(await keepUpload(hub, given)), caption } }
  if (typeof given !== 'string' || !given) throw isBad(`there is no ${field} in the request`)
  if (/^https?:\/\//.test(given)) return { type, content: { link: given, caption } }
  if (!hub.media.find(given, hub.clock.now())) throw isBad('wrong remote file identifier specified')
  return { type, content: { mediaId: given, caption } }
}

const customerMessage = (
  bot: Bot,
  person: Person,
  id: string,
  input: ChatInput,
): Pick<Entry, 'type' | 'content'> & { message: Json } => {
  const { type, content, file } = readInput(bot.hub, input)
  const message: Json = {
    ...headOf(bot, person, id, 'customer'),
    ...(input.replyTo && { reply_to_message: quotedMessage(bot, person, input.replyTo) }),
  }
  if (!file)
    return { type, content, message: { ...message, ...(type === 'text' ? content : { location: content }) } }
  const sent =
    type === 'image'
      ? { photo: [{ ...fileIds(file), width: 640, height: 420 }] }
      : { document: { ...fileIds(file), file_name: file.fileName, mime_type: file.mimeType } }
  return { type, content, message: { ...message, ...(input.text && { caption: input.text }), ...sent } }
}

const quotedMessage = (bot: Bot, person: Person, id: string): Json => {
  const entry = bot.entries(person).find((one) => one.id === id)
  return { ...headOf(bot, person, id, entry?.from ?? 'customer'), text: String(entry?.content.text ?? '') }
}
