// The calls to the Graph API for WhatsApp. Each returns the response or throws a WhatsAppError.
// https://developers.facebook.com/documentation/business-messaging/whatsapp/reference
import type { TemplateComponent } from '../contract/channel.ts'
import { type GraphAccess, makeGraphClient } from '../meta/graph.ts'
import type { HttpAnswer } from '../meta/graph-answer.ts'
import type { Download } from '../protocol/download.ts'
import { type FormFile, multipart } from '../protocol/multipart.ts'
import { idOf, type JsonObject, lineOf, listOf, numberOf, objectOf, textOf } from '../protocol/read-json.ts'
import { classifyAnswer, type Failure, WhatsAppError } from './errors.ts'
import { readTemplate, type TemplateDefinition } from './templates.ts'
import { isUserId } from './user-id.ts'

export type GraphAccount = GraphAccess & {
  /** The provider's id of the sending number, not the number itself. */
  phoneNumberId: string
  businessAccountId: string
}

export type CallOptions = { timeoutMs: number }

const PAGE_BYTES_MAX = 8 * 1024 * 1024
const PAGE_SIZE = 100
/** 6,000 template names, most in one or two languages. */
const PAGES_MAX = 200

const failed = (
  outcome: Failure['outcome'],
  code: string,
  message: string,
  options?: { cause?: unknown },
): WhatsAppError =>
  new WhatsAppError({ outcome, code, message, detail: null, kind: 'other', isAccountWide: false }, options)

const refusalOf = (answer: HttpAnswer, isRepeatable: boolean): WhatsAppError => {
  const failure = classifyAnswer(answer)
  const isHarmless = isRepeatable && failure.outcome === 'unknown'
  return new WhatsAppError(isHarmless ? { ...failure, outcome: 'retry' } : failure)
}

const { urlOf, call, downloadFile } = makeGraphClient({
  provider: 'WhatsApp',
  mediaHosts: /(^|\.)(fbsbx\.com|fbcdn\.net|facebook\.com|whatsapp\.net|whatsapp\.com)$/,
  refusalOf,
  failed,
})

const post = (url: URL, body: JsonObject, isRepeatable: boolean) => ({
  url,
  body: Buffer.from(JSON.stringify(body)),
  contentType: 'application/json',
  isRepeatable,
})

const get = (url: URL) => ({ url, isRepeatable: true })

const PHONE = /^\+?\d[\d ().-]{4,30}$/

/**
 * The recipient field of a send: `to` for a number (E.164, or the digits of a WhatsApp id, unchanged), `recipient` for
 * a business-scoped user id. Resellers disagree about the latter; only this function decides.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */
export const addressOf = (recipient: string): { to: string } | { recipient: string } => {
  if (isUserId(recipient)) return { recipient }
  // Digits extracted from any other text could be someone else's number.
  if (!PHONE.test(recipient))
    throw failed(
      'refused',
      'RECIPIENT_INVALID',
      'The recipient is neither a phone number nor a WhatsApp user ID.',
    )
  return { to: recipient.replace(/(?!^\+)\D/g, '') }
}

export type SendInput = {
  /** A phone number, a WhatsApp id or a business-scoped user id. */
  to: string
  /** Ours, at most 512 characters. Returned in every status, even if the response to the send was lost. */
  callbackData: string
  /** The provider's id of the quoted message. */
  replyTo?: string | null
}

export type Sent = {
  externalId: string
  /** The provider's id of the recipient, which may differ from the number in the request. */
  waId: string | null
  userId: string | null
}

const send = async (
  account: GraphAccount,
  input: SendInput,
  content: JsonObject,
  options: CallOptions,
): Promise<Sent> => {
  const url = urlOf(account, `${encodeURIComponent(account.phoneNumberId)}/messages`)
  const body = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...addressOf(input.to),
    ...(input.replyTo ? { context: { message_id: input.replyTo } } : {}),
    ...content,
    biz_opaque_callback_data: input.callbackData,
  }
  const answer = await call(account, { ...post(url, body, false), ...options })
  const message = objectOf(listOf(answer.messages)[0])
  const contact = objectOf(listOf(answer.contacts)[0])
  const externalId = idOf(message.id)
  if (!externalId) throw failed('unknown', 'ANSWER_UNREADABLE', 'WhatsApp’s response has no message ID.')
  return {
    externalId,
    waId: idOf(contact.wa_id),
    userId: idOf(contact.user_id),
  }
}

