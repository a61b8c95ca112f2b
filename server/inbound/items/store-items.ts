// Stores webhook items in the workspace: one transaction, in the order in which the kinds depend on each other.
import type {
  EditItem,
  IdentityItem,
  InboundItem,
  MessageItem,
  PreferenceItem,
  ReactionItem,
  RevokeItem,
  StatusItem,
} from '../../../channels/channel.ts'
import type { WebhookChannelName } from '../../../channels/definitions.ts'
import { setReach } from '../../domain/channel-people/queries.ts'
import { saveChannelPeople } from '../../domain/channel-people/save-channel-people.ts'
import { namesOf } from '../../domain/contacts/names.ts'
import { setOptedIn, setOptedOut } from '../../domain/contacts/people-queries.ts'
import { channelPlaceholder } from '../../domain/contacts/placeholder-name.ts'
import { PHONE_PREFIX } from '../../domain/conversations/thread-queries.ts'
import { withoutErased } from '../../domain/erasures/erased-identities.ts'
import { addSystemLine } from '../../domain/messages/add-system-line.ts'
import { type Alteration, alterMessage } from '../../domain/messages/alter-message.ts'
import { findOwnAttempts } from '../../domain/messages/echo-queries.ts'
import { alterOrPark, applyParkedAlterations } from '../../domain/messages/parked-alterations.ts'
import { type ReceivedMessage, receiveMessages } from '../../domain/messages/receive-messages.ts'
import { renamePerson } from '../../domain/people/rename-person.ts'
import { type ResolvedPerson, resolvePeople } from '../../domain/people/resolve-people.ts'
import { applyTemplateChanges } from '../../domain/templates/apply-template-changes.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { insertLeftovers, leftoverOf } from '../leftovers/queries.ts'
import type { Routed } from '../store-batch.ts'
import { contactsOf, timeOf, toProven } from './of-item.ts'
import { storeReach, storeStatuses, storeWatermarks } from './store-reports.ts'

/** Stores items of a channel in the caller's transaction; those already stored change nothing. */
export const storeItems = (
  ctx: Ctx,
  channel: WebhookChannelName,
  routed: readonly Routed<InboundItem>[],
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const pick = <K extends InboundItem['type']>(...types: K[]) =>
      routed.filter(({ item }) => types.includes(item.type as K)) as Routed<
        Extract<InboundItem, { type: K }>
      >[]
    for (const identity of pick('identity')) await storeIdentity(ctx, channel, identity)
    const { messages, returned } = await takeReturned(ctx, pick('message'))
    await storeMessages(ctx, channel, messages)
    for (const alteration of pick('reaction', 'edit', 'revoke'))
      await storeAlteration(ctx, channel, alteration)
    await storeStatuses(ctx, channel, [...pick('status'), ...returned])
    await storeWatermarks(ctx, channel, pick('watermark'))
    for (const reach of pick('reach')) await storeReach(ctx, channel, reach)
    await storePreferences(ctx, channel, pick('preference'))
    await applyTemplateChanges(
      ctx,
      pick('template').map(({ item }) => item),
    )
    const leftovers = pick('account', 'unknown').map(({ channelAccountId, item }) =>
      leftoverOf(channelAccountId, item.type === 'unknown' ? item.reason : item.type, item.raw),
    )
    if (leftovers.length > 0) await insertLeftovers(ctx, leftovers)
  })

// People ----------------------------------------------------------------------------------------------------------

const CHANGES = {
  phone: 'The customer has a new number',
  userId: 'The customer has a new WhatsApp user id',
  key: 'The customer’s security code has changed',
} satisfies Record<IdentityItem['change'], string>

const storeIdentity = async (
  ctx: Ctx,
  channel: WebhookChannelName,
  { channelAccountId, item }: Routed<IdentityItem>,
): Promise<void> => {
  const { person, next, change, body } = item
  const contactId =
    change === 'key'
      ? (await contactsOf(ctx, channel, [person]))[0]
      : (await renamePerson(ctx, { previous: toProven(channel, person), next: toProven(channel, next) }))?.id
  // News about people who have never written creates no contact.
  if (!contactId) return
  await addSystemLine(ctx, {
    contactId,
    channelAccountId,
    body: body ?? CHANGES[change],
    metadata: { event: 'identity', change },
  })
}

// Messages --------------------------------------------------------------------------------------------------------

/** Messages that the business wrote elsewhere. Echoes of our own confirm that they were sent. */
const takeReturned = async (
  ctx: Ctx,
  messages: readonly Routed<MessageItem>[],
): Promise<{ messages: readonly Routed<MessageItem>[]; returned: Routed<StatusItem>[] }> => {
  const claimed = messages.flatMap(({ channelAccountId, item: { attemptId } }) =>
    attemptId ? [{ channelAccountId, attemptId }] : [],
  )
  if (claimed.length === 0) return { messages, returned: [] }
  const own = await findOwnAttempts(ctx, claimed)
  const isReturned = ({ item }: Routed<MessageItem>) => item.attemptId !== null && own.has(item.attemptId)
  const returned = messages.filter(isReturned).map(
    ({ channelAccountId, item: { accountName, sentAt, externalId, attemptId } }): Routed<StatusItem> => ({
      channelAccountId,
      item: { type: 'status', accountName, sentAt, externalId, attemptId, status: 'sent', failure: null },
    }),
  )
  return { messages: messages.filter((message) => !isReturned(message)), returned }
}

