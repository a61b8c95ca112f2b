// What a person can do in mail, Telegram, Messenger and SMS; for WhatsApp see control.ts.
import Type, { type Static } from 'typebox'
import type { Control } from './control.ts'
import {
  type App,
  CHAT_APPS,
  type ChatApp,
  type Entry,
  newEntry,
  type PastEntry,
  showEntry,
} from './entry.ts'
import { ControlError } from './http.ts'
import type { ChatInput, Hub } from './hub.ts'
import { type Mail, MailConnection, type MailInput } from './mail/mail.ts'
import type { Mailbox } from './mail/mailbox.ts'
import { type Messenger, MessengerConnection } from './messenger/messenger.ts'
import type { Person } from './people.ts'
import { absent, closed, PhoneNumber } from './shapes.ts'
import { type Sms, SmsConnection } from './sms/sms.ts'
import { TelegramConnection } from './telegram/bot.ts'
import type { Telegram } from './telegram/telegram.ts'

export const PersonInput = closed({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  phone: absent(PhoneNumber),
  email: absent(Type.String({ pattern: '^[^\\s@<>]+@[^\\s@<>]+$', maxLength: 200 })),
  username: absent(Type.String({ minLength: 1, maxLength: 50 })),
})
export const PersonPatch = closed({ blocked: Type.Array(Type.Enum([...CHAT_APPS]), { maxItems: 10 }) })
export const ConnectionsPatch = Type.Partial(
  Type.Object({
    mail: Type.Partial(MailConnection),
    telegram: Type.Partial(TelegramConnection),
    messenger: Type.Partial(MessengerConnection),
    sms: Type.Partial(SmsConnection),
  }),
  { additionalProperties: false },
)
export type Connections = Static<typeof ConnectionsPatch>

/** A thread from the business's records, for a sandbox that starts empty. */
type PastChat = {
  app: ChatApp | 'mail'
  /** The person's id in this app: Telegram's, Messenger's, the phone number or the email address. */
  party: string
  name: string
  subject: string | null
  entries: PastEntry[]
}

export type Apps = { mail: Mailbox; telegram: Telegram; messenger: Messenger; sms: Sms }
type ShownMail = ReturnType<Mailbox['showMail']>
export type PeopleControl = ReturnType<typeof makePeopleControl>

export const makePeopleControl = (hub: Hub, apps: Apps, addCustomer: Control['addCustomer']) => ({
  ...makePersonControl(hub, apps, addCustomer),
  ...makeChatControl(hub, apps),
  ...makeMailControl(hub, apps),
  failures: hub.failures.list,
  addFailure: hub.failures.add,
  removeFailure: (id: string): void => {
    if (!hub.failures.remove(id)) throw new ControlError(`Failure not found: ${id}`, 404)
  },
  /** Sets where the providers' webhooks go and their secrets. */
  connect: (connections: Connections): void => {
    for (const [app, connection] of Object.entries(connections))
      Object.assign(apps[app as keyof Apps].connection, connection)
  },
  restoreChat: (past: PastChat): void => {
    const person = findPast(hub, apps, past)
    if (!person) return
    const { app, subject, entries } = past
    if (app === 'mail') {
      for (const entry of entries) apps.mail.restore(person, entry, subject)
      return
    }
    for (const { id, from, atMs, text, status } of entries)
      hub.people.addEntry(
        person,
        app,
        // Some prefix the message id with the chat's id.
        newEntry({ id: id.split(':').at(-1)!, from, atMs, type: 'text', content: { text }, status }),
      )
    person.chats[app].unread = 0
  },
})

const personOf = ({ people }: Hub, id: string): Person => {
  const person = people.get(id)
  if (!person) throw new ControlError(`Person not found: ${id}`, 404)
  return person
}

