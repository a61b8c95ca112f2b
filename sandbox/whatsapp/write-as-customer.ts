// What customers do on their phones, and the resulting webhooks.
import { type Entry, newEntry, showEntry } from '../entry.ts'
import { ControlError, type Json } from '../http.ts'
import { messageOf, type WriteInput } from './customer-message.ts'
import type { Customer } from './customers.ts'
import { newMessageId } from './ids.ts'
import { reportStatus } from './statuses.ts'
import type { BusinessNumber } from './surroundings.ts'
import { metadataOf, timestampOf, type World, webhookUrlOf } from './world.ts'

export const numberOf = (world: World, id: string | undefined): BusinessNumber => {
  const number = id === undefined ? [...world.numbers.values()][0] : world.numbers.get(id)
  if (!number) throw new ControlError(`Phone number not found: ${id}`, 404)
  return number
}

export const writeAsCustomer = (world: World, customer: Customer, input: WriteInput): Entry | null => {
  const number = numberOf(world, input.phoneNumberId)
  const atMs = world.clock.now()
  const id = newMessageId(customer.waId ?? customer.userId, 'inbound')
  const { message, shown } = messageOf(world, customer, input)
  const context = contextOf(world, number, input)
  sendValue(world, number, {
    contacts: [
      {
        profile: {
          ...(customer.profileName !== null && { name: customer.profileName }),
          ...(customer.username && { username: customer.username }),
        },
        ...idsOf(customer),
      },
    ],
    messages: [
      {
        ...senderOf(customer),
        id,
        timestamp: timestampOf(world),
        ...(context && { context }),
        ...(input.referral && { referral: input.referral }),
        ...message,
      },
    ],
  })
  customer.lastWroteAtMs.set(number.id, atMs)

  if (input.type === 'reaction') {
    const { entry } = world.customers.findEntry(input.messageId)!
    if (input.emoji) entry.reactions.customer = input.emoji
    else delete entry.reactions.customer
    world.feed.publish('reaction', () => ({ customerId: customer.id, messageId: entry.id }))
    return null
  }
  const entry = newEntry({
    id: typeof message.id === 'string' ? message.id : id,
    from: 'customer',
    phoneNumberId: number.id,
    atMs,
    type: String(message.type ?? input.type),
    content: shown,
    replyTo: context?.id ?? null,
  })
  world.customers.addEntry(customer, entry)
  world.feed.publish('message', () => ({ customerId: customer.id, entry: showEntry(world.clock, entry) }))
  return entry
}

const contextOf = (world: World, number: BusinessNumber, input: WriteInput) => {
  const id = input.type === 'tap' ? input.messageId : input.replyTo
  if (!id) return undefined
  const quoted = world.customers.findEntry(id)
  const isOurs = quoted?.entry.from !== 'customer'
  return {
    from: isOurs ? metadataOf(number).display_phone_number : (quoted?.customer.waId ?? undefined),
    id,
  }
}

const waIdShown = ({ showsPhone, waId }: Customer): string | null => (showsPhone ? waId : null)

const senderOf = (customer: Customer) => ({
  ...(waIdShown(customer) && { from: waIdShown(customer) }),
  from_user_id: customer.userId,
})

/** The customer's ids for a webhook's `wa_id` and `user_id`. */
const idsOf = (customer: Customer) => ({
  ...(waIdShown(customer) && { wa_id: waIdShown(customer) }),
  user_id: customer.userId,
})

export const sendValue = (world: World, number: BusinessNumber, value: Json, field = 'messages'): void =>
  world.webhooks.send({
    url: webhookUrlOf(world, number),
    businessAccountId: number.businessAccountId,
    field,
    value: { messaging_product: 'whatsapp', metadata: metadataOf(number), ...value },
  })

/** Opens the thread: everything delivered is marked as read, unless the customer has read receipts off. */
export const readAsCustomer = (world: World, customer: Customer, phoneNumberId?: string): number => {
  customer.unread = 0
  if (customer.receipts === 'off') return 0
  const arrived = new Set(
    customer.thread
      .filter(
        (entry) =>
          entry.from === 'business' &&
          entry.status === 'delivered' &&
          (!phoneNumberId || entry.phoneNumberId === phoneNumberId),
      )
      .map(({ id }) => id),
  )
  if (arrived.size === 0) return 0
  for (const sent of world.sent.listByIds(arrived)) reportStatus(world, { sent, customer }, 'read')
  return arrived.size
}

/** Opts out of marketing messages, or back in, as WhatsApp's own switch does. */
export const setOptOut = (world: World, customer: Customer, hasOptedOut: boolean): void => {
  customer.hasOptedOut = hasOptedOut
  const { profileName } = customer
  const value = {
    contacts: [{ profile: { ...(profileName && { name: profileName }) }, ...idsOf(customer) }],
    user_preferences: [
      {
        ...idsOf(customer),
        detail: `User requested to ${hasOptedOut ? 'stop' : 'resume'} marketing messages`,
        category: 'marketing_messages',
        value: hasOptedOut ? 'stop' : 'resume',
        timestamp: Number(timestampOf(world)),
      },
    ],
  }
  for (const number of world.numbers.values()) sendValue(world, number, value, 'user_preferences')
}

/** Changes the customer's number; WhatsApp reports it in a message without contacts. */
export const changeNumber = (world: World, customer: Customer, phone: string): void => {
  const before = customer.waId
  if (!before) throw new ControlError('This customer has no number to change.')
  if (world.customers.findByPhone(phone.replace(/\D/g, '')))
    throw new ControlError('This number belongs to another customer.', 409)
  world.customers.changeNumber(customer, phone)
  for (const number of world.numbers.values())
    if (customer.lastWroteAtMs.has(number.id) || world.numbers.size === 1)
      sendValue(world, number, {
        messages: [
          {
            from: before,
            id: newMessageId(before, 'inbound'),
            timestamp: timestampOf(world),
            type: 'system',
            system: {
              body: `User ${customer.profileName ?? ''} changed from ${before} to ${customer.waId}`,
              wa_id: customer.waId,
              type: 'user_changed_number',
            },
          },
        ],
      })
}

/** A message that the business sent from its own phone, outside this API. */
export const sendEcho = (
  world: World,
  customer: Customer,
  phoneNumberId: string | undefined,
  text: string,
): string => {
  const number = numberOf(world, phoneNumberId)
  const id = newMessageId(customer.waId ?? customer.userId, 'outbound')
  sendValue(
    world,
    number,
    {
      message_echoes: [
        {
          from: metadataOf(number).display_phone_number,
          ...(customer.waId && { to: customer.waId }),
          id,
          timestamp: timestampOf(world),
          type: 'text',
          text: { body: text },
        },
      ],
    },
    'smb_message_echoes',
  )
  return id
}
