// Parses Twilio's webhooks: an inbound message, or the status of an outbound one. New fields may appear at any time,
// and known ones may be missing. https://www.twilio.com/docs/messaging/guides/webhook-request

import type { InboundFile, InboundItem, OptAction, StatusItem, UnknownItem } from '../contract/inbound.ts'
import { makeMessage, makePerson, makeUnknown } from '../protocol/inbound-items.ts'
import { bareWord, optKeywordOf } from '../protocol/opt-keywords.ts'
import { lineOf, textOf } from '../protocol/read-json.ts'
import { failureOf } from './errors.ts'
import type { Form } from './signature.ts'

/** Twilio sends about forty, and two for each of up to ten files. */
const FIELDS_MAX = 1_000
const MEDIA_MAX = 10
const ID_MAX = 128

/** The fields of a form, in their original order; undefined if there are too many. */
export const readForm = (body: string): Form | undefined => {
  if (hasTooManyFields(body)) return undefined
  const form = new Map<string, string[]>()
  for (const [key, value] of new URLSearchParams(body)) {
    const values = form.get(key)
    if (values) values.push(value)
    else form.set(key, [value])
  }
  return form
}

/** URLSearchParams takes 50 ms for a body full of fields, and the signature isn't verified yet. */
const hasTooManyFields = (body: string): boolean => {
  let count = 1
  for (let at = body.indexOf('&'); at >= 0; at = body.indexOf('&', at + 1))
    if (++count > FIELDS_MAX) return true
  return false
}

const fieldOf = (form: Form, key: string): string | undefined => form.get(key)?.[0]

const lineIn = (form: Form, key: string, max = ID_MAX): string | null => lineOf(fieldOf(form, key), max)

const unknown = (form: Form, reason: UnknownItem['reason']): UnknownItem =>
  makeUnknown(reason, JSON.stringify(Object.fromEntries(form)))

const PHONE = /^\+[1-9]\d{4,14}$/
const COUNTRY = /^[A-Z]{2}$/
/** Twilio's other channels use the same webhook; they are not SMS. */
const OTHER_CHANNEL = /^[a-z]+:/i

/** An inbound message to the account `accountSid`. Twilio doesn't send its time. */
export const parseMessage = (form: Form, accountSid: string): InboundItem => {
  const sid = lineIn(form, 'MessageSid') ?? lineIn(form, 'SmsMessageSid') ?? lineIn(form, 'SmsSid')
  const from = lineIn(form, 'From')
  const to = lineIn(form, 'To')
  if (lineIn(form, 'AccountSid') !== accountSid) return unknown(form, 'field')
  if (sid === null || from === null || to === null) return unknown(form, 'shape')
  if (OTHER_CHANNEL.test(from) || OTHER_CHANNEL.test(to)) return unknown(form, 'field')
  const text = textOf(fieldOf(form, 'Body'))
  const files = filesOf(form)
  const country = lineIn(form, 'FromCountry', 8)?.toUpperCase() ?? ''
  const optOutType = lineIn(form, 'OptOutType', 16)?.toUpperCase() ?? null
  const place = Object.fromEntries(
    ['City', 'State', 'Zip', 'Country']
      .map((part) => [part.toLowerCase(), lineIn(form, `From${part}`)] as const)
      .filter(([, value]) => value !== null),
  )
  return makeMessage({
    accountName: to,
    externalId: sid,
    person: makePerson(from, {
      // Short codes and sender names are not phone numbers.
      phone: PHONE.test(from) ? from : null,
      countryIso: COUNTRY.test(country) ? country : null,
    }),
    body: text ?? (files.map(({ type }) => LABELS[type] ?? 'File').join('\n') || 'Empty message'),
    metadata: {
      ...(files.length > 0 && { type: files[0]!.type === 'file' ? 'document' : files[0]!.type }),
      ...(Object.keys(place).length > 0 && { place }),
      ...(optOutType && { optOutType }),
    },
    files,
    wish: optOutType === 'STOP' ? 'stop' : optOutType === 'START' ? 'start' : optKeywordIn(text ?? ''),
  })
}

const LABELS: Partial<Record<InboundFile['type'], string>> = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  contacts: 'Contact',
}

const filesOf = (form: Form): InboundFile[] => {
  const given = Number(fieldOf(form, 'NumMedia') ?? 0)
  const count = Number.isInteger(given) ? Math.min(Math.max(given, 0), MEDIA_MAX) : MEDIA_MAX
  const files: InboundFile[] = []
  for (let index = 0; index < count; index++) {
    const url = lineIn(form, `MediaUrl${index}`, 2048)
    if (url === null) continue
    const mimeType = lineIn(form, `MediaContentType${index}`)?.toLowerCase() ?? null
    const family = mimeType?.split('/', 1)[0]
    const type = family === 'image' || family === 'video' || family === 'audio' ? family : 'file'
    const ending = /^\w+\/([\w.+-]{1,40})/
      .exec(mimeType ?? '')?.[1]
      ?.replace(/^x-/, '')
      .split('+', 1)[0]
    files.push({
      type,
      name: `${type}-${index + 1}${ending ? `.${ending === 'jpeg' ? 'jpg' : ending}` : ''}`,
      mimeType,
      size: null,
      source: { url },
      isInline: false,
    })
  }
  return files
}

/** Undefined for states that add nothing: queued, accepted, scheduled. */
const STATES: Record<string, StatusItem['status'] | undefined> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  undelivered: 'failed',
  failed: 'failed',
  canceled: 'failed',
}

/** The status of an outbound message. `attemptId` is from the callback's URL. */
export const parseStatus = (form: Form, accountSid: string, attemptId: string | null): InboundItem[] => {
  const sid = lineIn(form, 'MessageSid') ?? lineIn(form, 'SmsSid')
  const state = (lineIn(form, 'MessageStatus') ?? lineIn(form, 'SmsStatus') ?? '').toLowerCase()
  if (sid === null || lineIn(form, 'AccountSid') !== accountSid) return [unknown(form, 'shape')]
  const status = Object.hasOwn(STATES, state) ? STATES[state] : undefined
  if (!status) return []
  const failure =
    status === 'failed' ? failureOf(lineIn(form, 'ErrorCode'), lineIn(form, 'ErrorMessage', 500)) : null
  return [{ type: 'status', accountName: null, sentAt: null, externalId: sid, attemptId, status, failure }]
}

/** Twilio also treats "yes" as "start", and has opted them in already. On other channels it is an ordinary reply. */
const optKeywordIn = (text: string): OptAction | null =>
  optKeywordOf(text) ?? (bareWord(text) === 'yes' ? 'start' : null)
