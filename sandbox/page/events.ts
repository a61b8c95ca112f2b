// The sandbox's live events: each adds a line to the activity log and reloads the screen.
import { toast } from '../../console/ui/toast.tsx'
import { APPS } from './apps.ts'
import { type App, type Entry, type Mail, openFeed } from './client.ts'
import { previewOf } from './content.tsx'
import { byWhatsapp, findPerson, getStore, now, refresh, update } from './store.ts'

const TYPING_SHOWN_MS = 8000
const ACTIVITY_MAX = 60
const KNOWN_MAX = 1000

/** Events that only reload the screen. */
const NOT_LOGGED = ['reaction', 'customer', 'person', 'faults', 'failures', 'settings', 'model', 'receiver']

/** Events that also add a line to the activity log. */
type Events = {
  message: { customerId: string; entry: Entry }
  status: { customerId: string | null; status: string; error: Entry['error'] }
  read: { customerId: string }
  typing: { customerId?: string; phoneNumberId?: string; personId?: string; app?: App }
  chat: { personId: string; app: App; entry: Entry }
  mail: { personId: string; mail: Mail }
  clock: unknown
  refused: { app?: App; code: number; message: string; details?: string }
  webhook: { http: number | null; attempt: number }
}

const STATUSES: Record<string, string> = {
  sent: 'Sent to',
  delivered: 'Delivered to',
  read: 'Read by',
  failed: 'Not delivered to',
}

let lines = 0
const log = (text: string, isBad = false): void =>
  update({
    activity: [{ id: ++lines, at: new Date(), text, isBad }, ...getStore().activity].slice(0, ACTIVITY_MAX),
  })

const nameOf = (customerId: string | null): string =>
  byWhatsapp(customerId)?.name ?? customerId ?? 'an unknown customer'

const logEntry = (name: string, app: App, entry: Entry): void => {
  const what = entry.type === 'template' ? `the template ${entry.content.name}` : previewOf(entry)
  const on = app === 'whatsapp' ? '' : ` on ${APPS[app].name}`
  log(
    entry.from === 'customer' ? `${name} wrote${on}: ${what}` : `The business wrote to ${name}${on}: ${what}`,
  )
}
const logWebhook = ({ http, attempt }: Events['webhook']): void => {
  if (http !== null && http >= 200 && http < 300) return
  log(`Webhook ${http ? `returned ${http}` : 'got no response'} (attempt ${attempt}), will retry`, true)
}
const logFailure = (name: string, { error }: Pick<Entry, 'error'>): void =>
  log(`Not delivered to ${name}: ${error?.title} (${error?.code})`, true)

let typingTimer: ReturnType<typeof setTimeout> | undefined
const showTyping = ({ customerId, phoneNumberId, personId, app = 'whatsapp' }: Events['typing']): void => {
  const open = getStore()
  const id = personId ?? byWhatsapp(customerId ?? null)?.id
  if (id !== open.personId || app !== open.app) return
  if (phoneNumberId && phoneNumberId !== open.numberId) return
  update({ isTyping: true })
  clearTimeout(typingTimer)
  typingTimer = setTimeout(() => update({ isTyping: false }), TYPING_SHOWN_MS)
}
const stopTyping = ({ from }: Entry): void => {
  if (from === 'business') update({ isTyping: false })
}

export const follow = (): void => {
  const openedAtMs = Date.now()
  /** The messages already logged: another event for one of them is an update. */
  const known = new Set<string>()
  const isNew = ({ id, atMs }: Entry): boolean => {
    if (known.has(id) || atMs - (now() - Date.now()) < openedAtMs) return false
    known.add(id)
    for (const oldest of known) {
      if (known.size <= KNOWN_MAX) break
      known.delete(oldest)
    }
    return true
  }

  const handlers: { [K in keyof Events]: (data: Events[K]) => void } = {
    message: ({ customerId, entry }) => {
      logEntry(nameOf(customerId), 'whatsapp', entry)
      stopTyping(entry)
    },
    status: ({ customerId, status, error }) => {
      if (status === 'failed') logFailure(nameOf(customerId), { error })
      else log(`${STATUSES[status] ?? status} ${nameOf(customerId)}`)
    },
    read: ({ customerId }) => log(`The business read ${nameOf(customerId)}’s messages`),
    typing: showTyping,
    chat: ({ personId, app, entry }) => {
      const name = findPerson(personId)?.name ?? 'an unknown customer'
      if (isNew(entry)) {
        logEntry(name, app, entry)
        stopTyping(entry)
      }
      if (entry.status === 'failed') logFailure(name, entry)
    },
    mail: ({ personId, mail }) => {
      const name = findPerson(personId)?.name ?? 'an unknown customer'
      if (mail.isAccepted === null)
        log(
          mail.direction === 'written'
            ? `${name} wrote: ${mail.subject}`
            : `Email to ${name}: ${mail.subject}`,
        )
    },
    clock: () => log('Time moved forward'),
    refused: ({ app, code, message, details }) =>
      log(
        `Rejected${app ? ` by ${APPS[app].name} (${code})` : ''}: ${message}${details ? ` · ${details}` : ''}`,
        true,
      ),
    webhook: logWebhook,
  }

  const feed = openFeed()
  let isLost = false
  // Catches up on what was missed while disconnected.
  feed.addEventListener('open', () => {
    isLost = false
    void refresh()
  })
  for (const name of NOT_LOGGED) feed.addEventListener(name, () => void refresh())
  for (const name of Object.keys(handlers) as (keyof Events)[])
    feed.addEventListener(name, ({ data }) => {
      if (getStore().state) (handlers[name] as (data: unknown) => void)(JSON.parse(data))
      if (name !== 'typing') void refresh()
    })
  // The browser keeps trying, and reports every attempt.
  feed.addEventListener('error', () => {
    if (!isLost) toast('Can’t reach the sandbox. Reconnecting…', { tone: 'danger' })
    isLost = true
  })
  document.addEventListener('visibilitychange', () => void refresh())
}
