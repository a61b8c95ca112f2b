// What the page knows: the people, who is chosen, and which app is open.
import type { App, Customer, Entry, Mail, Person, State } from './control-client.ts'

export const store: {
  state: State | null
  personId: string | null
  app: App
  /** WhatsApp's sending number, where there are several. */
  numberId: string
  /** Between the sandbox's clock and this machine's. */
  aheadMs: number
  /** How much the sandbox has told so far: what is read while it tells more is old. */
  toldCount: number
} = { state: null, personId: null, app: 'whatsapp', numberId: '', aheadMs: 0, toldCount: 0 }

export const now = (): number => Date.now() + store.aheadMs
export const people = (): Person[] => store.state?.people ?? []
export const findPerson = (id: string | null): Person | undefined => people().find((one) => one.id === id)
export const chosen = (): Person | undefined => findPerson(store.personId)
export const byWhatsapp = (customerId: string | null): Person | undefined =>
  people().find(({ whatsappId }) => whatsappId !== null && whatsappId === customerId)
export const customerOf = (person: Person | undefined): Customer | undefined =>
  store.state?.customers.find(({ id }) => id === person?.whatsappId)

type Last = Entry | Mail
export const lastOf = ({ apps }: Person): { app: App; last: Last } | undefined =>
  (Object.entries(apps) as [App, { last: Last | null }][])
    .flatMap(([app, { last }]) => (last ? [{ app, last }] : []))
    .sort((a, b) => b.last.atMs - a.last.atMs)[0]
export const unreadOf = ({ apps }: Person): number =>
  Object.values(apps).reduce((sum, { unread }) => sum + unread, 0)
/** The app to open first: where something happened last. */
export const firstApp = (person: Person): App =>
  lastOf(person)?.app ?? (Object.keys(person.apps)[0] as App | undefined) ?? 'mail'

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
