// Undo and redo. Changes that continue each other, such as typing in one field, are one step back.
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'

const STEPS_BACK_MAX = 200
const SAME_WITHIN_MS = 1_500

export type History = {
  past: FlowDefinition[]
  present: FlowDefinition
  future: FlowDefinition[]
  /** What the last change was about, and when. */
  last: { topic: string; atMs: number } | null
}

export const startHistory = (present: FlowDefinition): History => ({
  past: [],
  present,
  future: [],
  last: null,
})

/** `topic` names what is being typed in; null: a change of its own. */
export const record = (
  history: History,
  present: FlowDefinition,
  topic: string | null,
  atMs: number,
): History => {
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

export const undo = ({ past, present, future }: History): History | null => {
  const before = past.at(-1)
  return before === undefined
    ? null
    : { past: past.slice(0, -1), present: before, future: [present, ...future], last: null }
}

export const redo = ({ past, present, future }: History): History | null => {
  const [next, ...rest] = future
  return next === undefined ? null : { past: [...past, present], present: next, future: rest, last: null }
}
