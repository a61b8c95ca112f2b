// The rows that are selected in the list, to do the same with all of them.
import { useSyncExternalStore } from 'react'

/** As many as the server changes at once. */
export const SELECTED_MAX = 100

let selected: ReadonlySet<string> = new Set()
/** Where a range that is extended begins. */
let anchor: string | undefined
const listeners = new Set<() => void>()

export const setSelected = (ids: Iterable<string>, from?: string): void => {
  selected = new Set([...ids].slice(0, SELECTED_MAX))
  anchor = from
  for (const listener of listeners) listener()
}

export const toggleSelected = (id: string): void =>
  setSelected(selected.has(id) ? [...selected].filter((other) => other !== id) : [...selected, id], id)

export const selection = () => ({ selected, anchor })

export const useSelected = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => selected,
  )