export const sendText = (
  account: GraphAccount,
  input: SendInput & { body: string; hasLinkPreview: boolean },
  options: CallOptions,
): Promise<Sent> =>
  send(
    account,
    input,
    {
      type: 'text',
      text: { body: input.body, preview_url: input.hasLinkPreview },
    },
    options,
  )

/** Reply buttons or a list: see interactive.ts. */
export const sendInteractive = (
  account: GraphAccount,
  input: SendInput & { interactive: JsonObject },
  options: CallOptions,
): Promise<Sent> => send(account, input, { type: 'interactive', interactive: input.interactive }, options)

export const sendTemplate = (
  account: GraphAccount,
  input: SendInput & { name: string; language: string; components: readonly TemplateComponent[] },
  options: CallOptions,
): Promise<Sent> =>
  send(
    account,
    input,
    {
      type: 'template',
      template: {
        name: input.name,
        language: { code: input.language },
        ...(input.components.length > 0 ? { components: input.components } : {}),
      },
    },
    options,
  )

/** An empty emoji takes the reaction away. */
export const sendReaction = (
  account: GraphAccount,
  input: Omit<SendInput, 'replyTo'> & { messageId: string; emoji: string },
  options: CallOptions,
): Promise<Sent> =>
  send(
    account,
    input,
    { type: 'reaction', reaction: { message_id: input.messageId, emoji: input.emoji } },
    options,
  )

export type MediaContent = {
  type: 'image' | 'audio' | 'video' | 'document'
  /** From uploadMedia. */
  mediaId: string
  caption?: string
  fileName?: string
}

export const sendMedia = (
  account: GraphAccount,
  input: SendInput & MediaContent,
  options: CallOptions,
): Promise<Sent> =>
  send(
    account,
    input,
    {
      type: input.type,
      [input.type]: {
        id: input.mediaId,
        ...(input.caption === undefined ? {} : { caption: input.caption }),
        ...(input.fileName === undefined ? {} : { filename: input.fileName }),
      },
    },
    options,
  )

/** Marks the message and earlier ones as read. Repeating it changes nothing. `isTyping`: shows that as well, for 25 s. */
export const markRead = async (
  account: GraphAccount,
  externalId: string,
  { isTyping = false, ...options }: CallOptions & { isTyping?: boolean; signal?: AbortSignal },
): Promise<void> => {
  const url = urlOf(account, `${encodeURIComponent(account.phoneNumberId)}/messages`)
  const body = {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: externalId,
    ...(isTyping && { typing_indicator: { type: 'text' } }),
  }
  await call(account, { ...post(url, body, true), ...options })
}

/** All rows of a list of the business account, page by page, within a single time limit. */
const listAll = async (
  account: GraphAccount,
  name: string,
  fields: string,
  { timeoutMs }: CallOptions,
): Promise<unknown[]> => {
  const first = urlOf(account, `${encodeURIComponent(account.businessAccountId)}/${name}`, {
    fields,
    limit: String(PAGE_SIZE),
  })
  const until = performance.now() + timeoutMs
  const rows: unknown[] = []
  const seen = new Set<string>()
  let next: URL | undefined = first
  while (next && !seen.has(next.href) && seen.size < PAGES_MAX) {
    seen.add(next.href)
    const leftMs = Math.ceil(until - performance.now())
    if (leftMs <= 0) throw failed('retry', 'TIMEOUT', `WhatsApp did not respond within ${timeoutMs} ms.`)
    const page = await call(account, { ...get(next), timeoutMs: leftMs, bytesMax: PAGE_BYTES_MAX })
    if (!Array.isArray(page.data))
      throw failed('retry', 'ANSWER_UNREADABLE', 'WhatsApp’s list can’t be read.')
    rows.push(...page.data)
    next = nextPage(first, objectOf(page.paging))
  }
  return rows
}

/**
 * The provider's URL of the next page if it is on the same host, otherwise our URL with its cursor. Other hosts are
 * never contacted, because they would get the token.
 */
