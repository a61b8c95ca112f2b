// Which dialog about saved views is open: the menu that opens it is gone by then.
import { useSyncExternalStore } from 'react'

type Opened = 'save' | 'manage' | null

let opened: Opened = null
const listeners = new Set<() => void>()

export const openSavedViews = (which: Opened): void => {
  opened = which
  for (const listener of listeners) listener()
}

export const useOpenSavedViews = (): Opened =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => opened,
  )
