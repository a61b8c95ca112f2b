// Parses a WhatsApp webhook into a flat list of items, from every message and status of every change and entry. Never
// throws, whatever the JSON: unknown items are kept as they are, because the provider would resend a rejected webhook
// for seven days. The signature is verified in meta/signature.ts.

import {
  idOf,
  isObject,
  type JsonObject,
  lineOf,
  listOf,
  objectOf,
  readJson,
  textOf,
  timeOf,
} from '../protocol/read-json.ts'
import { readContent } from './content.ts'
import { classifyErrors } from './errors.ts'
import type {
  Content,
  Person,
  Quote,
  Referral,
  Source,
  StatusItem,
  TemplateItem,
  UnknownItem,
  WhatsappItem,
} from './items.ts'
import { indexPeople, isUnidentified, NO_PEOPLE, type People, personOf } from './person.ts'

/** The provider batches up to a thousand; a 3 MB body has more than this only if they are not real messages. */
export const ITEMS_MAX = 20_000

export const parseWebhook = (body: string): WhatsappItem[] => {
  const read = readJson(body)
  if ('refusal' in read) return [whole(body, read.refusal)]
  const root = objectOf(read.value)
  const entries = listOf(root.entry)
  if (entries.length === 0) return [whole(body, 'shape')]
  const items: WhatsappItem[] = []
  for (const value of entries) {
    const entry = objectOf(value)
    const changes = listOf(entry.changes)
    if (changes.length === 0) items.push(unknown(sourceOf(entry, {}, {}), 'shape', value))
    for (const change of changes) {
      if (items.length + sizeOf(objectOf(change)) > ITEMS_MAX) return [whole(body, 'tooMany')]
      items.push(...readChange(entry, change))
    }
    if (items.length > ITEMS_MAX) return [whole(body, 'tooMany')]
  }
  return items
}

const sizeOf = (change: JsonObject): number => {
  const { messages, statuses, message_echoes, user_preferences } = objectOf(change.value)
  const lists = [messages, statuses, message_echoes, user_preferences]
  return lists.reduce<number>((sum, list) => sum + listOf(list).length, 1)
}

const NOWHERE: Source = { field: '', businessAccountId: null, phoneNumberId: null, displayPhone: null }

const whole = (body: string, reason: UnknownItem['reason']): UnknownItem => ({
  type: 'unknown',
  source: NOWHERE,
  sentAt: null,
  reason,
  raw: body,
})

const unknown = (source: Source, reason: UnknownItem['reason'], value: unknown): UnknownItem => ({
  type: 'unknown',
  source,
  sentAt: null,
  reason,
  raw: JSON.stringify(value),
})

const sourceOf = (entry: JsonObject, change: JsonObject, value: JsonObject): Source => {
  const metadata = objectOf(value.metadata)
  return {
    field: lineOf(change.field, 64) ?? '',
    businessAccountId: idOf(entry.id),
    phoneNumberId: idOf(metadata.phone_number_id),
    displayPhone: idOf(metadata.display_phone_number),
  }
}

type Reader = (source: Source, value: JsonObject) => WhatsappItem[]

const ACCOUNT_FIELDS: readonly string[] = [
  'account_update',
  'account_review_update',
  'account_alerts',
  'phone_number_quality_update',
  'phone_number_name_update',
  'business_capability_update',
  'security',
]

const readChange = (entry: JsonObject, given: unknown): WhatsappItem[] => {
  const change = objectOf(given)
  const value = objectOf(change.value)
  const source = sourceOf(entry, change, value)
  const reader = readerOf(source.field)
  if (!reader) return [unknown(source, 'field', given)]
  const items = reader(source, value)
  return items.length > 0 ? items : [unknown(source, 'shape', given)]
}

const readerOf = (field: string): Reader | undefined => {
  if (field === 'messages') return readMessages
  if (field === 'smb_message_echoes') return readEchoes
  if (field === 'user_preferences') return readPreferences
  if (ACCOUNT_FIELDS.includes(field)) return readAccount
  const change = TEMPLATE_CHANGES.get(field)
  return change ? (source, value) => [readTemplateUpdate(source, value, change)] : undefined
}

const readMessages: Reader = (source, value) => {
  const people = indexPeople(value.contacts)
  const messages = listOf(value.messages)
  const statuses = listOf(value.statuses)
  const failure = classifyErrors(value.errors)
  return [
    ...messages.map((message) => readMessage(source, message, people, messages.length)),
    ...statuses.map((status) => readStatus(source, status, people, statuses.length)),
    ...(failure
      ? [
          {
            type: 'account' as const,
            source,
            sentAt: null,
            event: null,
            failure,
            raw: JSON.stringify(value.errors),
          },
        ]
      : []),
  ]
}