const toReceived = (
  ctx: Ctx,
  { channelAccountId, item }: Routed<MessageItem>,
  contact: ResolvedPerson,
): ReceivedMessage => ({
  channelAccountId,
  contact,
  direction: item.isEcho ? 'outbound' : 'inbound',
  senderId: `${PHONE_PREFIX}${channelAccountId}`,
  body: item.body,
  externalId: item.externalId,
  sentAt: timeOf(ctx, item),
  metadata: Object.keys(item.metadata).length > 0 ? item.metadata : null,
  replyToExternalId: item.replyTo?.externalId ?? null,
  replyQuote: item.replyTo?.quote ?? null,
  attachments: item.files.map(({ isInline, mimeType, size, ...file }) => ({
    ...file,
    mimeType: mimeType ?? 'application/octet-stream',
    size: isInline ? Buffer.byteLength(JSON.stringify(file.source)) : (size ?? 0),
    state: isInline ? ('inline' as const) : ('pending' as const),
  })),
})

const storeMessages = async (
  ctx: Ctx,
  channel: WebhookChannelName,
  delivered: readonly Routed<MessageItem>[],
): Promise<void> => {
  const messages = await withoutErased(
    ctx,
    delivered.map((message) => ({ ...message, sentAt: timeOf(ctx, message.item) })),
    ({ item }) => namesOf(ctx, toProven(channel, item.person)),
  )
  if (messages.length === 0) return
  const contacts = await resolvePeople(
    ctx,
    messages.map(({ item }) => toProven(channel, item.person)),
  )
  const places = await receiveMessages(
    ctx,
    channel,
    messages.map((message, index) => toReceived(ctx, message, contacts[index]!)),
  )
  // A repeated item says nothing new: later preferences stand.
  const isFresh = (_: unknown, index: number) => !places[index]!.isRepeat
  const fresh = messages.filter(isFresh)
  await applyParkedAlterations(
    ctx,
    fresh.map(({ channelAccountId, item: { externalId } }) => ({ channelAccountId, externalId })),
  )
  if (channel !== 'whatsapp') await meet(ctx, channel, messages, contacts)
  // In order: the last one counts.
  for (const { channelAccountId, item } of fresh)
    if (item.wish !== null)
      await setReach(ctx, {
        channelAccountId,
        externalId: item.person.externalId,
        reason: item.wish === 'stop' ? 'opted_out' : null,
        at: timeOf(ctx, item),
      })
  const freshContacts = contacts.filter(isFresh)
  await applyOptKeywords(
    ctx,
    channel,
    fresh.flatMap(({ item }, index) =>
      item.broadcasts
        ? [{ contactId: freshContacts[index]!.id, wish: item.broadcasts, at: timeOf(ctx, item) }]
        : [],
    ),
  )
}

/** Records the senders. WhatsApp includes a name with each message, and identifies its users by more than one id. */
const meet = (
  ctx: Ctx,
  channel: Exclude<WebhookChannelName, 'whatsapp'>,
  messages: readonly Routed<MessageItem>[],
  contacts: readonly ResolvedPerson[],
): Promise<void> => {
  const hasProfile = ctx.channels[channel].fetchProfile !== undefined
  return saveChannelPeople(
    ctx,
    messages.flatMap(({ channelAccountId, item: { person, isEcho } }, index) => {
      const { id, created } = contacts[index]!
      // A placeholder name is replaced by the real one.
      const name = person.name ?? (created ? channelPlaceholder(channel, person.externalId) : null)
      return isEcho && !hasProfile
        ? []
        : [{ channelAccountId, externalId: person.externalId, name, contactId: id, hasProfile }]
    }),
  )
}

type Wish = { contactId: string; wish: 'stop' | 'start'; at: Date }

/** The latest preference of each counts, by the time it was expressed: a late item can't undo a later "stop". */
const applyOptKeywords = async (
  ctx: Ctx,
  channel: WebhookChannelName,
  wishes: readonly Wish[],
): Promise<void> => {
  for (const { contactId, wish, at } of wishes.toSorted((a, b) => a.at.getTime() - b.at.getTime()))
    if (wish === 'stop') await setOptedOut(ctx, [contactId], { at, channel })
    else await setOptedIn(ctx, [contactId], { at, channel })
}

const storePreferences = async (
  ctx: Ctx,
  channel: WebhookChannelName,
  preferences: readonly Routed<PreferenceItem>[],
): Promise<void> => {
  const wishes: Wish[] = []
  for (const { item } of preferences)
    for (const contactId of await contactsOf(ctx, channel, [item.person]))
      wishes.push({ contactId, wish: item.broadcasts, at: timeOf(ctx, item) })
  await applyOptKeywords(ctx, channel, wishes)
}

// Messages that are there already ---------------------------------------------------------------------------------

const storeAlteration = async (
  ctx: Ctx,
  channel: WebhookChannelName,
  { channelAccountId, item }: Routed<ReactionItem | EditItem | RevokeItem>,
): Promise<void> => {
  const about = {
    channelAccountId,
    targetId: item.targetId,
    by: item.isEcho ? ('business' as const) : ('customer' as const),
    at: timeOf(ctx, item),
  }
  const alteration: Alteration =
    item.type === 'reaction'
      ? { ...about, is: 'reaction', emoji: item.emoji }
      : item.type === 'edit'
        ? { ...about, is: 'edit', body: item.body }
        : { ...about, is: 'revoke' }
  if (item.type !== 'edit' || !item.whole) return alterOrPark(ctx, alteration)
  if (!(await alterMessage(ctx, alteration)))
    await storeMessages(ctx, channel, [{ channelAccountId, item: item.whole }])
}
