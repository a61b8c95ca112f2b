// Everything that can be done to the sandbox from outside: by a test in the same process, or over HTTP under /control.
import type { Static } from 'typebox'
import Type from 'typebox'
import { newEntry, type PastEntry, showEntry } from './entry.ts'
import { ControlError } from './http.ts'
import { applySettings, type SettingsPatch } from './settings.ts'
import { absent, closed, PhoneNumber } from './shapes.ts'
import type { WriteInput } from './whatsapp/customer-message.ts'
import { type Customer, windowEndsAtMs } from './whatsapp/customers.ts'
import type { Fault, FaultInput } from './whatsapp/faults.ts'
import { digitsOf } from './whatsapp/ids.ts'
import type { ListInput } from './whatsapp/sent-record.ts'
import type { BusinessAccount, BusinessNumber } from './whatsapp/surroundings.ts'
import { keyOf, makeTemplate, type Template, type TemplateInput } from './whatsapp/template.ts'
import { shakeHands } from './whatsapp/webhooks.ts'
import { type World, webhookUrlOf } from './whatsapp/world.ts'
import {
  changeNumber,
  numberOf,
  readAsCustomer,
  sendEcho,
  sendValue,
  setOptOut,
  writeAsCustomer,
} from './whatsapp/write-as-customer.ts'

const Name = absent(Type.String({ maxLength: 200 }))
const CustomerFields = {
  username: Name,
  profileName: Name,
  showsPhone: Type.Optional(Type.Boolean()),
  isOnWhatsApp: Type.Optional(Type.Boolean()),
  hasBlocked: Type.Optional(Type.Boolean()),
  hasOptedOut: Type.Optional(Type.Boolean()),
  receipts: Type.Optional(Type.Enum(['auto', 'opened', 'off'])),
}
export const CustomerInput = closed({
  phone: absent(PhoneNumber),
  userId: Type.Optional(Type.String({ pattern: '^[A-Z]{2}\\.(ENT\\.)?[A-Za-z0-9]{1,128}$' })),
  ...CustomerFields,
})
export const CustomerPatch = closed(CustomerFields)
export const NumberInput = closed({
  id: Type.String({ pattern: '^\\d{1,30}$' }),
  businessAccountId: Type.String({ pattern: '^\\d{1,30}$' }),
  displayPhoneNumber: Type.String({ minLength: 1, maxLength: 40 }),
  verifiedName: Type.String({ minLength: 1, maxLength: 200 }),
  webhookUrl: absent(Type.String()),
})
export const WebhookInput = closed({
  phoneNumberId: Type.Optional(Type.String()),
  field: Type.Optional(Type.String()),
  value: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  payload: Type.Optional(Type.Unknown()),
})

export type PastThread = {
  phone: string | null
  userId: string | null
  profileName: string | null
  username: string | null
  entries: PastEntry[]
}

export type Control = ReturnType<typeof makeControl>

const HOUR_MS = 3_600_000
const ADVANCE_MAX_HOURS = 24 * 366

export const makeControl = (world: World, onAdvance: ((hours: number) => Promise<void>) | null = null) => ({
  ...makeWorldControl(world, onAdvance),
  ...makeCustomerControl(world),
  ...makeTemplateControl(world),
  ...makeTrafficControl(world),
})

