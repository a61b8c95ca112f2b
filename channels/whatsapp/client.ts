// WhatsApp's Graph API, the calls that we make. Each gives a definite answer or throws a WhatsAppError that says whether
// the request was refused, may be tried again, or may have gone through.
// https://developers.facebook.com/documentation/business-messaging/whatsapp/reference
import { type Readable, Transform } from 'node:stream'
import { errorOf } from '../meta/graph-answer.ts'
import { type FormFile, multipart } from '../multipart.ts'
import { idOf, type JsonObject, lineOf, listOf, numberOf, objectOf, readJson, textOf } from '../read-json.ts'
import { classifyAnswer, type Failure, WhatsAppError } from './errors.ts'
import { type Answer, type ExchangeRequest, exchange, openExchange } from './exchange.ts'
import { readTemplate, type TemplateComponent, type TemplateDefinition } from './templates.ts'
import { isUserId } from './user-id.ts'

export { closeConnections } from './exchange.ts'

export const DEFAULT_API_URL = 'https://graph.facebook.com'
/** Served until 28 July 2028, https://developers.facebook.com/docs/graph-api/changelog */
export const DEFAULT_API_VERSION = 'v25.0'

export type GraphAccount = {
  /** The address of the API, with or without a version at its end. */
  apiUrl?: string
  apiVersion?: string
  accessToken: string
  /** The provider's id of the sending number, not the number itself. */
  phoneNumberId: string
  businessAccountId: string
}

export type CallOptions = { timeoutMs: number }

const ANSWER_BYTES_MAX = 1024 * 1024
const PAGE_BYTES_MAX = 8 * 1024 * 1024
const PAGE_SIZE = 100
/** 6,000 names, most in one or two languages. */
const PAGES_MAX = 200
const REDIRECTS_MAX = 3

const VERSION = /\/v\d+\.\d+$/

const baseOf = ({ apiUrl = DEFAULT_API_URL, apiVersion = DEFAULT_API_VERSION }: GraphAccount): string => {
  const trimmed = apiUrl.replace(/\/+$/, '')
  return VERSION.test(trimmed) ? trimmed : `${trimmed}/${apiVersion}`
}

