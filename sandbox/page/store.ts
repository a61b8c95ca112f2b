// The page's state, and how it is reloaded when the sandbox reports an event.
import { useSyncExternalStore } from 'react'
import { toastError } from '../../console/ui/toast.tsx'
import {
  type App,
  type Customer,
  type Entry,
  getMails,
  getModel,
  getReceiver,
  getState,
  getThread,
  type Mail,
  type Person,
  read,
  type ShownModel,
  type ShownReceiver,
  type State,
} from './client.ts'

export type Activity = { id: number; at: Date; text: string; isBad: boolean }

/** What is in the middle: a customer’s phone, or one of what else talks to Foyer. */
export type Screen = 'phone' | 'model' | 'receiver'

type Store = {
  state: State | null
  personId: string | null
  app: App
  /** WhatsApp's sending number, if there are several. */
  numberId: string
  /** How far the sandbox's clock is ahead of this machine's. */
  aheadMs: number
  /** The entries of the open thread; null until loaded. */
  entries: Entry[] | null
  mails: Mail[] | null
  isTyping: boolean
  areToolsOpen: boolean
  /** Null until loaded. */
  model: ShownModel | null
  /** Null until loaded. */
  receiver: ShownReceiver | null
  screen: Screen
  /** Newest first. */
  activity: Activity[]
}

let store: Store = {
  state: null,
  personId: null,
  app: 'whatsapp',
  numberId: '',
  aheadMs: 0,
  entries: null,
  mails: null,
  isTyping: false,
  areToolsOpen: false,
  model: null,
  receiver: null,
  screen: 'phone',
  activity: [],
}
const listeners = new Set<() => void>()
const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const getStore = (): Store => store
export const update = (patch: Partial<Store>): void => {
  store = { ...store, ...patch }
  for (const listener of listeners) listener()
}
export const useStore = (): Store => useSyncExternalStore(listen, getStore)

export const now = (): number => Date.now() + store.aheadMs
const people = (): Person[] => store.state?.people ?? []
export const findPerson = (id: string | null): Person | undefined => people().find((one) => one.id === id)
export const byWhatsapp = (customerId: string | null): Person | undefined =>
  people().find(({ whatsappId }) => whatsappId !== null && whatsappId === customerId)
/** The person's WhatsApp customer record. */
export const customerOf = (person: Person | undefined): Customer | undefined =>
  store.state?.customers.find(({ id }) => id === person?.whatsappId)

export const lastOf = ({ apps }: Person): { app: App; last: Entry | Mail } | undefined =>
  (Object.entries(apps) as [App, { last: Entry | Mail | null }][])
    .flatMap(([app, { last }]) => (last ? [{ app, last }] : []))
    .sort((a, b) => b.last.atMs - a.last.atMs)[0]
export const byLatest = (): Person[] =>
  [...people()].sort((a, b) => (lastOf(b)?.last.atMs ?? 0) - (lastOf(a)?.last.atMs ?? 0))

const isWide = (): boolean => matchMedia('(min-width: 900px)').matches
const REFRESH_EVERY_MS = 100
let loads = 0
let isRefreshing = false
let isStale = false

const load = async (): Promise<void> => {
  const asked = ++loads
  const { app, numberId, personId } = store
  const person = findPerson(personId)
  const mails = person && app === 'mail' ? await getMails(person.id) : null
  const entries = person && app !== 'mail' ? await getThread(person, app) : null
  // Messages count as read while their thread is on screen.
  if (person && document.visibilityState === 'visible' && entries?.some(({ from }) => from === 'business'))
    await read(person, app, numberId)
  const [state, model, receiver] = await Promise.all([getState(), getModel(), getReceiver()])
  // A later load has newer data and may be for another person.
  if (asked !== loads) return
  update({
    state,
    model,
    receiver,
    mails,
    entries,
    aheadMs: state.nowMs - Date.now(),
    numberId: state.numbers.some(({ id }) => id === numberId) ? numberId : (state.numbers[0]?.id ?? ''),
  })
  if (findPerson(personId)) {
    // A newly added person first appears in this response.
    if (!person) await load()
    return
  }
  if (store.screen !== 'phone') return
  const latest = isWide() ? byLatest()[0] : undefined
  if (latest) choosePerson(latest)
  else if (personId) update({ personId: null })
}

/** Reloads what is on screen. Events in quick succession share one reload, and none is missed. */
export const refresh = async (): Promise<void> => {
  isStale = true
  if (isRefreshing) return
  isRefreshing = true
  try {
    while (isStale) {
      isStale = false
      await load()
      await new Promise((resolve) => setTimeout(resolve, REFRESH_EVERY_MS))
    }
  } catch (error) {
    toastError(error)
  } finally {
    isRefreshing = false
  }
}

const show = (patch: Partial<Store>): void => {
  update({ entries: null, mails: null, isTyping: false, ...patch })
  load().catch(toastError)
}
export const openApp = (app: App): void => show({ app })
export const chooseNumber = (numberId: string): void => show({ numberId })
/** Opens the app with the latest message. */
export const choosePerson = (person: Person): void => {
  const app = lastOf(person)?.app ?? (Object.keys(person.apps)[0] as App | undefined) ?? 'mail'
  show({ personId: person.id, app, screen: 'phone' })
}
export const openScreen = (screen: Exclude<Screen, 'phone'>): void => show({ personId: null, screen })
export const closeScreen = (): void => show({ screen: 'phone' })

const startOfDay = (atMs: number): number => new Date(atMs).setHours(0, 0, 0, 0)
export const timeOf = (atMs: number): string =>
  new Date(atMs).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
export const dayOf = (atMs: number): string => {
  const days = Math.floor((startOfDay(now()) - startOfDay(atMs)) / 86_400_000 + 0.5)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  return new Date(atMs).toLocaleDateString(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
}
export const shortTimeOf = (atMs: number): string =>
  dayOf(atMs) === 'Today' ? timeOf(atMs) : dayOf(atMs).split(',')[0]!