const nextPage = (first: URL, paging: JsonObject): URL | undefined => {
  const given = textOf(paging.next)
  if (!given) return undefined
  const next = URL.canParse(given, first.href) ? new URL(given, first) : undefined
  if (next && next.host === first.host) {
    next.protocol = first.protocol
    next.searchParams.delete('access_token')
    return next
  }
  const after = textOf(objectOf(paging.cursors).after)
  if (!after) throw failed('refused', 'REDIRECTED', 'WhatsApp’s list continues on another host.')
  const own = new URL(first)
  own.searchParams.set('after', after)
  return own
}

const TEMPLATE_FIELDS =
  'id,name,status,category,language,components,parameter_format,quality_score,rejected_reason'

/** Every template of the business account, in every state. */
export const listTemplates = async (
  account: GraphAccount,
  options: CallOptions,
): Promise<TemplateDefinition[]> => {
  const rows = await listAll(account, 'message_templates', TEMPLATE_FIELDS, options)
  return rows.map(readTemplate).filter((template) => template !== undefined)
}

export type PhoneNumber = {
  phoneNumberId: string
  /** With a plus sign, without punctuation. */
  phone: string | null
  verifiedName: string | null
  /** The provider's own value, upper case. */
  status: string | null
}

const NUMBER_FIELDS = 'id,display_phone_number,verified_name,status'

export const listPhoneNumbers = async (
  account: GraphAccount,
  options: CallOptions,
): Promise<PhoneNumber[]> => {
  const rows = await listAll(account, 'phone_numbers', NUMBER_FIELDS, options)
  return rows.flatMap((row) => {
    const number = objectOf(row)
    const phoneNumberId = idOf(number.id)
    if (!phoneNumberId) return []
    const digits = idOf(number.display_phone_number)?.replace(/\D/g, '')
    return [
      {
        phoneNumberId,
        phone: digits ? `+${digits}` : null,
        verifiedName: lineOf(number.verified_name),
        status: lineOf(number.status)?.toUpperCase() ?? null,
      },
    ]
  })
}

type MediaInfo = {
  /** Valid for five minutes. */
  url: string
  mimeType: string | null
  /** Hexadecimal here and base64 in webhooks, usually; either occurs in both. */
  sha256: string | null
  size: number | null
}

export const mediaInfo = async (
  account: GraphAccount,
  mediaId: string,
  options: CallOptions,
): Promise<MediaInfo> => {
  const url = urlOf(account, encodeURIComponent(mediaId), { phone_number_id: account.phoneNumberId })
  const answer = await call(account, { ...get(url), ...options })
  const address = textOf(answer.url)
  if (!address) throw failed('retry', 'ANSWER_UNREADABLE', 'WhatsApp’s response has no file URL.')
  return {
    url: address,
    mimeType: lineOf(answer.mime_type),
    sha256: lineOf(answer.sha256),
    size: numberOf(answer.file_size),
  }
}

/**
 * Downloads a file by its media URL. The stream fails with MEDIA_TOO_LARGE beyond bytesMax and with CONNECTION_LOST
 * after the time limit; the caller must read it to its end or destroy it. For an expired URL the error is a `retry`,
 * and mediaInfo returns a new one.
 */
export const downloadMedia = (
  account: GraphAccount,
  url: string,
  options: CallOptions & { bytesMax: number },
): Promise<Download> =>
  downloadFile(account, {
    ...options,
    url,
    hasToken: true,
    failureOf: ({ status, headers }) => {
      if (status === 404 || status === 410) return failed('retry', 'MEDIA_GONE', 'The file URL has expired.')
      return refusalOf({ status, headers, body: '' }, true)
    },
  })

/** Uploads a file, which the provider keeps for thirty days. Repeating it is harmless. */
export const uploadMedia = async (
  account: GraphAccount,
  file: Omit<FormFile, 'field'>,
  options: CallOptions,
): Promise<{ mediaId: string }> => {
  const form = multipart({ messaging_product: 'whatsapp', type: file.mimeType }, [{ field: 'file', ...file }])
  const url = urlOf(account, `${encodeURIComponent(account.phoneNumberId)}/media`)
  const answer = await call(account, { url, ...form, isRepeatable: true, ...options })
  const mediaId = idOf(answer.id)
  if (!mediaId) throw failed('retry', 'ANSWER_UNREADABLE', 'WhatsApp’s response has no file ID.')
  return { mediaId }
}