const urlOf = (account: GraphAccount, path: string, query: Record<string, string> = {}): URL => {
  const text = `${baseOf(account)}/${path}`
  if (!URL.canParse(text)) throw failed('refused', 'REQUEST_INVALID', 'The API address is not a URL.')
  const url = new URL(text)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

const failed = (outcome: Failure['outcome'], code: string, message: string): WhatsAppError =>
  new WhatsAppError({ outcome, code, message, detail: null, kind: 'other', isAccountWide: false })

type Call = Pick<ExchangeRequest, 'method' | 'url' | 'body' | 'contentType' | 'isRepeatable'>

/** The JSON of a success. Anything else is thrown, classified. */
const call = async (
  { accessToken }: GraphAccount,
  request: Call,
  { timeoutMs }: CallOptions,
  bytesMax = ANSWER_BYTES_MAX,
): Promise<JsonObject> => {
  const answer = await exchange({ ...request, accessToken, timeoutMs }, bytesMax)
  const uncertain = request.isRepeatable ? 'retry' : 'unknown'
  if (answer.status >= 300 && answer.status < 400)
    throw failed(
      'refused',
      'REDIRECTED',
      'The API address redirects elsewhere. Enter the address it leads to.',
    )
  if (!isSuccess(answer)) throw new WhatsAppError(ofCall(classifyAnswer(answer), request.isRepeatable))
  const read = answer.isComplete ? readJson(answer.body) : undefined
  if (!read || !('value' in read) || read.value === null || typeof read.value !== 'object')
    throw failed(uncertain, 'ANSWER_UNREADABLE', 'WhatsApp’s answer cannot be read.')
  return objectOf(read.value)
}

/** A 200 whose body is an error is one. */
const isSuccess = ({ status, body }: Answer): boolean =>
  status >= 200 && status < 300 && !(body.includes('"error"') && errorOf(body))

const ofCall = (failure: Failure, isRepeatable: boolean): Failure =>
  isRepeatable && failure.outcome === 'unknown' ? { ...failure, outcome: 'retry' } : failure

const post = (url: URL, body: JsonObject, isRepeatable: boolean): Call => ({
  method: 'POST',
  url,
  body: Buffer.from(JSON.stringify(body)),
  contentType: 'application/json',
  isRepeatable,
})

const get = (url: URL): Call => ({ method: 'GET', url, isRepeatable: true })

const PHONE = /^\+?\d[\d ().-]{4,30}$/

/**
 * How a recipient is named in a send: a number (E.164, or the digits of a WhatsApp id, kept as they are) as `to`, a
 * business-scoped user id as `recipient`. Providers in between disagree about the latter; this is the one place that
 * decides. https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */
export const addressOf = (recipient: string): { to: string } | { recipient: string } => {
  if (isUserId(recipient)) return { recipient }
  // Digits picked out of anything else could be a stranger's number.
  if (!PHONE.test(recipient))
    throw failed(
      'refused',
      'RECIPIENT_INVALID',
      'The recipient is neither a phone number nor a WhatsApp user id.',
    )
  return { to: recipient.replace(/(?!^\+)\D/g, '') }
}

export type SendInput = {
  /** A phone number, a WhatsApp id or a business-scoped user id. */
  to: string
  /** Ours, at most 512 characters. Comes back in every status, also for a send whose answer we never got. */
  callbackData: string
}

export type Sent = {
  externalId: string
  /** The provider's form of the recipient, which may differ from what was asked for. */
  waId: string | null
  userId: string | null
  /** For templates: accepted, held_for_quality_assessment or paused. */
  messageStatus: string | null
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
    ...content,
    biz_opaque_callback_data: input.callbackData,
  }
  const answer = await call(account, post(url, body, false), options)
  const message = objectOf(listOf(answer.messages)[0])
  const contact = objectOf(listOf(answer.contacts)[0])
  const externalId = idOf(message.id)
  if (!externalId) throw failed('unknown', 'ANSWER_UNREADABLE', 'WhatsApp’s answer names no message.')
  return {
    externalId,
    waId: idOf(contact.wa_id),
    userId: idOf(contact.user_id),
    messageStatus: lineOf(message.message_status),
  }
}

/** replyTo is the provider's id of the message that is quoted. */
export const sendText = (
  account: GraphAccount,
  input: SendInput & { body: string; replyTo?: string | null },
  options: CallOptions,
): Promise<Sent> =>
  send(
    account,
    input,
    {
      ...(input.replyTo ? { context: { message_id: input.replyTo } } : {}),
      type: 'text',
      text: { body: input.body, preview_url: true },
    },
    options,
  )

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

/** Marks the message and those before it as read. Doing so again changes nothing. */
export const markRead = async (
  account: GraphAccount,
  externalId: string,
  options: CallOptions,
): Promise<void> => {
  const url = urlOf(account, `${encodeURIComponent(account.phoneNumberId)}/messages`)
  const body = { messaging_product: 'whatsapp', status: 'read', message_id: externalId }
  await call(account, post(url, body, true), options)
}

/** All rows of a list, page by page, within the one time limit. */
const listAll = async (account: GraphAccount, first: URL, { timeoutMs }: CallOptions): Promise<unknown[]> => {
  const until = performance.now() + timeoutMs
  const rows: unknown[] = []
  const seen = new Set<string>()
  let next: URL | undefined = first
  while (next && !seen.has(next.href) && seen.size < PAGES_MAX) {
    seen.add(next.href)
    const leftMs = Math.ceil(until - performance.now())
    if (leftMs <= 0) throw failed('retry', 'TIMEOUT', `WhatsApp did not answer within ${timeoutMs} ms.`)
    const page = await call(account, get(next), { timeoutMs: leftMs }, PAGE_BYTES_MAX)
    if (!Array.isArray(page.data))
      throw failed('retry', 'ANSWER_UNREADABLE', 'WhatsApp’s list cannot be read.')
    rows.push(...page.data)
    next = nextPage(first, objectOf(page.paging))
  }
  return rows
}