/** The settings, the clock, the numbers and the faults. */
const makeWorldControl = (world: World, onAdvance: ((hours: number) => Promise<void>) | null) => {
  const { customers, clock, faults, settings, webhooks, feed } = world
  const jump = (hours: number): void => {
    clock.advance(hours * HOUR_MS)
    feed.publish('clock', () => ({ nowMs: clock.shown(clock.now()) }))
  }
  return {
    state: () => ({
      nowMs: clock.shown(clock.now()),
      aheadHours: clock.shown(clock.aheadMs()) / HOUR_MS,
      numbers: [...world.numbers.values()],
      customers: customers.list().map((customer) => showCustomer(world, customer)),
      faults: faults.list(),
      webhooks: webhooks.state(),
      sent: world.sent.totals(),
    }),
    settings: () => {
      const { appSecret: _a, accessToken: _b, verifyToken: _c, ...shown } = settings
      return structuredClone(shown)
    },
    set: (patch: SettingsPatch): void => {
      if (patch.webhookUrl && !URL.canParse(patch.webhookUrl))
        throw new ControlError('webhookUrl must be a URL.')
      applySettings(settings, patch)
      webhooks.pump()
      feed.publish('settings', () => ({}))
    },
    /** Moves the clock forward: reply windows close, URLs expire, statuses and retries fall due. */
    advance: (hours: number): Promise<void> | undefined => {
      if (!(hours >= 0 && hours <= ADVANCE_MAX_HOURS))
        throw new ControlError(`hours must be from 0 to ${ADVANCE_MAX_HOURS}.`)
      if (onAdvance) return onAdvance(hours).then(() => jump(hours))
      jump(hours)
      return undefined
    },
    addNumber: (input: Static<typeof NumberInput>): BusinessNumber => addNumber(world, input),
    addFault: (input: FaultInput): Fault => faults.add(input),
    faults: () => faults.list(),
    removeFault: (id: string): void => {
      if (!faults.remove(id)) throw new ControlError(`Fault not found: ${id}`, 404)
    },
    clearFaults: (): void => faults.clear(),
    media: (id: string) => world.media.find(id, clock.now()),
  }
}

const showCustomer = ({ numbers, clock }: World, { thread: _, lastWroteAtMs, ...customer }: Customer) => ({
  ...customer,
  windows: [...numbers.keys()].map((phoneNumberId) => {
    const endsAtMs = windowEndsAtMs({ lastWroteAtMs }, phoneNumberId)
    return {
      phoneNumberId,
      endsAtMs: endsAtMs ? clock.shown(endsAtMs) : null,
      isOpen: clock.now() < endsAtMs,
    }
  }),
})

const makeCustomerControl = (world: World) => {
  const { customers, feed } = world
  const customerOf = (id: string): Customer => {
    const customer = customers.get(id)
    if (!customer) throw new ControlError(`Customer not found: ${id}`, 404)
    return customer
  }
  const publish = (customer: Customer) => {
    feed.publish('customer', () => ({ customerId: customer.id }))
    return showCustomer(world, customer)
  }
  return {
    customers: () => customers.list().map((customer) => showCustomer(world, customer)),
    customer: (id: string) => showCustomer(world, customerOf(id)),
    addCustomer: (input: Static<typeof CustomerInput>) => {
      const customer = customers.add(input)
      if (!customer)
        throw new ControlError('This customer already exists, or there are too many customers.', 409)
      return publish(customer)
    },
    changeCustomer: (id: string, { hasOptedOut, ...plain }: Static<typeof CustomerPatch>) => {
      const customer = customerOf(id)
      Object.assign(customer, plain)
      if (hasOptedOut !== undefined && hasOptedOut !== customer.hasOptedOut)
        setOptOut(world, customer, hasOptedOut)
      return publish(customer)
    },
    removeCustomer: (id: string): void => {
      const customer = customerOf(id)
      customers.remove(customer)
      publish(customer)
    },
    changeNumber: (id: string, phone: string) => {
      const customer = customerOf(id)
      changeNumber(world, customer, phone)
      return publish(customer)
    },
    thread: (id: string) => customerOf(id).thread.map((entry) => showEntry(world.clock, entry)),
    write: (id: string, input: WriteInput) => writeAsCustomer(world, customerOf(id), input),
    read: (id: string, phoneNumberId?: string) => readAsCustomer(world, customerOf(id), phoneNumberId),
    echo: (id: string, text: string, phoneNumberId?: string) =>
      sendEcho(world, customerOf(id), phoneNumberId, text),

    /** Restores an earlier thread from the business's records, oldest entry first. */
    restore: ({ phone, userId, profileName, username, entries }: PastThread): void => {
      const number = numberOf(world, undefined)
      const known = (phone && customers.findByPhone(digitsOf(phone))) || (userId && customers.get(userId))
      const customer =
        known ||
        customers.add({ phone, profileName, username, receipts: 'opened', ...(userId && { userId }) })
      if (!customer) return
      for (const { id, from, atMs, text, status } of entries) {
        if (customers.findEntry(id)) continue
        const past = { id, from, phoneNumberId: number.id, atMs, type: 'text', content: { text }, status }
        customers.addEntry(customer, newEntry(past))
        if (from === 'customer') customer.lastWroteAtMs.set(number.id, atMs)
      }
      customer.unread = 0
    },
  }
}

