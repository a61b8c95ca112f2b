// Preferences of this browser, such as which key sends.
import { useSyncExternalStore } from 'react'

const DEFAULTS = {
  sendWith: 'enter' as 'enter' | 'mod+enter',
  isPanelOpen: true,
  /** What is opened when a conversation is closed or assigned to someone else. */
  afterDone: 'next' as 'next' | 'previous' | 'list',
  isCompact: false,
}
export type Preferences = typeof DEFAULTS
const KEY = 'foyer.preferences'

const read = (): Preferences => {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>) }
  } catch {
    return DEFAULTS
  }
}
let current = read()
const listeners = new Set<() => void>()

export const setPreference = (change: Partial<Preferences>): void => {
  current = { ...current, ...change }
  localStorage.setItem(KEY, JSON.stringify(current))
  for (const listener of listeners) listener()
}

export const readPreferences = (): Preferences => current

export const usePreferences = (): Preferences =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