/**
 * The provider's own address of the next page where it is on the host that we ask; else our address with its cursor.
 * An address elsewhere is never asked: the token would go along.
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
  if (!after) throw failed('refused', 'REDIRECTED', 'WhatsApp’s list goes on at another host.')
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
  const url = urlOf(account, `${encodeURIComponent(account.businessAccountId)}/message_templates`, {
    fields: TEMPLATE_FIELDS,
    limit: String(PAGE_SIZE),
  })
  const rows = await listAll(account, url, options)
  return rows.map(readTemplate).filter((template) => template !== undefined)
}

export type PhoneNumber = {
  phoneNumberId: string
  /** With a plus sign, without punctuation. */
  phone: string | null
  verifiedName: string | null
  /** The provider's own words, upper case. */
  status: string | null
  qualityRating: string | null
  codeVerification: string | null
  throughput: string | null
}

const NUMBER_FIELDS =
  'id,display_phone_number,verified_name,quality_rating,code_verification_status,status,throughput'

export const listPhoneNumbers = async (
  account: GraphAccount,
  options: CallOptions,
): Promise<PhoneNumber[]> => {
  const url = urlOf(account, `${encodeURIComponent(account.businessAccountId)}/phone_numbers`, {
    fields: NUMBER_FIELDS,
    limit: String(PAGE_SIZE),
  })
  const rows = await listAll(account, url, options)
  return rows.flatMap((row) => {
    const number = objectOf(row)
    const phoneNumberId = idOf(number.id)
    if (!phoneNumberId) return []
    const digits = idOf(number.display_phone_number)?.replace(/\D/g, '')
    const word = (value: unknown) => lineOf(value)?.toUpperCase() ?? null
    return [
      {
        phoneNumberId,
        phone: digits ? `+${digits}` : null,
        verifiedName: lineOf(number.verified_name),
        status: word(number.status),
        qualityRating: word(number.quality_rating),
        codeVerification: word(number.code_verification_status),
        throughput: word(objectOf(number.throughput).level),
      },
    ]
  })
}

export type MediaInfo = {
  /** Good for five minutes. */
  url: string
  mimeType: string | null
  /** Base64 in webhooks, hexadecimal here; both have been seen in either place. */
  sha256: string | null
  size: number | null
}

export const mediaInfo = async (
  account: GraphAccount,
  mediaId: string,
  options: CallOptions,
): Promise<MediaInfo> => {
  const url = urlOf(account, encodeURIComponent(mediaId), { phone_number_id: account.phoneNumberId })
  const answer = await call(account, get(url), options)
  const address = textOf(answer.url)
  if (!address) throw failed('retry', 'ANSWER_UNREADABLE', 'WhatsApp’s answer names no address of the file.')
  return {
    url: address,
    mimeType: lineOf(answer.mime_type),
    sha256: lineOf(answer.sha256),
    size: numberOf(answer.file_size),
  }
}

/** Where the provider keeps files: hosts of its own, beside the API's. Nobody else gets the token. */
const MEDIA_HOSTS = /(^|\.)(fbsbx\.com|fbcdn\.net|facebook\.com|whatsapp\.net|whatsapp\.com)$/
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

const mayHaveToken = (account: GraphAccount, url: URL): boolean => {
  const base = urlOf(account, '')
  if (url.host === base.host && url.protocol === base.protocol) return true
  // A provider on this very machine, as in a demo, may serve its files from another port.
  if (LOOPBACK.test(base.hostname)) return LOOPBACK.test(url.hostname) && /^https?:$/.test(url.protocol)
  return url.protocol === 'https:' && url.port === '' && MEDIA_HOSTS.test(url.hostname)
}

