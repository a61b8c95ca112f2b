// What a webhook of Telegram, Messenger or SMS brought, into the workspace: one transaction, in the order in which the
// kinds depend on each other.
import type {
  SocialChannelName,
  SocialEdit,
  SocialItem,
  SocialMessage,
  SocialPerson,
  SocialReach,
  SocialReaction,
  SocialRevoke,
  SocialStatus,
  SocialWatermark,
} from '../../../channels/channel.ts'
import { type Ctx, inTransaction } from '../../ctx.ts'
import type { Metadata } from '../../db/tables.ts'
import { meetPeople } from '../../resources/channel-people/meet-people.ts'
import { setReach } from '../../resources/channel-people/queries.ts'
import { findContactIds } from '../../resources/contacts/people-queries.ts'
import { type ProvenPerson, resolvePeople } from '../../resources/contacts/resolve-people.ts'
import { alterMessage } from '../../resources/conversations/alter-message.ts'
import { applyStatuses } from '../../resources/conversations/apply-statuses.ts'
import { applyWatermarks } from '../../resources/conversations/apply-watermarks.ts'
import { findOwnAttempts } from '../../resources/conversations/echo-queries.ts'
import { noteInThread } from '../../resources/conversations/note-in-thread.ts'
import { type ReceivedMessage, receiveMessages } from '../../resources/conversations/receive-messages.ts'
import { PHONE_PREFIX } from '../../resources/conversations/thread-queries.ts'
import type { Routed } from '../ingest.ts'
import { insertLeftovers, type Leftover, leftoverOf } from '../leftovers.ts'

type Of<T extends SocialItem> = { channelAccountId: string; item: T }

export const storeSocialItems = (
  ctx: Ctx,
  channel: SocialChannelName,
  routed: readonly Routed<SocialItem>[],
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const pick = <K extends SocialItem['type']>(...types: K[]) =>
      routed.filter(({ item }) => types.includes(item.type as K)) as Of<Extract<SocialItem, { type: K }>>[]
    const { messages, returned } = await takeReturned(ctx, pick('message'))
    await storeMessages(ctx, channel, messages)
    const leftovers = pick('unknown').map(({ channelAccountId, item }) =>
      leftoverOf(channelAccountId, item.reason, item.raw),
    )
    for (const alteration of pick('reaction', 'edit', 'revoke'))
      leftovers.push(...(await storeAlteration(ctx, channel, alteration)))
    await applyStatuses(
      ctx,
      [...pick('status'), ...returned].map(({ channelAccountId, item }) => ({ ...item, channelAccountId })),
    )
    await storeWatermarks(ctx, channel, pick('watermark'))
    for (const reach of pick('reach')) await storeReach(ctx, channel, reach)
    if (leftovers.length > 0) await insertLeftovers(ctx, leftovers)
  })

/** The provider's time; none, or one that is yet to come, is now: a window must not stay open for longer than it may. */
const timeOf = (ctx: Ctx, sentAt: Date | null): Date => {
  const now = ctx.now()
  return sentAt && sentAt < now ? sentAt : now
}

const NAMES: Record<SocialChannelName, string> = {
  telegram: 'Telegram user',
  facebook: 'Facebook user',
  sms: '',
}

/** What somebody is called of whom the provider said no name. SMS has the number. */
const fallbackName = (channel: SocialChannelName, { externalId }: SocialPerson): string | null =>
  NAMES[channel] ? `${NAMES[channel]} ${externalId.slice(-4)}` : null

const toProven = (channel: SocialChannelName, person: SocialPerson): ProvenPerson => ({
  userId: null,
  waId: null,
  phone: person.phone,
  name: person.name,
  username: person.username,
  nameIfNew: person.name ?? fallbackName(channel, person),
  own: { kind: channel, value: person.externalId },
  countryIso: person.countryIso,
})

// Messages --------------------------------------------------------------------------------------------------------

/** Of messages that the business wrote elsewhere, those that are our own, come back: they tell that they went out. */
const takeReturned = async (
  ctx: Ctx,
  messages: readonly Of<SocialMessage>[],
): Promise<{ messages: Of<SocialMessage>[]; returned: Of<SocialStatus>[] }> => {
  const claimed = messages.flatMap(({ channelAccountId, item }) =>
    item.attemptId ? [{ channelAccountId, attemptId: item.attemptId }] : [],
  )
  const own = claimed.length > 0 ? await findOwnAttempts(ctx, claimed) : new Set<string>()
  const isReturned = ({ item }: Of<SocialMessage>) => item.attemptId !== null && own.has(item.attemptId)
  const returned = messages.filter(isReturned).map(
    ({ channelAccountId, item }): Of<SocialStatus> => ({
      channelAccountId,
      item: {
        type: 'status',
        accountName: item.accountName,
        sentAt: item.sentAt,
        externalId: item.externalId,
        attemptId: item.attemptId,
        status: 'sent',
        failure: null,
      },
    }),
  )
  return { messages: messages.filter((message) => !isReturned(message)), returned }
}

