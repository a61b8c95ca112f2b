// What the sandbox tells while the page is open, and what becomes of it on the page.
import { APPS } from './apps.ts'
import { previewOf } from './bubbles.ts'
import {
  type App,
  type Entry,
  type Failure,
  type Fault,
  getThread,
  type Mail,
  openFeed,
} from './control-client.ts'
import type { makePhone } from './phone.ts'
import { byWhatsapp, chosen, findPerson, store } from './store.ts'
import type { Ask, makeTools } from './tools.ts'

type Told = {
  message: { customerId: string; entry: Entry }
  status: {
    customerId: string | null
    messageId: string
    status: NonNullable<Entry['status']>
    error: Entry['error']
  }
  reaction: { customerId: string; messageId: string }
  read: { customerId: string; messageId: string }
  typing: { customerId?: string; phoneNumberId?: string; personId?: string; app?: App }
  customer: { customerId: string }
  chat: { personId: string; app: App; entry: Entry }
  mail: { personId: string; mail: Mail }
  person: { personId: string }
  faults: { faults: Fault[] }
  failures: { failures: Failure[] }
  clock: { nowMs: number }
  refused: { app?: App; code: number; message: string; details?: string }
  webhook: { http: number | null; attempt: number }
  told: { app: App; http: number | null; attempt: number }
}

const SAYS: Record<string, string> = {
  sent: 'Sent to',
  delivered: 'Delivered to',
  read: 'Read by',
  failed: 'Failed for',
}

type Deps = {
  ask: Ask
  say: (text: string) => void
  tools: ReturnType<typeof makeTools>
  phone: ReturnType<typeof makePhone>
  load: () => Promise<void>
  /** Reads somebody again, soon: a broadcast changes many within a moment. */
  refreshPerson: (personId: string) => void
}

export const follow = ({ ask, say, tools, phone, load, refreshPerson }: Deps): void => {
  const { thread, mailbox } = phone
  const isOpen = (personId: string | undefined, app: App): boolean =>
    personId !== undefined && personId === store.personId && app === store.app

  /** Somebody whom WhatsApp knows and this page does not yet is read with everybody. */
  const withCustomer = (customerId: string | null, work: (personId: string, name: string) => void): void => {
    const person = byWhatsapp(customerId)
    if (person) work(person.id, person.name)
    else if (customerId) ask(load)
  }
  const tellEntry = (name: string, app: App, { from, type, content, ...entry }: Entry): void => {
    const what =
      type === 'template' ? `the template ${content.name}` : previewOf({ from, type, content, ...entry })
    const on = app === 'whatsapp' ? '' : ` on ${APPS[app].name}`
    tools.tell(
      from === 'customer' ? `${name} wrote${on}: ${what}` : `The business wrote to ${name}${on}: ${what}`,
    )
  }
  const tellRefusal = (http: number | null, attempt: number): void => {
    if (http !== null && http >= 200 && http < 300) return
    tools.tell(
      `The webhook was ${http ? `answered ${http}` : 'not answered'} (attempt ${attempt}); it comes again`,
      'bad',
    )
  }

  const handlers: { [K in keyof Told]: (told: Told[K]) => void } = {
    message: ({ customerId, entry }) =>
      withCustomer(customerId, (personId, name) => {
        tellEntry(name, 'whatsapp', entry)
        if (isOpen(personId, 'whatsapp') && entry.phoneNumberId === store.numberId && !thread.find(entry.id))
          thread.add(entry)
        refreshPerson(personId)
      }),
    status: ({ customerId, messageId, status, error }) =>
      withCustomer(customerId, (personId, name) => {
        tools.tell(
          `${SAYS[status] ?? status} ${name}${error ? `: ${error.title} (${error.code})` : ''}`,
          status === 'failed' ? 'bad' : 'good',
        )
        const entry = isOpen(personId, 'whatsapp') ? thread.find(messageId) : undefined
        if (entry) {
          thread.refresh({ ...entry, status, error })
          if (status === 'delivered') phone.readNow()
        }
        if (status !== 'sent') refreshPerson(personId)
      }),
    reaction: ({ customerId, messageId }) => {
      const person = byWhatsapp(customerId)
      if (!person || !isOpen(person.id, 'whatsapp')) return
      ask(async () => {
        const anew = (await getThread(person, 'whatsapp')).find(({ id }) => id === messageId)
        if (anew) thread.refresh(anew)
      })
    },
    read: ({ customerId, messageId }) =>
      withCustomer(customerId, (personId, name) => {
        tools.tell(`The business read what ${name} wrote`, 'good')
        if (!isOpen(personId, 'whatsapp')) return
        for (const entry of thread.entries()) {
          if (entry.from === 'customer' && !entry.isReadByBusiness)
            thread.refresh({ ...entry, isReadByBusiness: true })
          if (entry.id === messageId) return
        }
      }),
    typing: ({ customerId, phoneNumberId, personId, app = 'whatsapp' }) => {
      const id = personId ?? byWhatsapp(customerId ?? null)?.id
      if (isOpen(id, app) && (!phoneNumberId || phoneNumberId === store.numberId)) thread.showTyping()
    },
    customer: ({ customerId }) => {
      const person = byWhatsapp(customerId)
      if (person) refreshPerson(person.id)
      else ask(load)
    },
    chat: ({ personId, app, entry }) => {
      const person = findPerson(personId)
      if (!person) return ask(load)
      const isShown = isOpen(personId, app)
      if (isShown && thread.find(entry.id)) thread.refresh(entry)
      else {
        tellEntry(person.name, app, entry)
        if (isShown) thread.add(entry)
      }
      if (isShown && entry.from === 'business') {
        if (entry.status !== 'read') phone.readNow()
      }
      if (entry.status === 'failed')
        tools.tell(`Failed for ${person.name}: ${entry.error?.title} (${entry.error?.code})`, 'bad')
      refreshPerson(personId)
    },
    mail: ({ personId, mail }) => {
      const person = findPerson(personId)
      if (!person) return ask(load)
      if (mail.isTaken === null)
        tools.tell(
          mail.direction === 'written'
            ? `${person.name} wrote a mail: ${mail.subject}`
            : `A mail for ${person.name}: ${mail.subject}`,
        )
      if (isOpen(personId, 'mail')) ask(mailbox.refresh)
      refreshPerson(personId)
    },
    person: ({ personId }) => (findPerson(personId) ? refreshPerson(personId) : ask(load)),
    faults: ({ faults }) => {
      store.state!.faults = faults
      tools.showFaults()
    },
    failures: ({ failures }) => {
      store.state!.failures = failures
      tools.showFaults()
    },
    clock: () => {
      tools.tell('Time passed')
      ask(load)
    },
    refused: ({ app, code, message, details }) =>
      tools.tell(
        `Refused${app ? ` by ${APPS[app].name} (${code})` : ''}: ${message}${details ? ` · ${details}` : ''}`,
        'bad',
      ),
    webhook: ({ http, attempt }) => tellRefusal(http, attempt),
    told: ({ http, attempt }) => tellRefusal(http, attempt),
  }

  const feed = openFeed()
  // Whatever was missed while the connection was gone is read again.
  feed.addEventListener('open', () => ask(load))
  for (const name of Object.keys(handlers) as (keyof Told)[])
    feed.addEventListener(name, (event) => {
      store.toldCount += 1
      if (store.state) (handlers[name] as (told: unknown) => void)(JSON.parse(event.data))
    })
  feed.addEventListener('error', () => say('The sandbox does not answer. Trying again…'))
  document.addEventListener('visibilitychange', () => {
    if (chosen()) phone.readNow()
  })
}
