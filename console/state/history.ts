// Undo and redo. Changes that continue each other, such as typing in one field, are one step back.

const STEPS_BACK_MAX = 200
const SAME_WITHIN_MS = 1_500

export type History<T> = {
  past: T[]
  present: T
  future: T[]
  /** What the last change was about, and when. */
  last: { topic: string; atMs: number } | null
}

export const startHistory = <T>(present: T): History<T> => ({
  past: [],
  present,
  future: [],
  last: null,
})

/** `topic` names what is being typed in; null: a change of its own. */
export const record = <T>(
  history: History<T>,
  present: T,
  topic: string | null,
  atMs: number,
): History<T> => {
  if (present === history.present) return history
  const { last, past } = history
  const continues = topic !== null && last?.topic === topic && atMs - last.atMs < SAME_WITHIN_MS
  return {
    past: continues ? past : [...past, history.present].slice(-STEPS_BACK_MAX),
    present,
    future: [],
    last: topic === null ? null : { topic, atMs },
  }
}

export const undo = <T>({ past, present, future }: History<T>): History<T> | null => {
  const before = past.at(-1)
  return before === undefined
    ? null
    : { past: past.slice(0, -1), present: before, future: [present, ...future], last: null }
}

export const redo = <T>({ past, present, future }: History<T>): History<T> | null => {
  const [next, ...rest] = future
  return next === undefined ? null : { past: [...past, present], present: next, future: rest, last: null }
}
