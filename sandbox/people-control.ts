// What can be done as a person in mail, Telegram, Messenger and SMS; WhatsApp has control.ts.
import Type, { type Static } from 'typebox'
import type { Control } from './control.ts'
import { type Entry, showEntry } from './entry.ts'
import type { ChatInput, Hub } from './hub.ts'
import { type Mail, type Mailbox, type MailConnection, MailError } from './mail/mailbox.ts'
import type { Messenger, MessengerConnection } from './messenger/messenger.ts'
import { type App, CHAT_APPS, type ChatApp, type Person } from './people.ts'
import type { Sms, SmsConnection } from './sms/sms.ts'
import type { Telegram, TelegramConnection } from './telegram/telegram.ts'
import { ControlError } from './whatsapp/write-as-customer.ts'

const Text = Type.Optional(Type.String({ maxLength: 20_000 }))
const Line = (maxLength: number) =>
  Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength }), Type.Null()]))
const Phone = Type.Optional(Type.Union([Type.String({ pattern: '^\\+?[\\d\\s().-]{7,25}$' }), Type.Null()]))
const Coordinate = Type.Optional(Type.Number({ minimum: -180, maximum: 180 }))
const File = {
  data: Type.Optional(Type.String()),
  mimeType: Type.Optional(Type.String({ pattern: '^[a-z]+/[^\\s]+' })),
  fileName: Type.Optional(Type.String({ maxLength: 255 })),
}

export const PersonInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    phone: Phone,
    email: Type.Optional(
      Type.Union([Type.String({ pattern: '^[^\\s@<>]+@[^\\s@<>]+$', maxLength: 200 }), Type.Null()]),
    ),
    username: Line(50),
  },
  { additionalProperties: false },
)
export const PersonPatch = Type.Object(
  { blocked: Type.Array(Type.Enum(['telegram', 'messenger', 'sms']), { maxItems: 10 }) },
  { additionalProperties: false },
)
export const ChatWriteInput = Type.Object(
  {
    type: Type.Enum(['text', 'image', 'file', 'location']),
    text: Text,
    ...File,
    replyTo: Type.Optional(Type.String({ maxLength: 200 })),
    latitude: Coordinate,
    longitude: Coordinate,
  },
  { additionalProperties: false },
)
export const MailWriteInput = Type.Object(
  {
    kind: Type.Enum(['mail', 'auto-reply', 'bounce']),
    replyTo: Type.Optional(Type.String({ maxLength: 200 })),
    subject: Type.Optional(Type.String({ maxLength: 500 })),
    text: Type.Optional(Type.String({ maxLength: 200_000 })),
    attachments: Type.Optional(
      Type.Array(
        Type.Object({
          fileName: Type.String({ maxLength: 255 }),
          mimeType: Type.String(),
          data: Type.String(),
        }),
        { maxItems: 10 },
      ),
    ),
  },
  { additionalProperties: false },
)
const Address = Type.Union([Type.String(), Type.Null()])
export const ConnectionsPatch = Type.Partial(
  Type.Object({
    mail: Type.Partial(
      Type.Object({
        address: Type.String(),
        name: Type.String(),
        inboundUrl: Address,
        inboundSecret: Address,
      }),
    ),
    telegram: Type.Partial(
      Type.Object({
        botToken: Type.String(),
        botName: Type.String(),
        webhookUrl: Address,
        webhookSecret: Address,
      }),
    ),
    messenger: Type.Partial(
      Type.Object({
        pageId: Type.String(),
        pageName: Type.String(),
        accessToken: Type.String(),
        appSecret: Type.String(),
        verifyToken: Type.String(),
        webhookUrl: Address,
      }),
    ),
    sms: Type.Partial(
      Type.Object({
        accountSid: Type.String(),
        authToken: Type.String(),
        phoneNumber: Type.String(),
        webhookUrl: Address,
      }),
    ),
  }),
  { additionalProperties: false },
)
export type Connections = {
  mail?: Partial<MailConnection>
  telegram?: Partial<TelegramConnection>
  messenger?: Partial<MessengerConnection>
  sms?: Partial<SmsConnection>
}

/** A thread as the business remembers it, for a sandbox that starts anew. */
export type PastChat = {
  app: ChatApp | 'mail'
  /** Who it is in this app: Telegram's id, Messenger's, the phone number or the address. */
  party: string
  name: string
  subject: string | null
  entries: (Pick<Entry, 'id' | 'from' | 'atMs' | 'status'> & { text: string })[]
}

export type Apps = { mail: Mailbox; telegram: Telegram; messenger: Messenger; sms: Sms }
export type PeopleControl = ReturnType<typeof makePeopleControl>

