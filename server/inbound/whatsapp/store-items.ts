// What a webhook brought, into the workspace: one transaction, in the order in which the kinds depend on each other.
import type {
  Content,
  EchoItem,
  EditItem,
  IdentityItem,
  InboundItem,
  MessageItem,
  Person,
  PreferenceItem,
  ReactionItem,
  RevokeItem,
  StatusItem,
} from '../../../channels/channel.ts'
import { type Ctx, inTransaction } from '../../ctx.ts'
import type { Metadata } from '../../db/tables.ts'
import { findContactIds, setOptedIn, setOptedOut } from '../../resources/contacts/people-queries.ts'
import { renamePerson } from '../../resources/contacts/rename-person.ts'
import { namesOf, resolvePeople } from '../../resources/contacts/resolve-people.ts'
import { alterMessage } from '../../resources/conversations/alter-message.ts'
import { applyStatuses, type ReportedStatus } from '../../resources/conversations/apply-statuses.ts'
import { noteInThread } from '../../resources/conversations/note-in-thread.ts'
import { type ReceivedMessage, receiveMessages } from '../../resources/conversations/receive-messages.ts'
import { PHONE_PREFIX } from '../../resources/conversations/thread-queries.ts'
import { noteTemplateChanges } from '../../resources/templates/note-template-changes.ts'
import type { Routed } from '../ingest.ts'
import { insertLeftovers, type Leftover, leftoverOf } from '../leftovers.ts'
import { attachmentsOf } from './attachments.ts'

type Of<T extends InboundItem> = { channelAccountId: string; item: T }

export const storeItems = (ctx: Ctx, routed: readonly Routed<InboundItem>[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const sorted = sort(routed)
    const leftovers = sorted.rest.map(({ channelAccountId, item }) =>
      leftoverOf(
        channelAccountId,
        item.type === 'unknown' ? item.reason : item.type,
        'raw' in item ? item.raw : JSON.stringify(item),
      ),
    )
    for (const identity of sorted.identities) await storeIdentity(ctx, identity)
    await storeMessages(ctx, sorted.messages)
    for (const alteration of sorted.alterations) leftovers.push(...(await storeAlteration(ctx, alteration)))
    await applyStatuses(ctx, sorted.statuses.map(toReport))
    await noteRefusedMarketing(ctx, sorted.statuses)
    await storePreferences(ctx, sorted.preferences)
    await noteTemplateChanges(
      ctx,
      sorted.templates.map(({ item }) => item),
    )
    if (leftovers.length > 0) await insertLeftovers(ctx, leftovers)
  })

type Sorted = {
  identities: Of<IdentityItem>[]
  messages: Of<MessageItem | EchoItem>[]
  alterations: Of<ReactionItem | EditItem | RevokeItem>[]
  statuses: Of<StatusItem>[]
  preferences: Of<PreferenceItem>[]
  templates: Of<Extract<InboundItem, { type: 'template' }>>[]
  rest: Of<Extract<InboundItem, { type: 'account' | 'unknown' }>>[]
}

const sort = (routed: readonly Routed<InboundItem>[]): Sorted => {
  const sorted: Sorted = {
    identities: [],
    messages: [],
    alterations: [],
    statuses: [],
    preferences: [],
    templates: [],
    rest: [],
  }
  for (const { channelAccountId, item } of routed)
    switch (item.type) {
      case 'identity':
        sorted.identities.push({ channelAccountId, item })
        break
      case 'message':
      case 'echo':
        sorted.messages.push({ channelAccountId, item })
        break
      case 'reaction':
      case 'edit':
      case 'revoke':
        sorted.alterations.push({ channelAccountId, item })
        break
      case 'status':
        sorted.statuses.push({ channelAccountId, item })
        break
      case 'preference':
        sorted.preferences.push({ channelAccountId, item })
        break
      case 'template':
        sorted.templates.push({ channelAccountId, item })
        break
      default:
        sorted.rest.push({ channelAccountId, item })
    }
  return sorted
}

/** The provider's time; none, or one that is yet to come, is now: a window must not stay open for longer than a day. */
const timeOf = (ctx: Ctx, sentAt: Date | null): Date => {
  const now = ctx.now()
  return sentAt && sentAt < now ? sentAt : now
}

// Messages --------------------------------------------------------------------------------------------------------

const storeMessages = async (ctx: Ctx, messages: readonly Of<MessageItem | EchoItem>[]): Promise<void> => {
  if (messages.length === 0) return
  const people = messages.map(({ item }) => (item.type === 'message' ? item.from : item.to))
  const contacts = await resolvePeople(ctx, people)
  const received = messages.map(({ channelAccountId, item }, index): ReceivedMessage => {
    const { content } = item
    return {
      channelAccountId,
      contact: contacts[index]!,
      direction: item.type === 'message' ? 'inbound' : 'outbound',
      senderId: `${PHONE_PREFIX}${channelAccountId}`,
      body: content.body,
      externalId: item.externalId,
      sentAt: timeOf(ctx, item.sentAt),
      metadata: metadataOf(item),
      replyToExternalId: item.quote?.messageId ?? null,
      attachments: attachmentsOf(content),
    }
  })
  const fresh = new Set(await receiveMessages(ctx, 'whatsapp', received))
  // One that comes again says nothing new: what they wished since then holds.
  const wishes = messages.flatMap(({ item }, index) => {
    const message = received[index]!
    const wish = item.type === 'message' && fresh.has(message) ? wishOf(item.content) : null
    return wish === null ? [] : [{ contactId: message.contact.id, wish, at: message.sentAt }]
  })
  await applyWishes(ctx, wishes)
}

