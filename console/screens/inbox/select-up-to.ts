import { selection, setSelected } from './selection.ts'

/** Selects the rows from the last one that was selected, or from `start`, to this one. */
export const selectUpTo = (ids: readonly string[], id: string, start = selection().anchor): void => {
  const [from, to] = [ids.indexOf(start ?? id), ids.indexOf(id)]
  const range = from === -1 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1)
  setSelected([...selection().selected, ...range], from === -1 ? id : start)
}