const makeTemplateControl = (world: World) => {
  const accountOf = (id: string | undefined): BusinessAccount => {
    const account = id === undefined ? [...world.accounts.values()][0] : world.accounts.get(id)
    if (!account) throw new ControlError(`Business account not found: ${id}`, 404)
    return account
  }
  const report = (account: BusinessAccount, template: Template, event: string): void => {
    const number = [...world.numbers.values()].find((one) => one.businessAccountId === account.id)
    if (!number) return
    world.webhooks.send({
      url: webhookUrlOf(world, number),
      businessAccountId: account.id,
      field: 'message_template_status_update',
      value: {
        event,
        message_template_id: Number(template.id),
        message_template_name: template.name,
        message_template_language: template.language,
        reason: template.rejected_reason ?? 'NONE',
        message_template_category: template.category,
      },
    })
  }
  return {
    templates: (accountId?: string): Template[] => [...accountOf(accountId).templates.values()],
    /** Adds or replaces a template and reports its status. */
    putTemplate: (input: TemplateInput, accountId?: string): Template => {
      const account = accountOf(accountId)
      const before = account.templates.get(keyOf(input))
      const template = makeTemplate(input, before?.id)
      account.templates.set(keyOf(input), template)
      report(account, template, template.status)
      return template
    },
    removeTemplate: (name: string, language: string, accountId?: string): void => {
      const account = accountOf(accountId)
      const template = account.templates.get(keyOf({ name, language }))
      if (!template) throw new ControlError('Template not found.', 404)
      account.templates.delete(keyOf(template))
      report(account, template, 'DELETED')
    },
  }
}

/** What the business sent, and the webhooks that it received. */
const makeTrafficControl = (world: World) => {
  const { sent, webhooks } = world
  const webhookUrl = (number: BusinessNumber): string => {
    const url = webhookUrlOf(world, number)
    if (!url) throw new ControlError('Set webhookUrl first.')
    return url
  }
  return {
    /** Everything accepted, in order, with the totals. */
    sent: (input: ListInput = {}) => ({ ...sent.list(input), ...sent.totals() }),
    duplicates: () => sent.duplicates(),
    clearSent: (): void => sent.clear(),
    webhooks: () => ({ ...webhooks.state(), latest: webhooks.latest() }),
    /** Sends a webhook with custom content: the value of a field, or a whole payload. */
    sendWebhook: ({ phoneNumberId, field, value, payload }: Static<typeof WebhookInput>): void => {
      const number = numberOf(world, phoneNumberId)
      const url = webhookUrl(number)
      if (payload !== undefined) webhooks.post(url, payload)
      else sendValue(world, number, value ?? {}, field)
    },
    /** Verifies the webhook URL as Meta does when it is set: GET with the challenge. */
    shakeHands: (): Promise<boolean> => shakeHands(world, webhookUrl(numberOf(world, undefined))),
  }
}

export const addNumber = (world: World, input: Static<typeof NumberInput>): BusinessNumber => {
  if (world.numbers.has(input.id))
    throw new ControlError(`There is already a number with the id ${input.id}.`, 409)
  const number: BusinessNumber = { webhookUrl: null, ...input }
  if (!world.accounts.has(input.businessAccountId))
    world.accounts.set(input.businessAccountId, {
      id: input.businessAccountId,
      name: input.verifiedName,
      templates: new Map(),
      webhookUrl: null,
      isSubscribed: true,
    })
  world.numbers.set(number.id, number)
  return number
}
