// Telegram's Bot API for one bot, and the customers in private chats with it.
import Type, { type Static } from 'typebox'
import type { Entry } from '../entry.ts'
import { type App, type Json, parametersOf, Refusal } from '../http.ts'
import {
  acceptSend,
  addEntry,
  type ChatInput,
  type Hub,
  keepUpload,
  readInput,
  shownNow,
  tellEntry,
} from '../hub.ts'
import { makeOutbox } from '../outbox.ts'
import type { Person } from '../people.ts'
import { Address } from '../shapes.ts'

export const TelegramConnection = Type.Object({
  botToken: Type.String(),
  botName: Type.String(),
  /** Set by the bot itself with setWebhook, or from outside. */
  webhookUrl: Address,
  webhookSecret: Address,
})

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
    told: { app: 'telegram', code },
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

export type Telegram = ReturnType<typeof makeTelegram>

export const makeTelegram = (hub: Hub) => {
  const outbox = makeOutbox('telegram', hub)
  const connection: Static<typeof TelegramConnection> = {
    botToken: '110201543:sandbox',
    botName: 'Hollow & Kiln',
    webhookUrl: null,
    webhookSecret: null,
  }
  let updates = Math.floor(Date.now() / 1000)
  /** Message ids increase within each chat; one counter for all chats satisfies that. */
  let messages = updates

  const dateOf = (): number => Math.floor(shownNow(hub) / 1000)
  const bot = () => ({
    id: Number(connection.botToken.split(':', 1)[0]) || 110201543,
    is_bot: true,
    first_name: connection.botName,
    username: 'hollow_and_kiln_bot',
  })
  const userOf = ({ telegramId, name, username }: Person) => {
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
  const chatOf = (person: Person) => {
    const { is_bot: _, language_code: __, ...chat } = userOf(person)
    return { ...chat, type: 'private' }
  }

  const tellUpdate = (update: Json): void => {
    const { webhookUrl, webhookSecret } = connection
    outbox.tell(webhookUrl, Buffer.from(JSON.stringify({ update_id: ++updates, ...update })), {
      'content-type': 'application/json',
      ...(webhookSecret && { 'x-telegram-bot-api-secret-token': webhookSecret }),
    })
  }

  const messageOf = (
    person: Person,
    id: string,
    input: ChatInput,
  ): Pick<Entry, 'type' | 'content'> & { message: Json } => {
    const { type, content, file } = readInput(hub, input)
    const message: Json = {
      message_id: Number(id),
      from: userOf(person),
      chat: chatOf(person),
      date: dateOf(),
      ...(input.replyTo && { reply_to_message: quoted(person, input.replyTo) }),
    }
    if (!file)
      return {
        type,
        content,
        message: { ...message, ...(type === 'text' ? content : { location: content }) },
      }
    const { id: fileId, bytes, fileName, mimeType } = file
    const described = { file_id: fileId, file_unique_id: `u${fileId}`, file_size: bytes.length }
    const sent =
      type === 'image'
        ? { photo: [{ ...described, width: 640, height: 420 }] }
        : { document: { ...described, file_name: fileName, mime_type: mimeType } }
    return { type, content, message: { ...message, ...(input.text && { caption: input.text }), ...sent } }
  }
  const quoted = (person: Person, id: string) => {
    const entry = person.chats.telegram.entries.find((one) => one.id === id)
    const isOurs = entry?.from === 'business'
    return {
      message_id: Number(id),
      from: isOurs ? bot() : userOf(person),
      chat: chatOf(person),
      date: dateOf(),
      text: String(entry?.content.text ?? ''),
    }
  }

  const personOf = (chatId: unknown): Person => {
    const person = hub.people.byTelegram(String(chatId))
    // A bot may only write to people who have written to it.
    if (!person || person.chats.telegram.entries.length === 0) throw isBad('chat not found')
    if (person.blocked.has('telegram')) throw REFUSALS[403]!()
    return person
  }

  const contentOf = async (method: string, parameters: Json): Promise<Pick<Entry, 'type' | 'content'>> => {
    if (method === 'sendMessage') {
      const text = typeof parameters.text === 'string' ? parameters.text : ''
      if (!text.trim()) throw REFUSALS[400]!()
      if (text.length > TEXT_MAX) throw isBad('message is too long')
      return { type: 'text', content: { text } }
    }
    if (method === 'sendLocation')
      return {
        type: 'location',
        content: { latitude: Number(parameters.latitude), longitude: Number(parameters.longitude) },
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

  const send = async (method: string, parameters: Json): Promise<unknown> => {
    const shown = await contentOf(method, parameters)
    const person = personOf(parameters.chat_id)
    const refuse = (code = 403) => (REFUSALS[code] ?? REFUSALS[403]!)()
    return acceptSend(hub, { app: 'telegram', person, refuse }, () => {
      const quotes = (parameters.reply_parameters as { message_id?: number } | undefined)?.message_id
      const id = String(++messages)
      const replyTo = quotes === undefined ? null : String(quotes)
      addEntry(hub, person, 'telegram', { id, ...shown, from: 'business', status: 'sent', replyTo })
      const { text, caption } = shown.content
      const sent = { message_id: Number(id), from: bot(), chat: chatOf(person), date: dateOf() }
      return { ...sent, ...(text ? { text } : caption ? { caption } : {}) }
    })
  }

  const setWebhook = ({ url, secret_token }: Json): true => {
    if (typeof url !== 'string') throw isBad('bad webhook: no address')
    if (url && !URL.canParse(url)) throw isBad('bad webhook: invalid URL')
    if (secret_token !== undefined && !/^[\w-]{1,256}$/.test(String(secret_token)))
      throw isBad('secret token contains unallowed characters')
    connection.webhookUrl = url || null
    connection.webhookSecret = secret_token === undefined ? null : String(secret_token)
    return true
  }

  const call = async (method: string, parameters: Json): Promise<unknown> => {
    switch (method) {
      case 'getMe':
        return { ...bot(), can_join_groups: false, can_read_all_group_messages: false }
      case 'setWebhook':
        return setWebhook(parameters)
      case 'deleteWebhook':
        connection.webhookUrl = null
        return true
      case 'getWebhookInfo':
        return {
          url: connection.webhookUrl ?? '',
          has_custom_certificate: false,
          pending_update_count: outbox.waiting(),
        }
      case 'sendChatAction':
        hub.feed.tell('typing', () => ({ personId: personOf(parameters.chat_id).id, app: 'telegram' }))
        return true
      case 'getChat':
        return chatOf(personOf(parameters.chat_id))
      case 'getUserProfilePhotos':
        return { total_count: 0, photos: [] }
      case 'getFile': {
        const file = hub.media.find(String(parameters.file_id), hub.clock.now())
        if (!file) throw isBad('invalid file_id')
        if (file.bytes.length > FILE_MAX_BYTES) throw isBad('file is too big')
        return {
          file_id: file.id,
          file_unique_id: `u${file.id}`,
          file_size: file.bytes.length,
          file_path: `files/${file.id}`,
        }
      }
      case 'editMessageText': {
        const person = personOf(parameters.chat_id)
        const entry = person.chats.telegram.entries.find(
          ({ id, from }) => id === String(parameters.message_id) && from === 'business',
        )
        if (!entry) throw isBad('message to edit not found')
        entry.content.text = parameters.text
        tellEntry(hub, person, 'telegram', entry)
        return { message_id: Number(entry.id), chat: chatOf(person), date: dateOf(), text: parameters.text }
      }
      default:
        if (method === 'sendMessage' || method === 'sendLocation' || MEDIA[method])
          return send(method, parameters)
        throw REFUSALS[404]!()
    }
  }

  return {
    connection,
    register: (app: App): void => {
      const checkToken = (token: string): void => {
        if (token !== connection.botToken) throw REFUSALS[401]!()
      }
      app.all<{ Params: { token: string; method: string } }>('/bot:token/:method', async (request) => {
        checkToken(request.params.token)
        return { ok: true, result: await call(request.params.method, await parametersOf(request)) }
      })
      app.get<{ Params: { token: string; id: string } }>('/file/bot:token/files/:id', (request, reply) => {
        checkToken(request.params.token)
        const found = hub.media.find(request.params.id, hub.clock.now())
        if (!found) throw REFUSALS[404]!()
        return reply.type('application/octet-stream').send(found.bytes)
      })
    },
    write: (person: Person, input: ChatInput): Entry => {
      const id = String(++messages)
      const { message, ...shown } = messageOf(person, id, input)
      tellUpdate({ message })
      return addEntry(hub, person, 'telegram', {
        id,
        from: 'customer',
        ...shown,
        replyTo: input.replyTo ?? null,
      })
    },
    /** Edits one of the customer's earlier messages. */
    edit: (person: Person, entry: Entry, text: string): void => {
      entry.content.text = text
      const { message } = messageOf(person, entry.id, { type: 'text', text })
      tellUpdate({ edited_message: { ...message, edit_date: dateOf() } })
      tellEntry(hub, person, 'telegram', entry)
    },
    stop: outbox.stop,
  }
}