const readMessage = (source: Source, value: unknown, people: People, count: number): WhatsappItem => {
  const message = objectOf(value)
  const from = personOf(
    { waId: message.from, userId: message.from_user_id, parentUserId: message.from_parent_user_id },
    people,
    count === 1,
  )
  const at = { source, sentAt: timeOf(message.timestamp) }
  if (message.type === 'system') return readSystem(at, message, from) ?? unknown(source, 'shape', value)
  const change = readAlteration(at, message, from, false)
  if (change) return change
  const externalId = idOf(message.id)
  if (externalId === null || isUnidentified(from)) return unknown(source, 'shape', value)
  const quote = readQuote(message.context)
  return {
    type: 'message',
    ...at,
    externalId,
    from,
    content: withProduct(readContent(message), quote),
    quote,
    referral: readReferral(message.referral),
    groupId: idOf(message.group_id),
  }
}

/** Adds the catalog product that the message asks about to its text. */
const withProduct = (content: Content, quote: Quote | null): Content =>
  quote?.product?.productId
    ? { ...content, body: `${content.body}\nProduct: ${quote.product.productId}` }
    : content

type At = { source: Source; sentAt: Date | null }

/** A reaction, edit or deletion of another message. */
const readAlteration = (
  at: At,
  message: JsonObject,
  person: Person,
  isEcho: boolean,
): WhatsappItem | undefined => {
  const { type } = message
  if (type !== 'reaction' && type !== 'edit' && type !== 'revoke') return undefined
  const part = objectOf(message[type])
  const externalId = idOf(message.id)
  const targetId = idOf(type === 'reaction' ? part.message_id : part.original_message_id)
  if (targetId === null || isUnidentified(person)) return unknown(at.source, 'shape', message)
  const about = { ...at, externalId, person, targetId, isEcho }
  if (type === 'reaction') return { type, ...about, emoji: textOf(part.emoji, 64) }
  if (type === 'revoke') return { type, ...about }
  return { type, ...about, content: readContent(objectOf(part.message)) }
}

const readSystem = (at: At, message: JsonObject, from: Person): WhatsappItem | undefined => {
  const system = objectOf(message.system)
  const body = textOf(system.body, 1024)
  const kind = lineOf(system.type, 64) ?? ''
  const marketing = system.marketing
  if (
    kind === 'user_preference_changed' &&
    (marketing === 'stop' || marketing === 'resume') &&
    !isUnidentified(from)
  )
    return { type: 'preference', ...at, person: from, marketing }
  const next = { ...at, type: 'identity' as const, body }
  const newId = system.wa_id ?? system.new_wa_id
  if (/changed_number$/.test(kind)) {
    const old = isUnidentified(from) ? personOf({ waId: system.customer }, NO_PEOPLE, false) : from
    const to = personOf(
      { waId: newId, userId: system.user_id, parentUserId: system.parent_user_id },
      NO_PEOPLE,
      false,
    )
    if (isUnidentified(old) || isUnidentified(to)) return undefined
    return { ...next, change: 'phone', previous: old, next: named(to, old) }
  }
  if (/changed_user_id$/.test(kind)) {
    const previous = personOf(
      { waId: message.from, userId: system.previous_user_id, parentUserId: system.previous_parent_user_id },
      NO_PEOPLE,
      false,
    )
    const to = personOf(
      {
        waId: newId ?? message.from ?? from.waId,
        userId: system.user_id,
        parentUserId: system.parent_user_id,
      },
      NO_PEOPLE,
      false,
    )
    if (previous.userId === null || to.userId === null) return undefined
    return { ...next, change: 'userId', previous: named(previous, from), next: named(to, from) }
  }
  if (/identity_changed$/.test(kind) && !isUnidentified(from))
    return { ...next, change: 'key', previous: from, next: from }
  return undefined
}

const named = (person: Person, { name, username }: Person): Person => ({ ...person, name, username })

const readEchoes: Reader = (source, value) => {
  const people = indexPeople(value.contacts)
  const echoes = listOf(value.message_echoes)
  return echoes.map((one) => {
    const message = objectOf(one)
    const to = personOf(
      { waId: message.to, userId: message.to_user_id, parentUserId: message.to_parent_user_id },
      people,
      echoes.length === 1,
    )
    const at = { source, sentAt: timeOf(message.timestamp) }
    const change = readAlteration(at, message, to, true)
    if (change) return change
    const externalId = idOf(message.id)
    if (externalId === null || isUnidentified(to)) return unknown(source, 'shape', one)
    return {
      type: 'echo' as const,
      ...at,
      externalId,
      to,
      content: readContent(message),
      quote: readQuote(message.context),
    }
  })
}

