// Telegram's Bot API for one bot, and the customers in their private chats with it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Entry } from '../entry.ts'
import { answerJson } from '../http.ts'
import {
  addEntry,
  type ChatInput,
  type Hub,
  keepUpload,
  readParameters,
  takeFile,
  tellEntry,
  Unanswered,
} from '../hub.ts'
import { makeOutbox } from '../outbox.ts'
import type { Person } from '../people.ts'

export type TelegramConnection = {
  botToken: string
  botName: string
  /** Set by the bot itself with setWebhook, or from outside. */
  webhookUrl: string | null
  webhookSecret: string | null
}

type Parameters = Record<string, unknown>

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

class BotError extends Error {
  readonly code: number
  readonly parameters: Parameters | undefined

  constructor(code: number, description: string, parameters?: Parameters) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}

const REFUSALS: Record<number, () => BotError> = {
  400: () => new BotError(400, 'Bad Request: message text is empty'),
  401: () => new BotError(401, 'Unauthorized'),
  403: () => new BotError(403, 'Forbidden: bot was blocked by the user'),
  429: () => new BotError(429, 'Too Many Requests: retry after 3', { retry_after: 3 }),
  500: () => new BotError(500, 'Internal Server Error'),
}

export type Telegram = ReturnType<typeof makeTelegram>