/** What a message says beside its text. Keys without a value are left out; nothing at all is null. */
const metadataOf = (item: MessageItem | EchoItem): Metadata | null => {
  const { content, quote } = item
  const { kind, choice, location, contacts, order, media, failure } = content
  const referral = item.type === 'message' ? item.referral : null
  const groupId = item.type === 'message' ? item.groupId : null
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
    referral,
    groupId,
  }).filter(([, value]) => value !== null)
  return entries.length > 0 ? Object.fromEntries(entries) : null
}

const STOP_WORDS: ReadonlySet<string> = new Set([
  'stop',
  'stopall',
  'stop all',
  // WhatsApp's own label of a template's opt-out button.
  'stop promotions',
  'unsubscribe',
  'cancel',
  'end',
  'quit',
  'optout',
  'opt out',
  'opt-out',
  'revoke',
  'stopp',
  'abmelden',
  'parar',
  'sair',
  'cancelar',
  'baja',
  'desuscribir',
  'arrêt',
  'arret',
  'désabonner',
])
const START_WORDS: ReadonlySet<string> = new Set([
  'start',
  'unstop',
  'subscribe',
  'opt in',
  'optin',
  'opt-in',
])
const WISH_MAX = 40

/** A message that is nothing but a word for "stop", written or tapped. */
const wishOf = ({ kind, body, choice }: Content): 'stop' | 'start' | null => {
  if (kind !== 'text' && kind !== 'choice') return null
  const text = kind === 'choice' ? (choice?.title ?? '') : body
  if (text.length > WISH_MAX) return null
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '')
  return STOP_WORDS.has(word) ? 'stop' : START_WORDS.has(word) ? 'start' : null
}

type Wish = { contactId: string; wish: 'stop' | 'start'; at: Date }

/** The last word of each counts, by the time it was said at: what comes late undoes no later "stop". */
const applyWishes = async (ctx: Ctx, wishes: readonly Wish[]): Promise<void> => {
  for (const { contactId, wish, at } of wishes.toSorted((a, b) => a.at.getTime() - b.at.getTime()))
    if (wish === 'stop') await setOptedOut(ctx, [contactId], at)
    else await setOptedIn(ctx, [contactId], at)
}

// People ----------------------------------------------------------------------------------------------------------

const storeIdentity = async (ctx: Ctx, { channelAccountId, item }: Of<IdentityItem>): Promise<void> => {
  const { previous, next, change, body } = item
  const contact =
    change === 'key' ? (await resolvePeople(ctx, [previous]))[0] : await renamePerson(ctx, { previous, next })
  if (!contact) return
  await noteInThread(ctx, {
    contactId: contact.id,
    channelAccountId,
    body: body ?? CHANGES[change],
    metadata: { event: 'identity', change },
  })
}

const CHANGES = {
  phone: 'The customer has a new number',
  userId: 'The customer has a new WhatsApp user id',
  key: 'The customer’s security code has changed',
} satisfies Record<IdentityItem['change'], string>

const contactsOf = async (ctx: Ctx, people: readonly Person[]): Promise<string[]> =>
  people.length === 0
    ? []
    : findContactIds(
        ctx,
        people.flatMap((person) => namesOf(ctx, person)),
      )

const storePreferences = async (ctx: Ctx, preferences: readonly Of<PreferenceItem>[]): Promise<void> => {
  const wishes: Wish[] = []
  for (const { item } of preferences) {
    const wish = item.marketing === 'stop' ? 'stop' : 'start'
    for (const contactId of await contactsOf(ctx, [item.person]))
      wishes.push({ contactId, wish, at: timeOf(ctx, item.sentAt) })
  }
  await applyWishes(ctx, wishes)
}

// Messages that are there already ---------------------------------------------------------------------------------

const storeAlteration = async (
  ctx: Ctx,
  { channelAccountId, item }: Of<ReactionItem | EditItem | RevokeItem>,
): Promise<Leftover[]> => {
  const about = {
    channelAccountId,
    targetId: item.targetId,
    by: item.isEcho ? ('business' as const) : ('customer' as const),
    at: timeOf(ctx, item.sentAt),
  }
  const isDone = await alterMessage(
    ctx,
    item.type === 'reaction'
      ? { ...about, is: 'reaction', emoji: item.emoji }
      : item.type === 'edit'
        ? { ...about, is: 'edit', body: item.content.body }
        : { ...about, is: 'revoke' },
  )
  // A reaction to something that we never had says nothing; a text that was changed is worth keeping.
  return isDone || item.type === 'reaction'
    ? []
    : [leftoverOf(channelAccountId, item.type, JSON.stringify(item))]
}

// Statuses --------------------------------------------------------------------------------------------------------

const toReport = ({ channelAccountId, item }: Of<StatusItem>): ReportedStatus => ({
  channelAccountId,
  externalId: item.externalId,
  attemptId: item.callbackData,
  // A voice note that was played was read.
  status: item.status === 'played' ? 'read' : item.status,
  failure:
    item.status === 'failed'
      ? {
          code: item.failure?.code ?? 'UNKNOWN',
          message: item.failure?.message ?? 'WhatsApp gave no reason.',
        }
      : null,
})

/** A refusal may be how we learn that somebody wants no marketing. */
const noteRefusedMarketing = async (ctx: Ctx, statuses: readonly Of<StatusItem>[]): Promise<void> => {
  const people = statuses
    .filter(({ item }) => item.failure?.kind === 'optedOut')
    .map(({ item }) => item.recipient)
  const ids = await contactsOf(ctx, people)
  if (ids.length > 0) await setOptedOut(ctx, ids, ctx.now())
}
