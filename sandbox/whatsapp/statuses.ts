// The statuses of an accepted message: sent, delivered, read or failed, each reported by webhook.
import type { DeliveryStatus } from '../entry.ts'
import type { Customer } from './customers.ts'
import { type StatusError, statusErrorOf } from './graph-error.ts'
import type { Sent } from './sent-record.ts'
import { metadataOf, timestampOf, type World, webhookUrlOf } from './world.ts'

export type Plan = {
  sent: Sent
  customer: Customer | undefined
  /** The error code if the message fails after it was accepted. */
  failsWith?: { code: number; details?: string }
  skipsDelivered?: boolean
  /** Reactions only get the sent status. */
  isReaction?: boolean
}

/** Schedules the statuses. With `sentNow`, "sent" goes out at once and is awaited. */
export const planStatuses = (world: World, plan: Plan, { sentNow = false } = {}): Promise<void> => {
  const { clock, settings } = world
  const { failsWith } = plan
  if (failsWith) {
    clock.after(settings.statusDelays.sentMs, () =>
      reportStatus(world, plan, 'failed', { error: statusErrorOf(failsWith.code, failsWith.details) }),
    )
    return Promise.resolve()
  }
  if (sentNow)
    return new Promise((resolve) => {
      reportStatus(world, plan, 'sent', { onSent: resolve })
      planRest(world, plan)
    })
  clock.after(settings.statusDelays.sentMs, () => {
    reportStatus(world, plan, 'sent')
    planRest(world, plan)
  })
  return Promise.resolve()
}

const planRest = (world: World, plan: Plan): void => {
  if (plan.isReaction) return
  const { clock, settings } = world
  const { customer } = plan
  clock.after(settings.statusDelays.deliveredMs, () => {
    const readMs = (customer?.receipts ?? 'auto') === 'auto' ? settings.statusDelays.readMs : null
    if (!plan.skipsDelivered) reportStatus(world, plan, 'delivered')
    else if (readMs === null) markSkipped(world, plan)
    if (readMs !== null) clock.after(readMs, () => reportStatus(world, plan, 'read'))
  })
}

/** Delivers without a webhook: only the later read status shows that it was delivered. */
const markSkipped = (world: World, { sent }: Plan): void => {
  const found = world.customers.findEntry(sent.id)
  if (found && found.entry.status === 'sent') found.entry.status = 'delivered'
}

const RANK: Record<DeliveryStatus, number> = { accepted: 0, sent: 1, delivered: 2, read: 3, failed: 4 }

export const reportStatus = (
  world: World,
  plan: Pick<Plan, 'sent' | 'customer'>,
  status: DeliveryStatus,
  { error, onSent }: { error?: StatusError; onSent?: () => void } = {},
): void => {
  const { sent, customer } = plan
  if (RANK[status] <= RANK[sent.status]) {
    onSent?.()
    return
  }
  sent.status = status
  if (error) sent.errorCode = error.code

  const found = world.customers.findEntry(sent.id)
  if (found) {
    found.entry.status = status
    if (error) found.entry.error = { code: error.code, title: error.title }
    if (status === 'read' || status === 'failed')
      found.customer.unread = Math.max(0, found.customer.unread - 1)
  }
  world.feed.publish('status', () => ({
    customerId: customer?.id ?? null,
    messageId: sent.id,
    status,
    error: found?.entry.error ?? (error ? { code: error.code, title: error.title } : null),
  }))

  const number = world.numbers.get(sent.phoneNumberId)
  if (!number) {
    onSent?.()
    return
  }
  const isBilled = status === 'sent' || status === 'delivered'
  world.webhooks.send({
    url: webhookUrlOf(world, number),
    businessAccountId: number.businessAccountId,
    field: 'messages',
    value: {
      messaging_product: 'whatsapp',
      metadata: metadataOf(number),
      // Only for known customers and never on a failure; the username only once the message was delivered.
      ...(customer && status !== 'failed' && { contacts: [contactOf(customer, sent, status)] }),
      statuses: [
        {
          id: sent.id,
          status,
          timestamp: timestampOf(world),
          ...(sent.waId && { recipient_id: sent.waId }),
          ...(sent.userId && { recipient_user_id: sent.userId }),
          ...(isBilled && {
            pricing: {
              billable: sent.category !== 'service',
              pricing_model: 'PMP',
              category: sent.category,
              type: sent.category === 'service' ? 'free_customer_service' : 'regular',
            },
          }),
          ...(error && { errors: [error] }),
          ...(sent.opaque !== null && { biz_opaque_callback_data: sent.opaque }),
        },
      ],
    },
    onSent,
  })
}

const contactOf = (customer: Customer, sent: Sent, status: DeliveryStatus) => ({
  profile: {
    ...(customer.profileName && { name: customer.profileName }),
    ...(customer.username && status !== 'sent' && { username: customer.username }),
  },
  ...(sent.waId && { wa_id: sent.waId }),
  user_id: customer.userId,
})
