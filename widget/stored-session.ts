// What outlives a page: the visitor's token, unsent messages and draft, by channel. If storage is blocked
// (private windows, sandboxed frames, strict cookie settings), it stays in memory until the page closes.
import type { Outgoing } from './thread.ts'

export const outboxMax = 20

const keyOf = (channelId: string, name: string) => `foyer:${channelId}:${name}`
/** Whoever is signed in has keys of their own, so that two tabs can be two people. */
const partOf = (person: string | null): string => (person === null ? '' : `@${encodeURIComponent(person)}:`)

const openArea = (name: 'localStorage' | 'sessionStorage'): Storage | undefined => {
  try {
    return window[name]
  } catch {
    return undefined
  }
}

const readFrom = (area: Storage | undefined, key: string): string | null => {
  try {
    return area?.getItem(key) ?? null
  } catch {
    return null
  }
}

export const hasStoredSession = (channelId: string, person: string | null): boolean =>
  readFrom(openArea('localStorage'), keyOf(channelId, `${partOf(person)}token`)) !== null

/**
 * Forgets a person and the anonymous visitor of a channel in this browser: token, draft and what is not sent. Without a
 * person, forgets everyone.
 */
export const forgetStored = (channelId: string, person: string | null): void => {
  const prefix = keyOf(channelId, '')
  const own = keyOf(channelId, partOf(person))
  for (const area of [openArea('localStorage'), openArea('sessionStorage')]) {
    try {
      const names = Object.keys(area ?? {}).filter(
        (name) =>
          name.startsWith(prefix) &&
          (person === null || name.startsWith(own) || !name.startsWith(`${prefix}@`)),
      )
      for (const name of names) area?.removeItem(name)
    } catch {
      // Blocked storage has nothing to forget.
    }
  }
}

/** Whether the visitor left the panel open in this tab; undefined if they haven't opened or closed it. */
export const readOpen = (channelId: string): boolean | undefined => {
  const stored = readFrom(openArea('sessionStorage'), keyOf(channelId, 'open'))
  return stored === null ? undefined : stored === '1'
}

export type StoredSession = ReturnType<typeof openStoredSession>

export const openStoredSession = (channelId: string, person: string | null) => {
  const part = partOf(person)
  const memory = new Map<string, string>()
  const local = openArea('localStorage')

  const read = (name: string): string | null => {
    const key = keyOf(channelId, part + name)
    return memory.get(key) ?? readFrom(local, key)
  }
  const write = (name: string, value: string | null, area = local): void => {
    const key = keyOf(channelId, (area === local ? part : '') + name)
    try {
      if (!area) throw new Error('storage is blocked')
      if (value === null) area.removeItem(key)
      else area.setItem(key, value)
      memory.delete(key)
    } catch {
      if (value === null) memory.delete(key)
      else memory.set(key, value)
    }
  }

  const readOutbox = (): Outgoing[] => {
    try {
      const items: unknown = JSON.parse(read('outbox') ?? '[]')
      return Array.isArray(items) ? items.filter(isOutgoing).slice(0, outboxMax) : []
    } catch {
      return []
    }
  }
  const writeOutbox = (items: Outgoing[]): void =>
    write('outbox', items.length > 0 ? JSON.stringify(items) : null)

  return {
    /** What was said, or begun, before signing in goes on as the person's. */
    adopt: (anonymous: { read: typeof read; write: typeof write }): void => {
      for (const name of ['token', 'seen', 'draft', 'outbox']) {
        const value = anonymous.read(name)
        if (value === null) continue
        write(name, value)
        anonymous.write(name, null)
      }
    },
    read,
    write,
    readToken: () => read('token'),
    writeToken: (token: string | null) => write('token', token),
    readSeenId: () => read('seen'),
    writeSeenId: (messageId: string | null) => write('seen', messageId),
    /** Off until the visitor turns it on, in this browser. */
    readSound: () => read('sound') === '1',
    writeSound: (isOn: boolean) => write('sound', isOn ? '1' : null),
    readDraft: () => read('draft') ?? '',
    writeDraft: (draft: string) => write('draft', draft || null),
    writeOpen: (isOpen: boolean) => write('open', isOpen ? '1' : '0', openArea('sessionStorage')),
    readOutbox,
    /** Reads before it writes, because another tab keeps its own unsent messages under the same key. */
    addToOutbox: (item: Outgoing) => {
      // The same tap, in another tab.
      const others = readOutbox().filter(({ clientId }) => clientId !== item.clientId)
      writeOutbox([...others, item].slice(-outboxMax))
    },
    removeFromOutbox: (clientId: string) => {
      const unsent = readOutbox()
      const rest = unsent.filter((item) => item.clientId !== clientId)
      if (rest.length < unsent.length) writeOutbox(rest)
    },
    /** Calls back with the short name of what another tab changed. */
    onForeignChange: (callback: (name: string) => void) =>
      addEventListener('storage', (event) => {
        const prefix = keyOf(channelId, part)
        if (event.storageArea === local && event.key?.startsWith(prefix))
          callback(event.key.slice(prefix.length))
      }),
  }
}

const isOutgoing = (item: Partial<Outgoing> | null): item is Outgoing =>
  typeof item?.clientId === 'string' && typeof item.body === 'string' && typeof item.createdAt === 'string'
