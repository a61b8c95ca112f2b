// Parses a Messenger webhook into a flat list of items, from every event of every entry. Never throws, whatever the
// JSON. The signature is verified in meta/signature.ts.
// https://developers.facebook.com/docs/messenger-platform/reference/webhook-events
import { createHash } from 'node:crypto'
import type { InboundItem, InboundPerson, MessageItem, UnknownItem } from '../contract/inbound.ts'
import { makeMessage, makePerson, makeUnknown } from '../protocol/inbound-items.ts'
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
import { readContent, readReferral } from './content.ts'

/** The provider batches up to a thousand; a 3 MB body has more than this only if they are not real events. */
const ITEMS_MAX = 20_000
const METADATA_MAX = 1000

export const parseWebhook = (body: string): InboundItem[] => {
  const read = readJson(body)
  if ('refusal' in read) return [makeUnknown(read.refusal, body)]
  const root = objectOf(read.value)
  const entries = listOf(root.entry)
  if (root.object !== 'page' || entries.length === 0)
    return [makeUnknown(root.object === 'page' || root.object === undefined ? 'shape' : 'field', body)]
  const items: InboundItem[] = []
  for (const value of entries) {
    const entry = objectOf(value)
    const pageId = idOf(entry.id)
    const events = [...listOf(entry.messaging), ...listOf(entry.standby)]
    if (items.length + events.length > ITEMS_MAX) return [makeUnknown('tooMany', body)]
    if (events.length === 0)
      items.push(makeUnknown(entry.changes ? 'field' : 'shape', JSON.stringify(value), pageId))
    for (const event of events) items.push(...readEvent(pageId, objectOf(event)))
  }
  return items
}

type Event = {
  accountName: string | null
  sentAt: Date | null
  person: InboundPerson
  /** Done by the business. */
  isEcho: boolean
}

const readEvent = (pageId: string | null, event: JsonObject): InboundItem[] => {
  const at = { accountName: pageId, sentAt: timeOf(event.timestamp) }
  const sender = idOf(objectOf(event.sender).id)
  const recipient = idOf(objectOf(event.recipient).id)
  const isEcho = objectOf(event.message).is_echo === true || (pageId !== null && sender === pageId)
  const customer = isEcho ? recipient : sender
  const left = (reason: UnknownItem['reason']) => [makeUnknown(reason, JSON.stringify(event), pageId)]
  if (customer === null || customer === pageId) return left('shape')
  const about: Event = {
    ...at, // The name isn't in the webhook; a job requests it.
    person: makePerson(customer),
    isEcho,
  }
  for (const [key, read] of READERS)
    if (isObject(event[key])) return read(about, event[key], event) ?? left('shape')
  return left('field')
}

type Reader = (about: Event, part: JsonObject, event: JsonObject) => InboundItem[] | undefined

const readMessage: Reader = (about, message) => {
  const { accountName, sentAt, isEcho } = about
  const mid = idOf(message.mid)
  if (mid === null) return undefined
  if (message.is_deleted === true) return [{ type: 'revoke', accountName, sentAt, targetId: mid, isEcho }]
  const { kind, body, files, metadata } = readContent(message)
  const replyTo = idOf(objectOf(message.reply_to).mid)
  return [
    toMessage(about, mid, body, {
      attemptId: isEcho ? textOf(message.metadata, METADATA_MAX) : null,
      metadata: {
        ...(kind !== 'text' && { type: kind }),
        ...metadata,
        ...(replyTo && { quotedExternalId: replyTo }),
        ...(isEcho && idOf(message.app_id) !== null && { appId: idOf(message.app_id) }),
      },
      replyTo: replyTo === null ? null : { externalId: replyTo, quote: null },
      files,
    }),
  ]
}

const toMessage = (about: Event, externalId: string, body: string, more: Partial<MessageItem>): MessageItem =>
  makeMessage({
    ...about,
    externalId,
    body,
    ...more,
    metadata: { ...(about.sentAt && { sentAt: about.sentAt.toISOString() }), ...more.metadata },
  })