const makePersonControl = (hub: Hub, { mail }: Apps, addCustomer: Control['addCustomer']) => {
  const { people, clock, feed } = hub
  const showLast = (entries: Entry[]) => (entries.length > 0 ? showEntry(clock, entries.at(-1)!) : null)
  /** A person with the apps they can be reached in and the latest message in each. */
  const showPerson = ({ whatsapp, chats, blocked, ...person }: Person) => {
    const apps: { [A in App]?: { unread: number; last: (A extends 'mail' ? ShownMail : Entry) | null } } = {}
    if (whatsapp) apps.whatsapp = { unread: whatsapp.unread, last: showLast(whatsapp.thread) }
    if (person.email) apps.mail = { unread: mail.unread(person.id), last: mail.last(person.id) }
    for (const app of CHAT_APPS)
      if (app !== 'sms' || person.phone)
        apps[app] = { unread: chats[app].unread, last: showLast(chats[app].entries) }
    return { ...person, whatsappId: whatsapp?.id ?? null, blocked: [...blocked], apps }
  }
  const publish = (person: Person) => {
    feed.publish('person', () => ({ personId: person.id }))
    return showPerson(person)
  }
  return {
    people: () => people.list().map(showPerson),
    person: (id: string) => showPerson(personOf(hub, id)),
    addPerson: (input: Static<typeof PersonInput>) => {
      const isTaken =
        (input.email && people.byEmail(input.email)) || (input.phone && people.byPhone(input.phone))
      const person = isTaken ? undefined : people.add(input)
      if (!person)
        throw new ControlError('This number or email address is taken, or there are too many people.', 409)
      const { name: profileName, phone = null, username = null } = input
      // A phone number or username puts them on WhatsApp too.
      if (phone || username)
        people.link(person, addCustomer({ profileName, phone, username, receipts: 'opened' }).id)
      return publish(person)
    },
    changePerson: (id: string, { blocked }: Static<typeof PersonPatch>) => {
      const person = personOf(hub, id)
      person.blocked = new Set(blocked)
      return publish(person)
    },
  }
}

const makeChatControl = (hub: Hub, { telegram, messenger, sms }: Apps) => {
  const chatApps = { telegram, messenger, sms }
  const appOf = (name: string): ChatApp => {
    const app = CHAT_APPS.find((one) => one === name)
    if (!app) throw new ControlError(`App not found: ${name}`, 404)
    return app
  }
  const tapIn = (person: Person, app: ChatApp, { messageId, choice = '' }: ChatInput): Entry | null => {
    const entry = person.chats[app].entries.find(({ id, from }) => id === messageId && from === 'business')
    if (!entry) throw new ControlError(`Message not found in this thread: ${messageId}`, 404)
    if (app === 'sms') throw new ControlError('Text messages have no buttons.')
    const shown = chatApps[app].tap(person, { entry, choice })
    return shown && showEntry(hub.clock, shown)
  }
  const reactIn = (person: Person, app: ChatApp, { messageId, emoji = '' }: ChatInput): null => {
    const entry = person.chats[app].entries.find(({ id }) => id === messageId)
    if (!entry) throw new ControlError(`Message not found in this thread: ${messageId}`, 404)
    if (app === 'sms') throw new ControlError('Text messages have no reactions.')
    if (emoji) entry.reactions.customer = emoji
    else delete entry.reactions.customer
    chatApps[app].react(person, entry, emoji)
    return null
  }
  return {
    chat: (id: string, app: string): Entry[] =>
      personOf(hub, id).chats[appOf(app)].entries.map((entry) => showEntry(hub.clock, entry)),
    /** Returns the message as the phone shows it; null for a reaction, or a tap that it doesn't show. */
    writeChat: (id: string, name: string, input: ChatInput): Entry | null => {
      const person = personOf(hub, id)
      const app = appOf(name)
      if (app === 'sms' && !person.phone) throw new ControlError(`${person.name} has no phone number.`)
      if (input.type === 'text' && !input.text) throw new ControlError('text is required.')
      if (input.type === 'tap') return tapIn(person, app, input)
      if (input.type === 'reaction') return reactIn(person, app, input)
      if (input.type === 'location' && app === 'sms') throw new ControlError('SMS can’t carry a location.')
      return showEntry(hub.clock, chatApps[app].write(person, input))
    },
    /** Telegram: edits one of the customer's earlier messages. */
    editChat: (id: string, entryId: string, text: string): void => {
      const person = personOf(hub, id)
      const entry = person.chats.telegram.entries.find((one) => one.id === entryId)
      if (entry?.from !== 'customer' || entry.type !== 'text') throw new ControlError('Text not found.', 404)
      telegram.edit(person, entry, text)
    },
    readChat: (id: string, name: string): void => {
      const person = personOf(hub, id)
      const app = appOf(name)
      person.chats[app].unread = 0
      if (app === 'messenger') messenger.read(person)
    },
  }
}

const makeMailControl = (hub: Hub, { mail }: Apps) => ({
  mails: (id: string) => mail.list(personOf(hub, id).id),
  mail: (id: string): Mail => mail.find(id),
  readMail: (id: string): void => {
    mail.find(id).isRead = true
  },
  writeMail: async (id: string, input: MailInput) =>
    mail.showMail(await mail.write(personOf(hub, id), input)),
})

const findPast = ({ people }: Hub, { mail }: Apps, { app, party, name }: PastChat): Person | undefined => {
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