const storeMessages = async (
  ctx: Ctx,
  channel: SocialChannelName,
  messages: readonly Of<SocialMessage>[],
): Promise<void> => {
  if (messages.length === 0) return
  const contacts = await resolvePeople(
    ctx,
    messages.map(({ item }) => toProven(channel, item.person)),
  )
  const received = messages.map(
    ({ channelAccountId, item }, index): ReceivedMessage => ({
      channelAccountId,
      contact: contacts[index]!,
      direction: item.isEcho ? 'outbound' : 'inbound',
      senderId: `${PHONE_PREFIX}${channelAccountId}`,
      body: item.body,
      externalId: item.externalId,
      sentAt: timeOf(ctx, item.sentAt),
      metadata: metadataOf(item),
      replyToExternalId: item.replyTo?.externalId ?? null,
      replyQuote: item.replyTo?.quote ?? null,
      attachments: item.files.map(({ isInline, mimeType, size, ...file }) => ({
        ...file,
        mimeType: mimeType ?? 'application/octet-stream',
        size: isInline ? Buffer.byteLength(JSON.stringify(file.source)) : (size ?? 0),
        state: isInline ? ('inline' as const) : ('pending' as const),
      })),
    }),
  )
  const fresh = new Set(await receiveMessages(ctx, channel, received))
  const { fetchProfile } = ctx.channels[channel]
  await meetPeople(
    ctx,
    messages.flatMap(({ channelAccountId, item }, index) =>
      item.isEcho && !fetchProfile
        ? []
        : [
            {
              channelAccountId,
              externalId: item.person.externalId,
              // A name that only stood in for one is followed by the right one.
              name:
                item.person.name ?? (contacts[index]!.created ? fallbackName(channel, item.person) : null),
              contactId: contacts[index]!.id,
              hasProfile: fetchProfile !== undefined,
            },
          ],
    ),
  )
  // In their order: the last word counts. One that comes again says nothing new.
  for (const [index, { channelAccountId, item }] of messages.entries())
    if (item.wish !== null && fresh.has(received[index]!))
      await setReach(ctx, {
        channelAccountId,
        externalId: item.person.externalId,
        reason: item.wish === 'stop' ? 'opted_out' : null,
        at: timeOf(ctx, item.sentAt),
      })
}

const metadataOf = ({ metadata }: SocialMessage): Metadata | null =>
  Object.keys(metadata).length > 0 ? metadata : null

// Messages that are there already ---------------------------------------------------------------------------------

const storeAlteration = async (
  ctx: Ctx,
  channel: SocialChannelName,
  { channelAccountId, item }: Of<SocialReaction | SocialEdit | SocialRevoke>,
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
        ? { ...about, is: 'edit', body: item.body }
        : { ...about, is: 'revoke' },
  )
  // A reaction to something that we never had says nothing; a text that was changed is worth keeping.
  if (isDone || item.type === 'reaction') return []
  if (item.type === 'edit' && item.whole) {
    await storeMessages(ctx, channel, [{ channelAccountId, item: item.whole }])
    return []
  }
  return [leftoverOf(channelAccountId, item.type, JSON.stringify(item))]
}

// What is heard of what went out, and of who can be reached -------------------------------------------------------

const contactOf = async (
  ctx: Ctx,
  channel: SocialChannelName,
  { externalId }: SocialPerson,
): Promise<string | undefined> => (await findContactIds(ctx, [{ kind: channel, value: externalId }]))[0]

const storeWatermarks = async (
  ctx: Ctx,
  channel: SocialChannelName,
  watermarks: readonly Of<SocialWatermark>[],
): Promise<void> => {
  // The last of each kind says what those before it said.
  const last = new Map<string, Of<SocialWatermark>>()
  for (const watermark of watermarks) {
    const { item, channelAccountId } = watermark
    const key = [channelAccountId, item.person.externalId, item.status].join('\n')
    const known = last.get(key)
    if (!known || known.item.upTo < item.upTo) last.set(key, watermark)
  }
  for (const { channelAccountId, item } of last.values()) {
    const contactId = await contactOf(ctx, channel, item.person)
    if (contactId)
      await applyWatermarks(ctx, [{ channelAccountId, contactId, status: item.status, upTo: item.upTo }])
  }
}

const storeReach = async (
  ctx: Ctx,
  channel: SocialChannelName,
  { channelAccountId, item }: Of<SocialReach>,
): Promise<void> => {
  const { person, isBlocked, sentAt } = item
  const isNews = await setReach(ctx, {
    channelAccountId,
    externalId: person.externalId,
    reason: isBlocked ? 'blocked' : null,
    at: timeOf(ctx, sentAt),
  })
  const contactId = isNews ? await contactOf(ctx, channel, person) : undefined
  if (contactId)
    await noteInThread(ctx, {
      contactId,
      channelAccountId,
      body: isBlocked ? 'The customer has blocked the bot' : 'The customer can be reached again',
      metadata: { event: 'reach', isBlocked },
    })
}
