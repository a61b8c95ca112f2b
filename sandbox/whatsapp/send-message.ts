// POST /{phone number}/messages: validates the message as Meta does, accepts or rejects it, and schedules its statuses.

import { newEntry, showEntry } from '../entry.ts'
import type { Json } from '../http.ts'
import { checkContent, MESSAGE_TYPES } from './check-message.ts'
import { checkTemplate, type Rendered } from './check-template.ts'
import { type Customer, waIdOf } from './customers.ts'
import { GraphError, isInvalid, isMissing, isRefused } from './graph-error.ts'
import { digitsOf, newMessageId } from './ids.ts'
import { type Plan, planStatuses } from './statuses.ts'
import type { BusinessNumber } from './surroundings.ts'
import type { World } from './world.ts'

/** A message that has passed validation. */
export type Checked = {
  number: BusinessNumber
  recipient: Recipient
  type: string
  content: Json
  rendered: Rendered | null
  replyTo: string | null
  opaque: string | null
  /** The request body as received, for the record of sends. */
  raw: string
}
type Recipient = { input: string; waId: string | null; userId: string | null; customer: Customer | undefined }

const OPAQUE_MAX = 512
const USER_ID = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/

export const checkMessage = (world: World, number: BusinessNumber, message: Json, raw: string): Checked => {
  const { recipient_type, context, biz_opaque_callback_data: opaque } = message
  if (recipient_type !== undefined && recipient_type !== 'individual' && recipient_type !== 'group')
    throw isInvalid('Param recipient_type must be one of {INDIVIDUAL, GROUP}')
  const recipient = readRecipient(world, number, message)
  const type = message.type === undefined ? 'text' : String(message.type).toLowerCase()
  if (!MESSAGE_TYPES.includes(type))
    throw isRefused(
      `Param type must be one of {${MESSAGE_TYPES.join(', ').toUpperCase()}} - got "${message.type}".`,
    )
  if (opaque !== undefined && (typeof opaque !== 'string' || opaque.length > OPAQUE_MAX))
    throw isRefused(`Param biz_opaque_callback_data must be a string of at most ${OPAQUE_MAX} characters.`)
  const replyTo = (context as Json | undefined)?.message_id
  if (context !== undefined && typeof replyTo !== 'string') throw isMissing("context['message_id']")

  const rendered = type === 'template' ? readTemplate(world, number, recipient, message.template) : null
  return {
    number,
    recipient,
    type,
    rendered,
    content: rendered ? contentOf(rendered) : checkContent(world, type, message),
    replyTo: typeof replyTo === 'string' ? replyTo : null,
    opaque: typeof opaque === 'string' ? opaque : null,
    raw,
  }
}

const readTemplate = (
  world: World,
  number: BusinessNumber,
  recipient: Recipient,
  template: unknown,
): Rendered => {
  if (!template || typeof template !== 'object') throw isMissing('template')
  const rendered = checkTemplate(world, world.accounts.get(number.businessAccountId)!, template as Json)
  if (!recipient.waId && rendered.template.category === 'AUTHENTICATION') throw new GraphError(131062)
  return rendered
}

const contentOf = ({ template, ...shown }: Rendered): Json => ({ name: template.name, ...shown })

/** A phone number in `to`, or a business-scoped id in `recipient`. The phone number wins. */
const readRecipient = (world: World, number: BusinessNumber, { to, recipient }: Json): Recipient => {
  if (to !== undefined && to !== '') {
    const input = String(to)
    const digits = digitsOf(input)
    if (!/^\+?[\d\s().-]+$/.test(input) || digits.length < 7 || digits.length > 15)
      throw isInvalid(`Param to is not a valid phone number: ${input.slice(0, 40)}`)
    if (digits === digitsOf(number.displayPhoneNumber)) throw new GraphError(131021)
    const customer = world.customers.findByPhone(digits) ?? world.customers.findByPhone(waIdOf(digits))
    return { input, waId: customer?.waId ?? waIdOf(digits), userId: customer?.userId ?? null, customer }
  }
  if (recipient === undefined || recipient === '') throw isMissing('to')
  if (typeof recipient !== 'string' || !USER_ID.test(recipient))
    throw isInvalid('Param recipient is not a valid business-scoped user ID')
  return {
    input: recipient,
    waId: null,
    userId: recipient,
    customer: world.customers.findByUserId(recipient),
  }
}

/** The recipient's ids, for matching rules. */
export const recipientsOf = ({ recipient: { input, waId, userId, customer } }: Checked): string[] =>
  [digitsOf(input), input, waId, userId, customer?.id].filter((id) => typeof id === 'string')

/** Why WhatsApp would reject or not deliver the message now, however that is reported. */
const refusalOf = (world: World, checked: Checked): '131026' | '131047' | '131050' | undefined => {
  const { number, recipient, rendered, type } = checked
  const { customer } = recipient
  const { settings, clock, customers } = world
  if (customer ? !customer.isOnWhatsApp || customer.hasBlocked : isUnknown(world, recipient)) return '131026'
  if (customer?.hasOptedOut && rendered?.template.category === 'MARKETING') return '131050'
  if (type === 'template' || !settings.enforceWindow) return undefined
  return customers.isWindowOpen(customer, number.id, clock.now()) ? undefined : '131047'
}

