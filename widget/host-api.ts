// What the host page can do and hear: window.Foyer('open'), Foyer.open(). Calls made before the script has loaded
// wait in a queue that the page keeps itself; docs/guide/chat-box.md has its line.

export type HostEvents = {
  ready: undefined
  open: undefined
  close: undefined
  /** A message to the visitor that has just arrived. */
  message: {
    id: string
    body: string
    senderType: 'agent' | 'automation'
    nickname: string
    createdAt: string
  }
  /** What the visitor wrote has been stored. */
  sent: { id: string; body: string; createdAt: string }
  unread: { count: number }
  /** The identity was refused; the visitor is unknown. */
  error: { code: string }
}
type EventName = keyof HostEvents
type Listener = (data: never) => void
export type Emit = <Name extends EventName>(name: Name, data: HostEvents[Name]) => void

/** What each command does; all arguments come from the host page, so none can be relied on. */
export type Commands = {
  open: () => void
  close: () => void
  toggle: () => void
  prefill: (text: unknown) => void
  identify: (identity: unknown) => void
  reset: () => void
  showLauncher: (isShown: unknown) => void
}

type Queue = { q?: ArrayLike<unknown>[] }

/** The most calls that are kept from before the script has loaded. */
const queuedMax = 100
const eventNames: readonly string[] = [
  'ready',
  'open',
  'close',
  'message',
  'sent',
  'unread',
  'error',
] satisfies EventName[]

export const createEvents = () => {
  const listeners = new Map<string, Set<Listener>>()
  const emit: Emit = (name, data) => {
    for (const listener of listeners.get(name) ?? []) {
      try {
        listener(data as never)
      } catch (error) {
        // The host's mistake is reported as one of its own, and the chat goes on.
        setTimeout(() => {
          throw error
        })
      }
    }
  }
  const on = (name: unknown, listener: unknown): (() => void) => {
    if (typeof name !== 'string' || !eventNames.includes(name) || typeof listener !== 'function') {
      console.warn(`Foyer: on('${String(name)}', …) needs a function and one of ${eventNames.join(', ')}.`)
      return () => {}
    }
    const known = listeners.get(name) ?? new Set()
    listeners.set(name, known.add(listener as Listener))
    return () => known.delete(listener as Listener)
  }
  return { emit, on }
}

/** Puts the commands where the host page finds them, and runs those it has already called. */
export const exposeCommands = (
  commands: Commands & { on: (name: unknown, listener: unknown) => () => void },
): void => {
  const table = new Map<unknown, (...given: unknown[]) => unknown>(Object.entries(commands))
  const run = (name: unknown, ...given: unknown[]): unknown => {
    const command = table.get(name)
    if (command) return command(...given)
    console.warn(`Foyer: there is no '${String(name)}'. Use ${[...table.keys()].join(', ')}.`)
    return undefined
  }
  const page: Window & { Foyer?: Queue } = window
  const queued = Array.from(page.Foyer?.q ?? []).slice(0, queuedMax)
  Object.assign(window, { Foyer: Object.assign(run, commands) })
  for (const call of queued) run(...(Array.from(call) as [unknown]))
}
