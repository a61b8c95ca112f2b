// Reports about sent messages and about who can be reached.
import type { ReachItem, StatusItem, WatermarkItem } from '../../../channels/channel.ts'
import type { WebhookChannelName } from '../../../channels/definitions.ts'
import { setReach } from '../../domain/channel-people/queries.ts'
import { setOptedOut } from '../../domain/contacts/people-queries.ts'
import { addSystemLine } from '../../domain/messages/add-system-line.ts'
import { applyStatuses } from '../../domain/messages/apply-statuses.ts'
import { advanceStatus } from '../../domain/messages/message-status.ts'
import { listBehindWatermark } from '../../domain/messages/watermark-queries.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Routed } from '../store-batch.ts'
import { contactsOf, timeOf } from './of-item.ts'

export const storeStatuses = async (
  ctx: Ctx,
  channel: WebhookChannelName,
  statuses: readonly Routed<StatusItem>[],
): Promise<void> => {
  await applyStatuses(
    ctx,
    statuses.map(({ channelAccountId, item: { externalId, attemptId, status, failure } }) => ({
      channelAccountId,
      externalId,
      attemptId,
      status,
      failure,
    })),
  )
  // A rejection may be how we learn that a recipient opted out of broadcasts.
  const people = statuses.flatMap(({ item }) => (item.isOptedOut && item.person ? [item.person] : []))
  const ids = await contactsOf(ctx, channel, people)
  if (ids.length > 0) await setOptedOut(ctx, ids, { at: ctx.now(), channel })
}

export const storeWatermarks = async (
  ctx: Ctx,
  channel: WebhookChannelName,
  watermarks: readonly Routed<WatermarkItem>[],
): Promise<void> => {
  // The last of each kind supersedes those before it.
  const last = new Map<string, Routed<WatermarkItem>>()
  for (const watermark of watermarks) {
    const { item, channelAccountId } = watermark
    const key = [channelAccountId, item.person.externalId, item.status].join('\n')
    const known = last.get(key)
    if (!known || known.item.upTo < item.upTo) last.set(key, watermark)
  }
  for (const { channelAccountId, item } of last.values()) {
    const [contactId] = await contactsOf(ctx, channel, [item.person])
    if (!contactId) continue
    const { status, upTo } = item
    const ids = await listBehindWatermark(ctx, { channelAccountId, contactId, status, upTo })
    await advanceStatus(ctx, ids, status)
  }
}

export const storeReach = async (
  ctx: Ctx,
  channel: WebhookChannelName,
  { channelAccountId, item }: Routed<ReachItem>,
): Promise<void> => {
  const { person, isBlocked } = item
  const isNews = await setReach(ctx, {
    channelAccountId,
    externalId: person.externalId,
    reason: isBlocked ? 'blocked' : null,
    at: timeOf(ctx, item),
  })
  const [contactId] = isNews ? await contactsOf(ctx, channel, [person]) : []
  if (contactId)
    await addSystemLine(ctx, {
      contactId,
      channelAccountId,
      body: isBlocked ? 'The customer has blocked the bot' : 'The customer can be reached again',
      metadata: { event: 'reach', isBlocked },
    })
}
