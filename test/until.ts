import { setTimeout as delay } from 'node:timers/promises'

const DEADLINE_MS = 20_000
const STEP_MS = 15

/** Waits for a condition; if it times out, the error says what it waited for. */
export const until = async (
  condition: () => Promise<boolean> | boolean,
  what: string,
  deadlineMs = DEADLINE_MS,
): Promise<void> => {
  const endMs = Date.now() + deadlineMs
  while (!(await condition())) {
    if (Date.now() > endMs) throw new Error(`waited ${deadlineMs} ms for ${what}`)
    await delay(STEP_MS)
  }
}
