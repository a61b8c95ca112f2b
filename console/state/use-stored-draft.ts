// Connects a draft to the server and to this browser's storage.
import { useEffect, useState, useSyncExternalStore } from 'react'
import { ApiError } from './api.ts'
import { type Draft, type DraftPorts, type DraftSnapshot, type DraftStore, openDraft } from './draft-store.ts'

type Connection<T> = Pick<DraftPorts<T>, 'save' | 'load'> & {
  /** The key in this browser's storage. */
  place: string
  stored: Draft<T>
  /** Whether what this browser has kept can be edited: it may be of another version of the console. */
  isSound: (value: unknown) => boolean
}

const readKept = <T>({ place, isSound }: Connection<T>): Draft<T> | null => {
  try {
    const value = JSON.parse(localStorage.getItem(place) ?? 'null') as Partial<Draft<T>> | null
    const isDraft = value && typeof value.revision === 'number' && isSound(value.definition)
    return isDraft ? (value as Draft<T>) : null
  } catch {
    return null
  }
}

const keepAt = (place: string, draft: Draft<unknown> | null): void => {
  try {
    if (draft) localStorage.setItem(place, JSON.stringify(draft))
    else localStorage.removeItem(place)
  } catch {
    // Full or forbidden: the draft is still saved to the server.
  }
}

const readError = (error: unknown): string => {
  if (!(error instanceof ApiError)) return 'offline'
  if (error.status === 409) return 'stale'
  return error.status === 0 || error.status === 429 || error.status >= 500 ? 'offline' : error.message
}

/** One store for as long as the page is open; leaving it saves what is left. */
export const useStoredDraft = <T>(
  connection: Connection<T>,
): { store: DraftStore<T>; draft: DraftSnapshot<T> } => {
  const [store] = useState(() =>
    openDraft(connection.stored, readKept(connection), {
      save: connection.save,
      load: connection.load,
      readError,
      keep: (draft) => keepAt(connection.place, draft),
      now: Date.now,
      wait: (work, ms) => {
        const timer = setTimeout(work, ms)
        return () => clearTimeout(timer)
      },
    }),
  )
  useEffect(() => {
    const online = (): void => void store.flush()
    window.addEventListener('online', online)
    return () => {
      window.removeEventListener('online', online)
      store.close()
    }
  }, [store])
  return { store, draft: useSyncExternalStore(store.subscribe, store.get) }
}
