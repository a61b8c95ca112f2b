// Everything that can be done to the sandbox from outside: by a test in the same process, and over HTTP under /control.
import type { Static } from 'typebox'
import Type from 'typebox'
import { type Entry, showEntry } from './entry.ts'
import { applySettings, SettingsPatch } from './settings.ts'
import { type Customer, windowEndsAtMs } from './whatsapp/customers.ts'
import { type Fault, FaultInput } from './whatsapp/faults.ts'
import { knownErrorCodes } from './whatsapp/graph-error.ts'
import type { ListInput } from './whatsapp/sent-record.ts'
import { keyOf, makeTemplate, type Template, TemplateInput } from './whatsapp/templates.ts'
import {
  type BusinessAccount,
  type BusinessNumber,
  digitsOf,
  metadataOf,
  timestampOf,
  type World,
  webhookUrlOf,
} from './whatsapp/world.ts'
import {
  ControlError,
  changeNumber,
  numberOf,
  readAsCustomer,
  setOptOut,
  tellEcho,
  WriteInput,
  writeAsCustomer,
} from './whatsapp/write-as-customer.ts'

const Name = Type.Union([Type.String({ maxLength: 200 }), Type.Null()])
const CustomerFields = {
  username: Type.Optional(Name),
  profileName: Type.Optional(Name),
  showsPhone: Type.Optional(Type.Boolean()),
  isOnWhatsApp: Type.Optional(Type.Boolean()),
  hasBlocked: Type.Optional(Type.Boolean()),
  hasOptedOut: Type.Optional(Type.Boolean()),
  receipts: Type.Optional(Type.Enum(['auto', 'opened', 'off'])),
}
export const CustomerInput = Type.Object(
  {
    phone: Type.Optional(Type.Union([Type.String({ pattern: '^\\+?[\\d\\s().-]{7,25}$' }), Type.Null()])),
    userId: Type.Optional(Type.String({ pattern: '^[A-Z]{2}\\.(ENT\\.)?[A-Za-z0-9]{1,128}$' })),
    ...CustomerFields,
  },
  { additionalProperties: false },
)
export const CustomerPatch = Type.Object(CustomerFields, { additionalProperties: false })
export const NumberInput = Type.Object(
  {
    id: Type.String({ pattern: '^\\d{1,30}$' }),
    businessAccountId: Type.String({ pattern: '^\\d{1,30}$' }),
    displayPhoneNumber: Type.String({ minLength: 1, maxLength: 40 }),
    verifiedName: Type.String({ minLength: 1, maxLength: 200 }),
    webhookUrl: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: false },
)
export const WebhookInput = Type.Object(
  {
    phoneNumberId: Type.Optional(Type.String()),
    field: Type.Optional(Type.String()),
    value: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    payload: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
)

export type PastThread = {
  phone: string | null
  userId: string | null
  profileName: string | null
  username: string | null
  entries: (Pick<Entry, 'id' | 'from' | 'atMs' | 'status'> & { text: string })[]
}

export { ControlError, FaultInput, SettingsPatch, TemplateInput, WriteInput }
export type Control = ReturnType<typeof makeControl>

const HOUR_MS = 3_600_000
const ADVANCE_MAX_HOURS = 24 * 366

export const makeControl = (world: World, onAdvance: ((hours: number) => Promise<void>) | null = null) => {
  const { customers, clock, sent, faults, settings, webhooks, feed } = world

  const customerOf = (id: string): Customer => {
    const customer = customers.get(id)
    if (!customer) throw new ControlError(`no such customer: ${id}`, 404)
    return customer
  }

  const showCustomer = ({ thread, lastWroteAtMs: _, ...customer }: Customer) => ({
    ...customer,
    lastEntry: thread.length > 0 ? showEntry(clock, thread.at(-1)!) : null,
    windows: [...world.numbers.keys()].map((phoneNumberId) => {
      const endsAtMs = windowEndsAtMs(customers.get(customer.id), phoneNumberId)
      return {
        phoneNumberId,
        endsAtMs: endsAtMs ? clock.shown(endsAtMs) : null,
        isOpen: clock.now() < endsAtMs,
      }
    }),
  })

  const jump = (hours: number): void => {
    clock.advance(hours * HOUR_MS)
    feed.tell('clock', () => ({ nowMs: clock.shown(clock.now()) }))
  }

  const accountOf = (id: string | undefined): BusinessAccount => {
    const account = id === undefined ? [...world.accounts.values()][0] : world.accounts.get(id)
    if (!account) throw new ControlError(`no such business account: ${id}`, 404)
    return account
  }

  const tellTemplate = (account: BusinessAccount, template: Template, event: string): void => {
    const number = [...world.numbers.values()].find((one) => one.businessAccountId === account.id)
    if (!number) return
    webhooks.tell({
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
    state: () => ({
      nowMs: clock.shown(clock.now()),
      aheadHours: clock.shown(clock.aheadMs()) / HOUR_MS,
      numbers: [...world.numbers.values()],
      accounts: [...world.accounts.values()].map(({ id, name, templates }) => ({
        id,
        name,
        templates: templates.size,
      })),
      customers: customers.list().map(showCustomer),
      faults: faults.list(),
      errorCodes: knownErrorCodes(),
      webhooks: webhooks.state(),
      sent: sent.totals(),
    }),

    settings: () => {
      const { appSecret: _a, accessToken: _b, verifyToken: _c, ...shown } = settings
      return structuredClone(shown)
    },
    set: (patch: SettingsPatch) => {
      if (patch.webhookUrl && !URL.canParse(patch.webhookUrl))
        throw new ControlError('webhookUrl is no address')
      applySettings(settings, patch)
      webhooks.pump()
      feed.tell('settings', () => ({}))
    },

    addNumber: (input: Static<typeof NumberInput>): BusinessNumber => addNumber(world, input),

    customers: () => customers.list().map(showCustomer),
    customer: (id: string) => showCustomer(customerOf(id)),
    addCustomer: (input: Static<typeof CustomerInput>) => {
      const customer = customers.add(input)
      if (!customer) throw new ControlError('there is such a customer already, or there are too many', 409)
      feed.tell('customer', () => ({ customerId: customer.id }))
      return showCustomer(customer)
    },
    changeCustomer: (id: string, { hasOptedOut, ...plain }: Static<typeof CustomerPatch>) => {
      const customer = customerOf(id)
      Object.assign(customer, plain)
      if (hasOptedOut !== undefined && hasOptedOut !== customer.hasOptedOut)
        setOptOut(world, customer, hasOptedOut)
      feed.tell('customer', () => ({ customerId: customer.id }))
      return showCustomer(customer)
    },
    removeCustomer: (id: string) => {
      customers.remove(customerOf(id))
      feed.tell('customer', () => ({ customerId: id }))
    },
    changeNumber: (id: string, phone: string) => {
      const customer = customerOf(id)
      changeNumber(world, customer, phone)
      feed.tell('customer', () => ({ customerId: customer.id }))
      return showCustomer(customer)
    },
    thread: (id: string) => customerOf(id).thread.map((entry) => showEntry(clock, entry)),
    write: (id: string, input: WriteInput) => writeAsCustomer(world, customerOf(id), input),
    read: (id: string, phoneNumberId?: string) => readAsCustomer(world, customerOf(id), phoneNumberId),
    echo: (id: string, text: string, phoneNumberId?: string) =>
      tellEcho(world, customerOf(id), phoneNumberId, text),

    /** A thread as it was before: whoever keeps the business's side tells it, oldest first. */
    restore: (
      { phone, userId, profileName, username, entries }: PastThread,
      phoneNumberId?: string,
    ): void => {
      const number = numberOf(world, phoneNumberId)
      const known = (phone && customers.findByPhone(digitsOf(phone))) || (userId && customers.get(userId))
      const customer =
        known ||
        customers.add({ phone, profileName, username, receipts: 'opened', ...(userId && { userId }) })
      if (!customer) return
      for (const { id, from, atMs, text, status } of entries) {
        if (customers.findEntry(id)) continue
        customers.addEntry(customer, {
          id,
          from,
          phoneNumberId: number.id,
          atMs,
          type: 'text',
          content: { text },
          replyTo: null,
          status,
          error: null,
          reactions: {},
          isReadByBusiness: false,
        })
        if (from === 'customer') customer.lastWroteAtMs.set(number.id, atMs)
      }
      customer.unread = 0
    },

    /** Lets time pass: windows close, addresses expire, statuses and retries fall due. */
    advance: (hours: number): Promise<void> | undefined => {
      if (!(hours >= 0 && hours <= ADVANCE_MAX_HOURS))
        throw new ControlError(`hours must be from 0 to ${ADVANCE_MAX_HOURS}`)
      if (onAdvance) return onAdvance(hours).then(() => jump(hours))
      jump(hours)
      return undefined
    },

    addFault: (input: FaultInput): Fault => faults.add(input),
    faults: () => faults.list(),
    removeFault: (id: string): void => {
      if (!faults.remove(id)) throw new ControlError(`no such fault: ${id}`, 404)
    },
    clearFaults: (): void => faults.clear(),

    templates: (accountId?: string): Template[] => [...accountOf(accountId).templates.values()],
    /** Adds or replaces a template and tells its status. */
    putTemplate: (input: TemplateInput, accountId?: string): Template => {
      const account = accountOf(accountId)
      const before = account.templates.get(keyOf(input))
      const template = makeTemplate(input, before?.id)
      account.templates.set(keyOf(input), template)
      tellTemplate(account, template, template.status)
      return template
    },
    removeTemplate: (name: string, language: string, accountId?: string): void => {
      const account = accountOf(accountId)
      const template = account.templates.get(keyOf({ name, language }))
      if (!template) throw new ControlError('no such template', 404)
      account.templates.delete(keyOf(template))
      tellTemplate(account, template, 'DELETED')
    },

    /** Everything accepted, in order, with the totals. */
    sent: (input: ListInput = {}) => ({ ...sent.list(input), ...sent.totals() }),
    duplicates: () => sent.duplicates(),
    clearSent: (): void => sent.clear(),

    webhooks: () => ({ ...webhooks.state(), latest: webhooks.latest() }),
    /** Sends a webhook of the caller's own making: a value of a field, or a whole payload. */
    tell: ({ phoneNumberId, field = 'messages', value, payload }: Static<typeof WebhookInput>): void => {
      const number = numberOf(world, phoneNumberId)
      const url = webhookUrlOf(world, number)
      if (!url) throw new ControlError('no webhookUrl is set')
      if (payload !== undefined) webhooks.post(url, payload)
      else
        webhooks.tell({
          url,
          businessAccountId: number.businessAccountId,
          field,
          value: { messaging_product: 'whatsapp', metadata: metadataOf(number), ...value },
        })
    },
    /** Does as Meta does when the webhook's address is set: GET with the challenge. */
    shakeHands: async (): Promise<boolean> => {
      const url = webhookUrlOf(world, numberOf(world, undefined))
      if (!url) throw new ControlError('no webhookUrl is set')
      return webhooks.shakeHands(url)
    },
    media: (id: string) => world.media.find(id, clock.now()),
    timestamp: () => timestampOf(world),
  }
}

export const addNumber = (world: World, input: Static<typeof NumberInput>): BusinessNumber => {
  if (world.numbers.has(input.id)) throw new ControlError(`there is such a number already: ${input.id}`, 409)
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
