// WhatsApp's customers: their identity, their privacy settings and the thread on their phone.
import type { Entry } from '../entry.ts'
import { digitsOf, newUserId, userIdOfNumber } from './ids.ts'

export type Customer = {
  /** The WhatsApp id, or the business-scoped id of someone without a visible number. */
  id: string
  waId: string | null
  userId: string
  username: string | null
  profileName: string | null
  /** Whether webhooks include the number. It stays hidden for customers with a username or without a number. */
  showsPhone: boolean
  isOnWhatsApp: boolean
  hasBlocked: boolean
  hasOptedOut: boolean
  /** Read receipts: after a delay, when the thread is opened, or never sent. */
  receipts: 'auto' | 'opened' | 'off'
  /** Created because the business wrote to an unknown number. */
  isStranger: boolean
  thread: Entry[]
  unread: number
  /** When the customer last wrote, by sending number. */
  lastWroteAtMs: Map<string, number>
}

export type CustomerInput = Partial<
  Omit<Customer, 'id' | 'waId' | 'thread' | 'unread' | 'lastWroteAtMs'> & { phone: string | null }
>

const WINDOW_MS = 24 * 3_600_000
const CUSTOMERS_MAX = 5000
const STRANGERS_MAX = 500
const THREAD_MAX = 500

export type Customers = ReturnType<typeof makeCustomers>

export const makeCustomers = () => {
  const byId = new Map<string, Customer>()
  const byWaId = new Map<string, Customer>()
  const byUserId = new Map<string, Customer>()
  const entries = new Map<string, { customer: Customer; entry: Entry }>()
  let strangers = 0

  const remove = (customer: Customer): void => {
    byId.delete(customer.id)
    if (customer.waId) byWaId.delete(customer.waId)
    byUserId.delete(customer.userId)
    for (const { id } of customer.thread) entries.delete(id)
    if (customer.isStranger) strangers--
  }

  const findByPhone = (waId: string): Customer | undefined => {
    for (const variant of variantsOf(waId)) {
      const customer = byWaId.get(variant)
      if (customer) return customer
    }
    return undefined
  }

  return {
    list: (): Customer[] => [...byId.values()],
    get: (id: string): Customer | undefined => byId.get(id) ?? byWaId.get(digitsOf(id)) ?? byUserId.get(id),
    findByPhone,
    findByUserId: (userId: string): Customer | undefined => byUserId.get(userId),
    /** Undefined if the id is taken or the list is full. */
    add: ({ phone, ...input }: CustomerInput): Customer | undefined => {
      if (input.isStranger && strangers >= STRANGERS_MAX) return undefined
      const waId = phone ? waIdOf(phone) : null
      const country = waId?.startsWith('49') ? 'DE' : 'US'
      const userId = input.userId ?? (waId ? userIdOfNumber(country, waId) : newUserId(country))
      const id = waId ?? userId
      if (byId.has(id) || byUserId.has(userId) || byId.size >= CUSTOMERS_MAX) return undefined
      const customer: Customer = {
        id,
        waId,
        userId,
        username: input.username ?? null,
        profileName: input.profileName ?? null,
        showsPhone: input.showsPhone ?? (waId !== null && !input.username),
        isOnWhatsApp: input.isOnWhatsApp ?? true,
        hasBlocked: input.hasBlocked ?? false,
        hasOptedOut: input.hasOptedOut ?? false,
        receipts: input.receipts ?? 'auto',
        isStranger: input.isStranger ?? false,
        thread: [],
        unread: 0,
        lastWroteAtMs: new Map(),
      }
      if (customer.isStranger) strangers++
      byId.set(id, customer)
      byUserId.set(userId, customer)
      if (waId) byWaId.set(waId, customer)
      return customer
    },
    remove,
    /** Changes the number; WhatsApp then assigns a new business-scoped id. */
    changeNumber: (customer: Customer, phone: string): void => {
      if (customer.waId) byWaId.delete(customer.waId)
      byId.delete(customer.id)
      byUserId.delete(customer.userId)
      customer.waId = waIdOf(phone)
      customer.id = customer.waId
      customer.userId = newUserId(customer.userId.slice(0, 2))
      byId.set(customer.id, customer)
      byWaId.set(customer.waId, customer)
      byUserId.set(customer.userId, customer)
    },
    addEntry: (customer: Customer, entry: Entry): void => {
      customer.thread.push(entry)
      entries.set(entry.id, { customer, entry })
      if (entry.from === 'business') customer.unread++
      if (customer.thread.length > THREAD_MAX) entries.delete(customer.thread.shift()!.id)
    },
    findEntry: (id: string) => entries.get(id),
    isWindowOpen: (customer: Customer | undefined, phoneNumberId: string, nowMs: number): boolean =>
      nowMs < windowEndsAtMs(customer, phoneNumberId),
  }
}

/** When the 24 hours since the customer's last message end; 0 if there is no message. */
export const windowEndsAtMs = (
  customer: Pick<Customer, 'lastWroteAtMs'> | undefined,
  phoneNumberId: string,
): number => {
  const wroteAtMs = customer?.lastWroteAtMs.get(phoneNumberId)
  return wroteAtMs === undefined ? 0 : wroteAtMs + WINDOW_MS
}

/**
 * The WhatsApp id of a dialled number: Mexican mobile numbers get a 1, Argentinian ones a 9, and Brazilian ones outside
 * areas 11 to 28 lose the ninth digit.
 */
export const waIdOf = (phone: string): string => {
  const digits = digitsOf(phone)
  if (/^52[2-9]\d{9}$/.test(digits)) return `521${digits.slice(2)}`
  if (/^54[1-8]\d{9}$/.test(digits)) return `549${digits.slice(2)}`
  if (/^55(3[1-8]|[4-9]\d)9[6-9]\d{7}$/.test(digits)) return digits.slice(0, 4) + digits.slice(5)
  return digits
}

/** The forms in which a mobile number may be known. */
const variantsOf = (waId: string): string[] => {
  if (/^55\d\d9[6-9]\d{7}$/.test(waId)) return [waId, waId.slice(0, 4) + waId.slice(5)]
  if (/^55\d\d[6-9]\d{7}$/.test(waId)) return [waId, `${waId.slice(0, 4)}9${waId.slice(4)}`]
  if (/^521\d{10}$/.test(waId)) return [waId, `52${waId.slice(3)}`]
  if (/^52\d{10}$/.test(waId)) return [waId, `521${waId.slice(2)}`]
  if (/^549\d{10}$/.test(waId)) return [waId, `54${waId.slice(3)}`]
  if (/^54\d{10}$/.test(waId)) return [waId, `549${waId.slice(2)}`]
  return [waId]
}
