// The customers and the apps they can be reached in. WhatsApp keeps its own list of customers; this one links them to
// the same people in the other apps.
import { createHash } from 'node:crypto'
import type { App, ChatApp, Entry } from './entry.ts'
import type { Customer, Customers } from './whatsapp/customers.ts'
import { digitsOf } from './whatsapp/ids.ts'

export type Chat = { entries: Entry[]; unread: number }

export type Person = {
  id: string
  name: string
  phone: string | null
  email: string | null
  username: string | null
  /** Telegram's id of the person and the private chat, and Messenger's id of the person for this page. */
  telegramId: string
  psid: string
  whatsapp: Customer | null
  chats: Record<ChatApp, Chat>
  /** The apps in which the person has blocked the business. */
  blocked: Set<App>
}

export type PersonInput = {
  name: string
  phone?: string | null
  email?: string | null
  username?: string | null
  telegramId?: string
  psid?: string
}

const PEOPLE_MAX = 5000
const ENTRIES_MAX = 500

export type People = ReturnType<typeof makePeople>

export const makePeople = (customers: Customers) => {
  const byId = new Map<string, Person>()
  const index = {
    email: new Map<string, Person>(),
    phone: new Map<string, Person>(),
    telegram: new Map<string, Person>(),
    psid: new Map<string, Person>(),
    whatsapp: new Map<Customer, Person>(),
  }
  let made = 0

  const add = ({ name, phone, email, username, telegramId, psid }: PersonInput): Person | undefined => {
    if (byId.size >= PEOPLE_MAX) return undefined
    const seed = email ?? phone ?? username ?? name
    const person: Person = {
      id: `p${++made}`,
      name,
      phone: phone ? `+${digitsOf(phone)}` : null,
      email: email?.toLowerCase() ?? null,
      username: username ?? null,
      telegramId: telegramId ?? idFor('telegram', seed, index.telegram),
      psid: psid ?? idFor('messenger', seed, index.psid),
      whatsapp: null,
      chats: {
        telegram: { entries: [], unread: 0 },
        messenger: { entries: [], unread: 0 },
        sms: { entries: [], unread: 0 },
      },
      blocked: new Set(),
    }
    byId.set(person.id, person)
    if (person.email) index.email.set(person.email, person)
    if (person.phone) index.phone.set(person.phone, person)
    index.telegram.set(person.telegramId, person)
    index.psid.set(person.psid, person)
    return person
  }

  /** Everyone, including people who first appeared on WhatsApp. */
  const list = (): Person[] => {
    for (const customer of customers.list()) {
      if (index.whatsapp.has(customer)) continue
      const phone = customer.waId ? `+${customer.waId}` : null
      const known = phone ? index.phone.get(phone) : undefined
      const person =
        known && !known.whatsapp
          ? known
          : add({ name: nameOf(customer), phone: known ? null : phone, username: customer.username })
      if (!person) break
      person.whatsapp = customer
      index.whatsapp.set(customer, person)
    }
    return [...byId.values()].filter(({ whatsapp }) => !whatsapp || customers.get(whatsapp.id) === whatsapp)
  }

  return {
    add,
    list,
    get: (id: string): Person | undefined => byId.get(id) ?? list().find((person) => person.id === id),
    byEmail: (email: string): Person | undefined => index.email.get(email.toLowerCase()),
    byPhone: (phone: string): Person | undefined => {
      list()
      return index.phone.get(`+${digitsOf(phone)}`)
    },
    byTelegram: (id: string): Person | undefined => index.telegram.get(id),
    byPsid: (id: string): Person | undefined => index.psid.get(id),
    /** Links the person to a WhatsApp customer. */
    link: (person: Person, customerId: string): void => {
      const customer = customers.get(customerId)
      if (!customer) return
      person.whatsapp = customer
      index.whatsapp.set(customer, person)
    },
    /** Gives the person an email address. */
    giveEmail: (person: Person, email: string): void => {
      person.email = email.toLowerCase()
      index.email.set(person.email, person)
    },
    addEntry: (person: Person, app: ChatApp, entry: Entry): void => {
      const chat = person.chats[app]
      chat.entries.push(entry)
      if (entry.from === 'business') chat.unread++
      if (chat.entries.length > ENTRIES_MAX) chat.entries.shift()
    },
  }
}

/** The same person gets the same ids in every run, so the ids that the business stored stay valid. */
const idFor = (app: string, seed: string, taken: Map<string, Person>): string => {
  for (let attempt = 0; ; attempt++) {
    const hash = createHash('sha256').update(`${app} ${seed} ${attempt}`).digest()
    const id = (hash.readUIntBE(0, 6) % 9_000_000_000) + 1_000_000_000
    if (!taken.has(String(id))) return String(id)
  }
}

const nameOf = ({ profileName, username, waId, id }: Customer): string =>
  profileName ?? (username ? `@${username}` : waId ? `+${waId}` : id)