const readQuote = (value: unknown): Quote | null => {
  if (!isObject(value)) return null
  const messageId = idOf(value.id)
  const isForwarded = value.forwarded === true || value.frequently_forwarded === true
  const referred = value.referred_product
  const product = isObject(referred)
    ? { catalogId: idOf(referred.catalog_id), productId: idOf(referred.product_retailer_id) }
    : null
  return messageId === null && !isForwarded && product === null ? null : { messageId, isForwarded, product }
}

const URL_MAX = 4096

const readReferral = (value: unknown): Referral | null =>
  isObject(value)
    ? {
        sourceType: lineOf(value.source_type, 64),
        sourceId: idOf(value.source_id),
        sourceUrl: lineOf(value.source_url, URL_MAX),
        headline: lineOf(value.headline),
        body: textOf(value.body, 4096),
        mediaUrl:
          lineOf(value.image_url, URL_MAX) ??
          lineOf(value.video_url, URL_MAX) ??
          lineOf(value.thumbnail_url, URL_MAX),
        clickId: lineOf(value.ctwa_clid, URL_MAX),
      }
    : null

const STATUSES: readonly StatusItem['status'][] = ['sent', 'delivered', 'read', 'played', 'failed']
const CALLBACK_DATA_MAX = 512

const readStatus = (source: Source, value: unknown, people: People, count: number): WhatsappItem => {
  const entry = objectOf(value)
  const externalId = idOf(entry.id)
  const status = STATUSES.find((one) => one === entry.status)
  if (externalId === null || !status) return unknown(source, 'shape', value)
  const isGroup = entry.recipient_type === 'group'
  return {
    type: 'status',
    source,
    sentAt: timeOf(entry.timestamp),
    externalId,
    status,
    recipient: personOf(
      {
        waId: isGroup ? entry.recipient_participant_id : entry.recipient_id,
        userId: entry.recipient_user_id,
        parentUserId: entry.recipient_parent_user_id,
      },
      people,
      count === 1,
    ),
    failure: status === 'failed' ? (classifyErrors(entry.errors) ?? classifyErrors([{}])) : null,
    callbackData: textOf(entry.biz_opaque_callback_data, CALLBACK_DATA_MAX),
    groupId: isGroup ? idOf(entry.recipient_id) : null,
  }
}

type TemplateKeys = { change: TemplateItem['change']; value: string }

const TEMPLATE_CHANGES: ReadonlyMap<string, TemplateKeys> = new Map([
  ['message_template_status_update', { change: 'status', value: 'event' }],
  ['message_template_quality_update', { change: 'quality', value: 'new_quality_score' }],
  ['template_category_update', { change: 'category', value: 'new_category' }],
  ['message_template_components_update', { change: 'components', value: '' }],
])

const readTemplateUpdate = (source: Source, value: JsonObject, keys: TemplateKeys): WhatsappItem => {
  const name = lineOf(value.message_template_name)
  if (name === null) return unknown(source, 'shape', value)
  const reason = lineOf(objectOf(value.rejection_info).reason) ?? lineOf(value.reason)
  return {
    type: 'template',
    source,
    sentAt: null,
    change: keys.change,
    templateId: idOf(value.message_template_id),
    name,
    language: lineOf(value.message_template_language, 64),
    value: lineOf(value[keys.value], 64)?.toUpperCase() ?? null,
    reason: reason === 'NONE' ? null : (reason ?? lineOf(objectOf(value.other_info).description)),
  }
}

const readPreferences: Reader = (source, value) => {
  const people = indexPeople(value.contacts)
  const preferences = listOf(value.user_preferences)
  return preferences.map((one) => {
    const entry = objectOf(one)
    const person = personOf(
      { waId: entry.wa_id, userId: entry.user_id, parentUserId: entry.parent_user_id },
      people,
      preferences.length === 1,
    )
    const marketing = entry.value
    const isMarketing = entry.category === undefined || entry.category === 'marketing_messages'
    if (isUnidentified(person) || !isMarketing || (marketing !== 'stop' && marketing !== 'resume'))
      return unknown(source, 'shape', one)
    return { type: 'preference' as const, source, sentAt: timeOf(entry.timestamp), person, marketing }
  })
}

const readAccount: Reader = (source, value) => [
  {
    type: 'account',
    source: {
      ...source,
      displayPhone: source.displayPhone ?? idOf(value.display_phone_number) ?? idOf(value.phone_number),
    },
    sentAt: null,
    event: lineOf(value.event, 64) ?? lineOf(value.decision, 64) ?? lineOf(value.alert_type, 64),
    failure: null,
    raw: JSON.stringify(value),
  },
]