export const makePeopleControl = (
  hub: Hub,
  { mail, telegram, messenger, sms }: Apps,
  addCustomer: Control['addCustomer'],
) => {
  const { people, failures, clock, feed } = hub
  const chatApps = { telegram, messenger, sms }

  const personOf = (id: string): Person => {
    const person = people.get(id)
    if (!person) throw new ControlError(`no such person: ${id}`, 404)
    return person
  }
  const mailOf = (id: string): Mail => {
    try {
      return mail.find(id)
    } catch (error) {
      throw new ControlError((error as Error).message, 404)
    }
  }
  const chatApp = (app: string): ChatApp => {
    const known = CHAT_APPS.find((one) => one === app)
    if (!known) throw new ControlError(`no such app: ${app}`, 404)
    return known
  }
  const showLast = (entries: Entry[]) => (entries.length > 0 ? showEntry(clock, entries.at(-1)!) : null)

  /** In which apps a person can be reached, with what came last there. */
  const showPerson = ({ whatsapp, chats, blocked, ...person }: Person) => {
    const apps: Partial<Record<App, { unread: number; last: unknown }>> = {}
    if (whatsapp) apps.whatsapp = { unread: whatsapp.unread, last: showLast(whatsapp.thread) }
    if (person.email) apps.mail = { unread: mail.unread(person.id), last: mail.last(person.id) }
    for (const app of CHAT_APPS)
      if (app !== 'sms' || person.phone)
        apps[app] = { unread: chats[app].unread, last: showLast(chats[app].entries) }
    return { ...person, whatsappId: whatsapp?.id ?? null, blocked: [...blocked], apps }
  }

  const restoreMail = (person: Person, { subject, entries }: PastChat): void => {
    for (const { id, from, atMs, text } of entries) mail.restore(person, { id, from, atMs, text, subject })
  }
  const findPast = ({ app, party, name }: PastChat): Person | undefined => {
    switch (app) {
      case 'mail':
        return mail.personAt(party, name)
      case 'sms':
        return people.byPhone(party) ?? people.add({ name, phone: party })
      case 'telegram':
        return people.byTelegram(party) ?? people.add({ name, telegramId: party })
      case 'messenger':
        return people.byPsid(party) ?? people.add({ name, psid: party })
    }
  }

  return {
    people: () => people.list().map(showPerson),
    person: (id: string) => showPerson(personOf(id)),
    addPerson: (input: Static<typeof PersonInput>) => {
      const isTaken =
        (input.email && people.byEmail(input.email)) || (input.phone && people.byPhone(input.phone))
      const person = isTaken ? undefined : people.add(input)
      if (!person)
        throw new ControlError('somebody has this number or address already, or there are too many', 409)
      const { name: profileName, phone = null, username = null } = input
      // With a number or a username they are on WhatsApp, too.
      if (phone || username)
        people.link(person, addCustomer({ profileName, phone, username, receipts: 'opened' }).id)
      feed.tell('person', () => ({ personId: person.id }))
      return showPerson(person)
    },
    changePerson: (id: string, { blocked }: Static<typeof PersonPatch>) => {
      const person = personOf(id)
      person.blocked = new Set(blocked)
      feed.tell('person', () => ({ personId: person.id }))
      return showPerson(person)
    },

    chat: (id: string, app: string): Entry[] =>
      personOf(id).chats[chatApp(app)].entries.map((entry) => showEntry(clock, entry)),
    writeChat: (id: string, app: string, input: ChatInput): Entry => {
      const person = personOf(id)
      const known = chatApp(app)
      if (known === 'sms' && !person.phone) throw new ControlError(`${person.name} has no phone number`)
      if (input.type === 'text' && !input.text) throw new ControlError('a text needs its text')
      if (input.type === 'location' && known === 'sms')
        throw new ControlError('a text message carries no place')
      return showEntry(clock, chatApps[known].write(person, input))
    },
    /** Telegram: changes what the customer wrote before. */
    editChat: (id: string, entryId: string, text: string): void => {
      const person = personOf(id)
      const entry = person.chats.telegram.entries.find((one) => one.id === entryId)
      if (entry?.from !== 'customer' || entry.type !== 'text') throw new ControlError('no such text', 404)
      telegram.edit(person, entry, text)
    },
    readChat: (id: string, app: string): void => {
      const person = personOf(id)
      const known = chatApp(app)
      person.chats[known].unread = 0
      if (known === 'messenger') messenger.read(person)
    },

    mails: (id: string) => mail.list(personOf(id).id),
    mail: mailOf,
    readMail: (id: string): void => {
      mailOf(id).isRead = true
    },
    writeMail: async (id: string, input: Static<typeof MailWriteInput>) => {
      try {
        return mail.showMail(await mail.write(personOf(id), input))
      } catch (error) {
        throw error instanceof MailError ? new ControlError(error.message) : error
      }
    },

    failures: failures.list,
    addFailure: failures.add,
    removeFailure: (id: string): void => {
      if (!failures.remove(id)) throw new ControlError(`no such failure: ${id}`, 404)
    },

    /** Where the providers find the business, and what they prove themselves with. */
    connect: (connections: Connections): void => {
      Object.assign(mail.connection, connections.mail)
      Object.assign(telegram.connection, connections.telegram)
      Object.assign(messenger.connection, connections.messenger)
      Object.assign(sms.connection, connections.sms)
    },
    restoreChat: (past: PastChat): void => {
      const person = findPast(past)
      if (!person) return
      const { app } = past
      if (app === 'mail') {
        restoreMail(person, past)
        return
      }
      for (const { id, from, atMs, text, status } of past.entries)
        people.addEntry(person, app, {
          // Some keep the chat's id in front of the message's.
          id: id.split(':').at(-1)!,
          from,
          phoneNumberId: '',
          atMs,
          type: 'text',
          content: { text },
          replyTo: null,
          status,
          error: null,
          reactions: {},
          isReadByBusiness: false,
        })
      person.chats[app].unread = 0
    },
  }
}
