// Implements the channel contract for Telegram, with the Bot API.
import { createHash, timingSafeEqual } from 'node:crypto'
import {
  type Channel,
  type ChannelAccount,
  type ChannelCheck,
  type CustomerProfile,
  DeliveryError,
  type FetchedMedia,
  type MediaOptions,
  type Typing,
} from '../contract/channel.ts'
import { problemOf } from '../protocol/check.ts'
import { download } from '../protocol/download.ts'
import { closeConnections, startTimeLimit } from '../protocol/exchange.ts'
import { idOf, lineOf, listOf, numberOf, objectOf, timeOf } from '../protocol/read-json.ts'
import { callMethod, urlOf } from './client.ts'
import { type ParsedUpdate, parseUpdate } from './parse.ts'
import { attachments, react, send } from './send.ts'

export type TelegramChannel = Channel & {
  /** Whether the header contains the secret that the webhook was registered with. */
  isAuthentic: (header: string | undefined, secret: string) => boolean
  parseUpdate: (body: string) => ParsedUpdate
  registerWebhook: NonNullable<Channel['registerWebhook']>
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const isAuthentic = (header: string | undefined, secret: string): boolean =>
  header !== undefined && secret !== '' && timingSafeEqual(digestOf(header), digestOf(secret))

type TimeLimit = { timeoutMs: number }

/** The types of update that parse.ts reads. */
const UPDATES = ['message', 'edited_message', 'callback_query', 'my_chat_member', 'message_reaction']

const registerWebhook = async (
  account: ChannelAccount,
  url: string,
  { timeoutMs }: TimeLimit,
): Promise<void> => {
  const parameters = { url, secret_token: account.secrets.webhookSecret, allowed_updates: UPDATES }
  await callMethod(account, 'setWebhook', parameters, { timeoutMs, isRepeatable: true })
}

/** Messages that arrive meanwhile are kept by Telegram, for a day, until a webhook is registered again. */
const unregisterWebhook = async (account: ChannelAccount, { timeoutMs }: TimeLimit): Promise<void> => {
  await callMethod(account, 'deleteWebhook', {}, { timeoutMs, isRepeatable: true })
}

const fetchMedia = async (
  account: ChannelAccount,
  { fileId }: Record<string, unknown>,
  options: MediaOptions,
): Promise<FetchedMedia> => {
  const leftMs = startTimeLimit(options.timeoutMs)
  const { timeoutMs } = options
  const file = objectOf(
    await callMethod(account, 'getFile', { file_id: fileId }, { timeoutMs, isRepeatable: true }),
  )
  const size = numberOf(file.file_size)
  if (size !== null && size > options.bytesMax)
    throw new DeliveryError('refused', 'MEDIA_TOO_LARGE', 'The file is too large.')
  const segments = lineOf(file.file_path, 1024)?.split('/') ?? []
  if (segments.length === 0 || segments.includes('..'))
    throw new DeliveryError('retry', 'ANSWER_UNREADABLE', 'Telegram’s response has no file.')
  const url = urlOf(account, segments.map(encodeURIComponent).join('/'), 'file/')
  const media = await download({
    ...options,
    timeoutMs: leftMs(),
    provider: 'Telegram',
    url: url.href,
    // The URL contains the token, so no other host may be asked.
    trustOf: (asked) => (asked.host === url.host && asked.protocol === url.protocol ? {} : undefined),
    failureOf: ({ status }) =>
      status === 404 ? new DeliveryError('retry', 'MEDIA_GONE', 'The file URL has expired.') : undefined,
  })
  // Telegram's file server labels everything as a byte stream.
  return { ...media, mimeType: media.mimeType === 'application/octet-stream' ? null : media.mimeType }
}

/** Every message includes the name; the photo has to be requested. */
const fetchProfile = async (
  account: ChannelAccount,
  externalId: string,
  { timeoutMs }: TimeLimit,
): Promise<CustomerProfile> => {
  const parameters = { user_id: externalId, limit: 1 }
  const options = { timeoutMs, isRepeatable: true }
  const { photos } = objectOf(await callMethod(account, 'getUserProfilePhotos', parameters, options))
  // Several sizes of the newest one; the first is small, and sharp enough beside a name.
  const photo = objectOf(listOf(listOf(photos)[0])[0])
  const fileId = idOf(photo.file_id)
  const key = idOf(photo.file_unique_id)
  return {
    name: null,
    username: null,
    avatar: fileId === null || key === null ? null : { source: { fileId }, key },
  }
}

/** Shown for 5 s. https://core.telegram.org/bots/api#sendchataction */
const typing: Typing = {
  show: async (account, { externalId }, options) => {
    const parameters = { chat_id: externalId, action: 'typing' }
    await callMethod(account, 'sendChatAction', parameters, { ...options, isRepeatable: true })
  },
  renewMs: 4_500,
}

const check = async (account: ChannelAccount, { timeoutMs }: TimeLimit): Promise<ChannelCheck[]> => {
  const ask = async (method: string) =>
    objectOf(await callMethod(account, method, {}, { timeoutMs: timeoutMs / 2, isRepeatable: true }))
  let username: string | null
  try {
    username = lineOf((await ask('getMe')).username)
  } catch (error) {
    return [{ name: 'Bot token', ok: false, message: problemOf(error) }]
  }
  const token = {
    name: 'Bot token',
    ok: true,
    message: `Connected to the bot${username ? ` @${username}` : ''}.`,
  }
  try {
    return [token, webhookCheck(account, await ask('getWebhookInfo'))]
  } catch (error) {
    return [token, { name: 'Webhook', ok: false, message: problemOf(error) }]
  }
}

const webhookCheck = (account: ChannelAccount, info: Record<string, unknown>): ChannelCheck => {
  const url = lineOf(info.url, 2048)
  const trouble = lineOf(info.last_error_message, 300)
  const waiting = numberOf(info.pending_update_count) ?? 0
  const since = timeOf(info.last_error_date)
  const name = 'Webhook'
  const missing = { name, ok: false, about: 'setup' } as const
  if (!url) return { ...missing, message: 'The bot has no webhook yet, so messages aren’t received.' }
  if (!url.endsWith(`/webhooks/telegram/${account.id}`))
    return { ...missing, message: 'The bot’s webhook points to another address.' }
  if (trouble && waiting > 0)
    return {
      name,
      ok: false,
      message: `Telegram couldn’t deliver${since ? ` at ${since.toISOString()}` : ''}: ${trouble}`,
    }
  // One that an earlier version registered.
  const hasReactions =
    !Array.isArray(info.allowed_updates) || info.allowed_updates.includes('message_reaction')
  return {
    name,
    ok: true,
    message: hasReactions
      ? 'The bot’s webhook points here.'
      : 'The bot’s webhook points here. Register it again to receive reactions too.',
  }
}

export const telegram: TelegramChannel = {
  delivery: 'sent',
  send,
  isClosedToApi: true,
  bodyMax: 4_096,
  attachments,
  fetchMedia,
  fetchProfile,
  check,
  react,
  typing,
  close: closeConnections,
  showsQuotes: true,
  isResendHarmless: false,
  isAuthentic,
  parseUpdate,
  registerWebhook,
  unregisterWebhook,
}