const isUnknown = ({ settings }: World, { waId }: Recipient): boolean =>
  !waId || settings.strangers === 'refuse'

/** Throws if the rate limit is exceeded, or if rejections are set to be reported in the response. */
export const acceptMessage = (
  world: World,
  checked: Checked,
  how: { failsWith?: Plan['failsWith']; skipsDelivered?: boolean; isHeld?: boolean; sentNow?: boolean } = {},
) => {
  const { number, recipient, type, rendered } = checked
  const { settings, clock } = world
  const nowMs = clock.now()
  if (settings.messagesPerSecond && !world.pace.takeThroughput(number.id, settings.messagesPerSecond, nowMs))
    throw new GraphError(130429)
  if (settings.enforcePairRate && !world.pace.takePair(number.id, recipient.waId ?? recipient.input, nowMs))
    throw new GraphError(131056)
  const refusal = refusalOf(world, checked)
  if (refusal && settings.refusedBy[refusal] === 'answer') throw new GraphError(Number(refusal))

  const customer = recipient.customer ?? addStranger(world, recipient)
  const sent = world.sent.add({
    id: newMessageId(recipient.waId ?? recipient.input, 'outbound'),
    atMs: nowMs,
    phoneNumberId: number.id,
    input: recipient.input,
    waId: recipient.waId,
    userId: customer?.userId ?? recipient.userId,
    type,
    category: rendered?.template.category.toLowerCase() ?? 'service',
    templateName: rendered?.template.name ?? null,
    opaque: checked.opaque,
    status: 'accepted',
    errorCode: null,
    body: checked.raw,
  })
  if (customer) showOnPhone(world, customer, checked, sent.id, nowMs)
  const firstSent = planStatuses(
    world,
    {
      sent,
      customer,
      failsWith: how.failsWith ?? (refusal ? { code: Number(refusal) } : undefined),
      skipsDelivered: how.skipsDelivered,
      isReaction: type === 'reaction',
    },
    { sentNow: how.sentNow },
  )
  return {
    firstSent,
    answer: {
      messaging_product: 'whatsapp',
      contacts: [
        {
          input: recipient.input,
          ...(recipient.waId && { wa_id: recipient.waId }),
          ...(sent.userId && { user_id: sent.userId }),
        },
      ],
      messages: [
        {
          id: sent.id,
          ...(rendered && { message_status: how.isHeld ? 'held_for_quality_assessment' : 'accepted' }),
        },
      ],
    },
  }
}

const addStranger = (world: World, { waId }: Recipient): Customer | undefined => {
  if (!waId || world.settings.strangers !== 'create') return undefined
  const customer = world.customers.add({ phone: waId, isStranger: true })
  if (customer) world.feed.publish('customer', () => ({ customerId: customer.id }))
  return customer
}

const showOnPhone = (world: World, customer: Customer, checked: Checked, id: string, atMs: number): void => {
  const { type, content, number, replyTo } = checked
  if (type === 'reaction') {
    const target = world.customers.findEntry(String(content.messageId))
    if (!target || target.customer !== customer) return
    if (content.emoji) target.entry.reactions.business = String(content.emoji)
    else delete target.entry.reactions.business
    world.feed.publish('reaction', () => ({ customerId: customer.id, messageId: target.entry.id }))
    return
  }
  const from = 'business'
  const entry = newEntry({
    id,
    from,
    phoneNumberId: number.id,
    atMs,
    type,
    content,
    replyTo,
    status: 'accepted',
  })
  world.customers.addEntry(customer, entry)
  world.feed.publish('message', () => ({ customerId: customer.id, entry: showEntry(world.clock, entry) }))
}

/** Marks the message and all earlier ones as read, and shows the typing indicator if requested. */
export const markRead = (world: World, number: BusinessNumber, { message_id, typing_indicator }: Json) => {
  if (typeof message_id !== 'string' || !message_id) throw isMissing('message_id')
  const found = world.customers.findEntry(message_id)
  if (found?.entry.from !== 'customer' || found.entry.phoneNumberId !== number.id)
    throw isInvalid('Message ID is not one that this number received')
  for (const entry of found.customer.thread) {
    if (entry.from === 'customer' && entry.phoneNumberId === number.id) entry.isReadByBusiness = true
    if (entry === found.entry) break
  }
  world.feed.publish('read', () => ({ customerId: found.customer.id, messageId: message_id }))
  if (typing_indicator !== undefined) {
    if ((typing_indicator as Json | null)?.type !== 'text')
      throw isInvalid("Param typing_indicator['type'] must be one of {TEXT}")
    world.feed.publish('typing', () => ({ customerId: found.customer.id, phoneNumberId: number.id }))
  }
  return { success: true }
}