export const makeTelegram = (hub: Hub) => {
  const outbox = makeOutbox('telegram', hub)
  const connection: TelegramConnection = {
    botToken: '110201543:sandbox',
    botName: 'Hollow & Kiln',
    webhookUrl: null,
    webhookSecret: null,
  }
  let updates = Math.floor(Date.now() / 1000)
  /** Message ids count up in each chat; one count for all does the same. */
  let messages = updates

  const dateOf = (): number => Math.floor(hub.clock.shown(hub.clock.now()) / 1000)
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

  const tellUpdate = (update: Parameters): void => {
    const { webhookUrl, webhookSecret } = connection
    if (!webhookUrl) return
    outbox.tell({
      url: hub.reach(webhookUrl),
      headers: {
        'content-type': 'application/json',
        ...(webhookSecret && { 'x-telegram-bot-api-secret-token': webhookSecret }),
      },
      body: Buffer.from(JSON.stringify({ update_id: ++updates, ...update })),
    })
  }

  const messageOf = (
    person: Person,
    id: string,
    input: ChatInput,
  ): { message: Parameters; content: Parameters } => {
    const message: Parameters = {
      message_id: Number(id),
      from: userOf(person),
      chat: chatOf(person),
      date: dateOf(),
      ...(input.replyTo && { reply_to_message: quoted(person, input.replyTo) }),
    }
    if (input.type === 'text')
      return { message: { ...message, text: input.text }, content: { text: input.text } }
    if (input.type === 'location') {
      const { latitude = 52.52191, longitude = 13.413215 } = input
      return { message: { ...message, location: { latitude, longitude } }, content: { latitude, longitude } }
    }
    const file = takeFile(hub, input)
    const described = { file_id: file.id, file_unique_id: `u${file.id}`, file_size: file.bytes.length }
    const { mimeType, fileName } = file
    return {
      message: {
        ...message,
        ...(input.text && { caption: input.text }),
        ...(input.type === 'image'
          ? { photo: [{ ...described, width: 640, height: 420 }] }
          : { document: { ...described, file_name: fileName, mime_type: mimeType } }),
      },
      content: { mediaId: file.id, mimeType, fileName, caption: input.text },
    }
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
    // A bot may write to those only who wrote to it.
    if (!person || person.chats.telegram.entries.length === 0)
      throw new BotError(400, 'Bad Request: chat not found')
    if (person.blocked.has('telegram')) throw REFUSALS[403]!()
    return person
  }

  const contentOf = async (
    method: string,
    parameters: Parameters,
  ): Promise<{ type: string; content: Parameters }> => {
    if (method === 'sendMessage') {
      const text = typeof parameters.text === 'string' ? parameters.text : ''
      if (!text.trim()) throw REFUSALS[400]!()
      if (text.length > TEXT_MAX) throw new BotError(400, 'Bad Request: message is too long')
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
    if (caption && caption.length > CAPTION_MAX)
      throw new BotError(400, 'Bad Request: message caption is too long')
    if (given instanceof File) return { type, content: { ...(await keepUpload(hub, given)), caption } }
    if (typeof given !== 'string' || !given)
      throw new BotError(400, `Bad Request: there is no ${field} in the request`)
    if (/^https?:\/\//.test(given)) return { type, content: { link: given, caption } }
    if (!hub.media.find(given, hub.clock.now()))
      throw new BotError(400, 'Bad Request: wrong remote file identifier specified')
    return { type, content: { mediaId: given, caption } }
  }

  const send = async (method: string, parameters: Parameters): Promise<unknown> => {
    const { type, content } = await contentOf(method, parameters)
    const person = personOf(parameters.chat_id)
    const failure = hub.failures.take('telegram', person.id)
    if (failure && (failure.kind === 'refuse' || failure.kind === 'fail'))
      throw (REFUSALS[failure.code ?? 403] ?? REFUSALS[403]!)()
    if (failure && !failure.isAccepted) throw new Unanswered(failure.kind)
    const replyTo = (parameters.reply_parameters as { message_id?: number } | undefined)?.message_id
    const id = String(++messages)
    addEntry(hub, person, 'telegram', {
      id,
      type,
      content,
      from: 'business',
      status: 'sent',
      replyTo: replyTo === undefined ? null : String(replyTo),
    })
    if (failure) throw new Unanswered(failure.kind)
    return {
      message_id: Number(id),
      from: bot(),
      chat: chatOf(person),
      date: dateOf(),
      ...(type === 'text' ? { text: content.text } : content.caption ? { caption: content.caption } : {}),
    }
  }

  const setWebhook = ({ url, secret_token }: Parameters): true => {
    if (typeof url !== 'string') throw new BotError(400, 'Bad Request: bad webhook: no address')
    if (url && !URL.canParse(url)) throw new BotError(400, 'Bad Request: bad webhook: invalid URL')
    if (secret_token !== undefined && !/^[\w-]{1,256}$/.test(String(secret_token)))
      throw new BotError(400, 'Bad Request: secret token contains unallowed characters')
    connection.webhookUrl = url || null
    connection.webhookSecret = secret_token === undefined ? null : String(secret_token)
    return true
  }

  const call = async (method: string, parameters: Parameters): Promise<unknown> => {
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
        if (!file) throw new BotError(400, 'Bad Request: invalid file_id')
        if (file.bytes.length > FILE_MAX_BYTES) throw new BotError(400, 'Bad Request: file is too big')
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
        if (!entry) throw new BotError(400, 'Bad Request: message to edit not found')
        entry.content.text = parameters.text
        tellEntry(hub, person, 'telegram', entry)
        return { message_id: Number(entry.id), chat: chatOf(person), date: dateOf(), text: parameters.text }
      }
      default:
        if (method === 'sendMessage' || method === 'sendLocation' || MEDIA[method])
          return send(method, parameters)
        throw new BotError(404, 'Not Found')
    }
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = '', search] = request.url!.split('?', 2)
    try {
      const file = /^\/file\/bot([^/]+)\/files\/(\d+)$/.exec(path)
      const asked = file ?? /^\/bot([^/]+)\/(\w+)$/.exec(path)
      if (!asked) throw new BotError(404, 'Not Found')
      if (decodeURIComponent(asked[1]!) !== connection.botToken) throw REFUSALS[401]!()
      if (file) {
        const found = hub.media.find(file[2]!, hub.clock.now())
        if (!found) throw new BotError(404, 'Not Found')
        response.writeHead(200, {
          'content-type': 'application/octet-stream',
          'content-length': found.bytes.length,
        })
        response.end(found.bytes)
        return
      }
      const query = Object.fromEntries(new URLSearchParams(search))
      const parameters = { ...query, ...(await readParameters(request)) }
      answerJson(response, 200, { ok: true, result: await call(asked[2]!, parameters) })
    } catch (error) {
      if (error instanceof Unanswered) {
        if (error.message === 'drop') request.socket.destroy()
        return
      }
      if (!(error instanceof BotError)) throw error
      hub.feed.tell('refused', () => ({ app: 'telegram', code: error.code, message: error.message }))
      answerJson(response, error.code, {
        ok: false,
        error_code: error.code,
        description: error.message,
        ...(error.parameters && { parameters: error.parameters }),
      })
    }
  }

  return {
    connection,
    answer,
    write: (person: Person, input: ChatInput): Entry => {
      const id = String(++messages)
      const { message, content } = messageOf(person, id, input)
      tellUpdate({ message })
      const type = input.type === 'file' ? 'document' : input.type
      return addEntry(hub, person, 'telegram', {
        id,
        from: 'customer',
        type,
        content,
        replyTo: input.replyTo ?? null,
      })
    },
    /** Changes a text that the customer wrote before. */
    edit: (person: Person, entry: Entry, text: string): void => {
      entry.content.text = text
      tellUpdate({
        edited_message: {
          ...messageOf(person, entry.id, { type: 'text', text }).message,
          edit_date: dateOf(),
        },
      })
      tellEntry(hub, person, 'telegram', entry)
    },
    stop: outbox.stop,
  }
}
