// The page: people on the left, the phone of one of them in the middle, and what goes on behind the scenes.
import { type App, getCustomer, getPerson, getState } from './control-client.ts'
import { element } from './element.ts'
import { follow } from './events.ts'
import { makeNewPerson } from './new-person.ts'
import { makePeopleList } from './people-list.ts'
import { makePhone } from './phone.ts'
import { chosen, customerOf, findPerson, firstApp, lastOf, people, store } from './store.ts'
import { makeTools } from './tools.ts'

const TOAST_SHOWN_MS = 5000
const REFRESH_AFTER_MS = 60
const ONE_BY_ONE_MAX = 5
const TIME_SHOWN_EVERY_MS = 30_000

const isWide = (): boolean => matchMedia('(min-width: 900px)').matches

const toast = element('div', { class: 'toast', role: 'status' })
let toastTimer: number | undefined
const say = (text: string): void => {
  toast.textContent = text
  toast.classList.add('shown')
  clearTimeout(toastTimer)
  toastTimer = window.setTimeout(() => toast.classList.remove('shown'), TOAST_SHOWN_MS)
}
const ask = (work: () => Promise<unknown>): void => {
  work().catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
}

const tools = makeTools(ask, () => document.body.classList.remove('with-tools'))
const list = makePeopleList(
  (personId) => ask(() => choose(personId)),
  () => dialog.showModal(),
)
const phone = makePhone({
  ask,
  openTools: () => document.body.classList.add('with-tools'),
  goBack: () => {
    store.personId = null
    document.body.classList.remove('in-thread')
    list.show()
  },
  chooseApp: (app) => ask(() => openApp(app)),
  onRead: () => {
    const mail = chosen()?.apps.mail
    if (mail) mail.unread = Math.max(0, mail.unread - 1)
    phone.showDock()
    list.show()
  },
})
const dialog = makeNewPerson(ask, async ({ id }) => {
  await load()
  await choose(id)
})

const showAround = (): void => {
  const person = chosen()
  tools.showPerson(person, store.app, customerOf(person))
  tools.showTime(customerOf(person))
  list.show()
}
const showChosen = async (): Promise<void> => {
  await phone.show()
  showAround()
}
const openApp = async (app: App): Promise<void> => {
  store.app = app
  await showChosen()
  if (isWide() && app !== 'mail') phone.focus()
}
const choose = async (personId: string): Promise<void> => {
  const person = findPerson(personId)
  if (!person) return
  store.personId = personId
  // The app stays the same where this person has it too and nothing newer happened elsewhere.
  document.body.classList.add('in-thread')
  await openApp(firstApp(person))
}

const load = async (): Promise<void> => {
  const state = await getState()
  store.state = state
  store.aheadMs = state.nowMs - Date.now()
  if (!state.numbers.some(({ id }) => id === store.numberId)) store.numberId = state.numbers[0]?.id ?? ''
  if (!chosen()) store.personId = null
  if (store.personId === null && isWide()) {
    const latest = [...people()].sort((a, b) => (lastOf(b)?.last.atMs ?? 0) - (lastOf(a)?.last.atMs ?? 0))[0]
    store.personId = latest?.id ?? null
    if (latest) store.app = firstApp(latest)
  }
  document.body.classList.toggle('in-thread', store.personId !== null && !isWide())
  tools.showFaults()
  await showChosen()
}

const changedIds = new Set<string>()
let isRefreshing = false
const refreshPerson = (personId: string): void => {
  changedIds.add(personId)
  if (isRefreshing) return
  isRefreshing = true
  setTimeout(() => {
    isRefreshing = false
    const ids = [...changedIds]
    changedIds.clear()
    ask(() => readAgain(ids))
  }, REFRESH_AFTER_MS)
}
const readAgain = async (ids: string[]): Promise<void> => {
  const { state } = store
  if (!state) return
  if (ids.length > ONE_BY_ONE_MAX) Object.assign(state, await getState())
  else
    for (const id of ids) {
      const person = await getPerson(id)
      put(state.people, person)
      if (person.whatsappId) put(state.customers, await getCustomer(person.whatsappId))
    }
  const person = chosen()
  const there = person?.apps[store.app]
  if (there && store.app !== 'mail' && document.visibilityState === 'visible') there.unread = 0
  phone.showDock()
  showAround()
}
const put = <T extends { id: string }>(list: T[], one: T): void => {
  const at = list.findIndex(({ id }) => id === one.id)
  if (at < 0) list.push(one)
  else list[at] = one
}

document.addEventListener('click', ({ target }) => {
  for (const open of document.querySelectorAll<HTMLDetailsElement>(
    'details.attach[open], details.react[open]',
  ))
    if (target instanceof Node && !open.contains(target)) open.open = false
})
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') document.body.classList.remove('with-tools')
})
setInterval(() => {
  if (store.state) tools.showTime(customerOf(chosen()))
}, TIME_SHOWN_EVERY_MS)

const veil = element('button', {
  type: 'button',
  class: 'veil',
  'aria-label': 'Close tools',
  on: { click: () => document.body.classList.remove('with-tools') },
})
document.querySelector('#app')!.append(list.panel, phone.panel, veil, tools.panel, dialog, toast)
follow({ ask, say, tools, phone, load, refreshPerson })