export type Download = { stream: Readable; mimeType: string | null; size: number | null }

/**
 * The file behind a media address. The stream breaks with MEDIA_TOO_LARGE beyond bytesMax and with TIMEOUT where the
 * whole took longer than allowed; whoever takes it must read or destroy it. An address that is used up can be had anew
 * from mediaInfo: that failure is a `retry`.
 */
export const downloadMedia = async (
  account: GraphAccount,
  address: string,
  { timeoutMs, bytesMax }: CallOptions & { bytesMax: number },
): Promise<Download> => {
  const until = performance.now() + timeoutMs
  let url = URL.canParse(address) ? new URL(address) : undefined
  for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
    if (!url || !mayHaveToken(account, url))
      throw failed('refused', 'REDIRECTED', 'The address of the file is not one of WhatsApp’s.')
    const leftMs = Math.max(1, Math.ceil(until - performance.now()))
    const { accessToken } = account
    const answer = await openExchange({ ...get(url), accessToken, timeoutMs: leftMs })
    const { status, headers, body, done } = answer
    if (status === 200) return bounded(answer, bytesMax, timeoutMs)
    const location = headers.location
    done()
    if (status >= 300 && status < 400 && location) {
      body.destroy()
      url = URL.canParse(location, url.href) ? new URL(location, url) : undefined
      continue
    }
    body.destroy()
    if (status === 404 || status === 410)
      throw failed('retry', 'MEDIA_GONE', 'The address of the file is used up.')
    throw new WhatsAppError(ofCall(classifyAnswer({ status, headers, body: '' }), true))
  }
  throw failed('refused', 'REDIRECTED', 'The address of the file redirects too often.')
}

const bounded = (
  { headers, body, done }: { headers: NodeJS.Dict<string | string[]>; body: Readable; done: () => void },
  bytesMax: number,
  timeoutMs: number,
): Download => {
  const size = numberOf(headers['content-length'])
  const tooLarge = () => failed('refused', 'MEDIA_TOO_LARGE', `The file is larger than ${bytesMax} bytes.`)
  if (size !== null && size > bytesMax) {
    done()
    body.destroy()
    throw tooLarge()
  }
  let seen = 0
  const stream = new Transform({
    transform(chunk: Buffer, _, next) {
      seen += chunk.length
      if (seen > bytesMax) next(tooLarge())
      else next(null, chunk)
    },
  })
  body.on('error', (cause) => {
    const message = `The file broke off, or took longer than ${timeoutMs} ms.`
    const failure = {
      outcome: 'retry',
      code: 'CONNECTION_LOST',
      message,
      detail: null,
      kind: 'other',
    } as const
    stream.destroy(new WhatsAppError({ ...failure, isAccountWide: false }, { cause }))
  })
  stream.on('close', () => {
    done()
    body.destroy()
  })
  body.pipe(stream)
  return { stream, mimeType: lineOf(headers['content-type']), size }
}

/** Stores a file at the provider for thirty days. Storing it twice does no harm. */
export const uploadMedia = async (
  account: GraphAccount,
  file: Omit<FormFile, 'field'>,
  options: CallOptions,
): Promise<{ mediaId: string }> => {
  const form = multipart({ messaging_product: 'whatsapp', type: file.mimeType }, [{ field: 'file', ...file }])
  const url = urlOf(account, `${encodeURIComponent(account.phoneNumberId)}/media`)
  const answer = await call(account, { method: 'POST', url, ...form, isRepeatable: true }, options)
  const mediaId = idOf(answer.id)
  if (!mediaId) throw failed('retry', 'ANSWER_UNREADABLE', 'WhatsApp’s answer names no file.')
  return { mediaId }
}
