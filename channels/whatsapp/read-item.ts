// Converts WhatsApp's items from parse.ts to the item types of all channels. Leftovers of earlier versions contain
// WhatsApp's items too.
import type { InboundFile, InboundItem, InboundPerson, MessageItem, OptAction } from '../contract/inbound.ts'
import { makeInlineFile, makeMessage, makePerson } from '../protocol/inbound-items.ts'
import { optKeywordOf } from '../protocol/opt-keywords.ts'
import type { Content, EchoItem, Media, MessageItem as OwnMessage, Person, WhatsappItem } from './items.ts'
import { isUnidentified } from './person.ts'

export const readItem = (item: WhatsappItem): InboundItem => {
  const { source, sentAt } = item
  const at = { accountName: source.phoneNumberId, sentAt }
  switch (item.type) {
    case 'message':
      return { ...readMessage(item, item.from), ...at, broadcasts: broadcastsOf(item.content) }
    case 'echo':
      return { ...readMessage(item, item.to), ...at }
    case 'reaction':
    case 'revoke': {
      const { source: _, externalId: __, person, ...rest } = item
      return { ...rest, ...at, person: readPerson(person) }
    }
    case 'edit': {
      const { type, targetId, isEcho, person, content } = item
      return { type, ...at, targetId, isEcho, person: readPerson(person), body: content.body, whole: null }
    }
    case 'identity': {
      const { type, change, previous, next, body } = item
      return { type, ...at, change, person: readPerson(previous), next: readPerson(next), body }
    }
    case 'status':
      return {
        type: 'status',
        ...at,
        externalId: item.externalId,
        attemptId: item.callbackData,
        // A played voice message counts as read.
        status: item.status === 'played' ? 'read' : item.status,
        failure:
          item.status === 'failed'
            ? {
                code: item.failure?.code ?? 'UNKNOWN',
                message: item.failure?.message ?? 'No reason given.',
              }
            : null,
        person: isUnidentified(item.recipient) ? null : readPerson(item.recipient),
        isOptedOut: item.failure?.kind === 'optedOut',
      }
    case 'template': {
      const { type, change, name, language, value, reason } = item
      const { businessAccountId } = source
      return { type, ...at, businessAccountId, change, name, language, value, reason }
    }
    case 'preference': {
      const { type, person, marketing } = item
      return { type, ...at, person: readPerson(person), broadcasts: marketing === 'stop' ? 'stop' : 'start' }
    }
    case 'account':
      return { type: 'account', ...at, raw: item.raw }
    case 'unknown':
      return { type: 'unknown', ...at, reason: item.reason, raw: item.raw }
  }
}

const readPerson = ({ userId, waId, phone, name, username }: Person): InboundPerson =>
  makePerson(userId ?? waId ?? '', { phone, name, username, whatsapp: { userId, waId } })

const readMessage = (item: OwnMessage | EchoItem, person: Person): MessageItem =>
  makeMessage({
    externalId: item.externalId,
    person: readPerson(person),
    isEcho: item.type === 'echo',
    body: item.content.body,
    metadata: metadataOf(item),
    replyTo: item.quote?.messageId ? { externalId: item.quote.messageId, quote: null } : null,
    files: filesOf(item.content),
  })

/** Whether the message is only an opt-out or opt-in keyword, typed or tapped. */
const broadcastsOf = ({ kind, body, choice }: Content): OptAction | null =>
  kind === 'text' || kind === 'choice' ? optKeywordOf(kind === 'choice' ? (choice?.title ?? '') : body) : null

/** The message's data besides its text. Keys without a value are omitted. */
const metadataOf = (item: OwnMessage | EchoItem): Record<string, unknown> => {
  const { content, quote } = item
  const { kind, choice, location, contacts, order, media, failure } = content
  const entries = Object.entries({
    type: kind === 'text' ? null : kind,
    sentAt: item.sentAt?.toISOString() ?? null,
    location,
    contacts: contacts.length > 0 ? contacts : null,
    choice,
    order,
    isVoice: media?.isVoice || null,
    failure: failure && { code: failure.code, message: failure.message },
    forwarded: quote?.isForwarded || null,
    product: quote?.product ?? null,
    quotedExternalId: quote?.messageId ?? null,
    referral: item.type === 'message' ? item.referral : null,
    groupId: item.type === 'message' ? item.groupId : null,
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== null))
}

const FILE_TYPES = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  document: 'file',
  sticker: 'sticker',
} satisfies Record<Media['type'], InboundFile['type']>

const NAME_MAX = 255

const filesOf = ({ media, location, contacts }: Content): InboundFile[] => [
  ...(media
    ? [
        {
          type: FILE_TYPES[media.type],
          name: shortened(media.fileName ?? media.type),
          mimeType: media.mimeType,
          size: null,
          source: { mediaId: media.mediaId, url: media.url, sha256: media.sha256 },
          isInline: false,
        },
      ]
    : []),
  ...(location ? [makeInlineFile('location', shortened(location.name ?? 'Location'), location)] : []),
  ...(contacts.length > 0
    ? [makeInlineFile('contacts', shortened(contacts[0]?.name ?? 'Contacts'), { contacts })]
    : []),
]

const shortened = (name: string): string => [...name].slice(0, NAME_MAX).join('')
