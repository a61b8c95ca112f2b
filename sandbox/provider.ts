// What the simulated chat providers share: the connection to the business, the webhooks, and the threads in the app.
import { type ChatApp, type DeliveryStatus, type Entry, newEntry, showEntry } from './entry.ts'
import { type Refusal, Unanswered } from './http.ts'
import type { Hub } from './hub.ts'
import { makeOutbox } from './outbox.ts'
import type { Person } from './people.ts'

type Configuration<C> = {
  app: ChatApp
  connection: C
  /** The provider's own error for this code; without a known code, that this person blocked the business. */
  refuse: (code?: number) => Refusal
  /** Whether the provider reports failures after accepting the message; otherwise it rejects the call. */
  failsLater?: boolean
}
type NewEntry = Partial<Entry> & Pick<Entry, 'id' | 'from' | 'type' | 'content'>

export type Provider<C> = ReturnType<typeof makeProvider<C>>

export const makeProvider = <C>(
  hub: Hub,
  { app, connection, refuse, failsLater = false }: Configuration<C>,
) => {
  const outbox = makeOutbox(app, hub)
  const publish = (person: Person, entry: Entry): void =>
    hub.feed.publish('chat', () => ({ personId: person.id, app, entry: showEntry(hub.clock, entry) }))
  return {
    hub,
    connection,
    outbox,
    refuse,
    publish,
    entries: (person: Person): Entry[] => person.chats[app].entries,
    isBlocked: (person: Person): boolean => person.blocked.has(app),
    add: (person: Person, given: NewEntry): Entry => {
      const entry = newEntry({ atMs: hub.clock.now(), ...given })
      hub.people.addEntry(person, app, entry)
      publish(person, entry)
      return entry
    },
    setStatus: (person: Person, entry: Entry, status: DeliveryStatus): void => {
      entry.status = status
      publish(person, entry)
    },
    showTyping: (person: Person): void => hub.feed.publish('typing', () => ({ personId: person.id, app })),
    /** Accepts a message from the business, unless a failure rejects the call or withholds the response. */
    accept: <T>(person: Person, accept: (failsWith: number | null | undefined) => T): T => {
      const failure = hub.failures.take(app, person.id)
      if (failure?.kind === 'refuse' || (failure?.kind === 'fail' && !failsLater)) throw refuse(failure.code)
      if (!failure || failure.kind === 'fail') return accept(failure && (failure.code ?? null))
      if (failure.isAccepted) accept(undefined)
      throw new Unanswered(failure.kind)
    },
  }
}