/** An id for events without one, made from who did what and when, so that repeats are recognised. */
const madeId = (kind: string, { person, sentAt }: Event, part: JsonObject): string =>
  `${kind}:${createHash('sha256')
    .update(JSON.stringify([person.externalId, sentAt?.getTime() ?? null, part]))
    .digest('hex')
    .slice(0, 40)}`

/** A tap on a button of a template, of the menu, or on "Get started". */
const readPostback: Reader = (about, postback) => {
  const title = lineOf(postback.title)
  const payload = textOf(postback.payload, 2048)
  const referral = readReferral(postback.referral)
  return [
    toMessage(
      about,
      idOf(postback.mid) ?? madeId('postback', about, { title, payload }),
      title ?? payload ?? 'Tapped a button',
      {
        metadata: {
          type: 'choice',
          choice: { kind: 'button', id: payload, title },
          ...(referral && { referral }),
        },
      },
    ),
  ]
}

/** The customer followed a link or an ad and hasn't written yet. */
const readArrival: Reader = (about, part, event) => {
  const kind = isObject(event.optin) ? 'optin' : 'referral'
  const referral = readReferral(part)
  const title = lineOf(part.title)
  const body = kind === 'optin' ? `Opted in${title ? `: ${title}` : ''}` : 'Opened the chat'
  return [
    toMessage(about, madeId(kind, about, part), body, {
      metadata: {
        type: 'welcome',
        ...(referral && { referral }),
        ...(kind === 'optin' && {
          optin: { type: lineOf(part.type, 64), payload: textOf(part.payload, 1024) },
        }),
      },
    }),
  ]
}

const readReaction: Reader = ({ accountName, sentAt, isEcho }, reaction) => {
  const targetId = idOf(reaction.mid)
  if (targetId === null) return undefined
  const emoji = lineOf(reaction.emoji, 64) ?? lineOf(reaction.reaction, 64)
  const isRemoved = reaction.action === 'unreact'
  if (!isRemoved && emoji === null) return undefined
  return [{ type: 'reaction', accountName, sentAt, targetId, emoji: isRemoved ? null : emoji, isEcho }]
}

const readEdit: Reader = ({ accountName, sentAt, isEcho }, edit) => {
  const targetId = idOf(edit.mid)
  const body = textOf(edit.text)
  return targetId === null || body === null
    ? undefined
    : [{ type: 'edit', accountName, sentAt, targetId, body, isEcho, whole: null }]
}

const MIDS_MAX = 1000

/** The ids mark exact messages, even before the response to the send; the watermark covers the rest. */
const readDelivery: Reader = ({ accountName, sentAt, person }, delivery) => {
  const upTo = timeOf(delivery.watermark)
  const mids = listOf(delivery.mids)
    .slice(0, MIDS_MAX)
    .map(idOf)
    .filter((mid) => mid !== null)
  if (upTo === null && mids.length === 0) return undefined
  return [
    ...mids.map((externalId) => ({
      type: 'status' as const,
      accountName,
      sentAt,
      externalId,
      attemptId: null,
      status: 'delivered' as const,
      failure: null,
    })),
    ...(upTo
      ? [{ type: 'watermark' as const, accountName, sentAt, person, status: 'delivered' as const, upTo }]
      : []),
  ]
}

const readRead: Reader = ({ accountName, sentAt, person }, { watermark }) => {
  const upTo = timeOf(watermark)
  return upTo === null
    ? undefined
    : [{ type: 'watermark', accountName, sentAt, person, status: 'read', upTo }]
}

const READERS: [key: string, read: Reader][] = [
  ['message', readMessage],
  ['postback', readPostback],
  ['reaction', readReaction],
  ['message_edit', readEdit],
  ['delivery', readDelivery],
  ['read', readRead],
  ['referral', readArrival],
  ['optin', readArrival],
]
