import { randomFillSync } from 'node:crypto'

/** What an id looks like: a cuid in the classic layout. Anything else names nothing. */
export const ID_PATTERN = /^c[0-9a-z]{24}$/

const RANDOM_LENGTH = 12
const COUNTER_LENGTH = 4
const COUNTER_MAX = 36 ** COUNTER_LENGTH

// Bytes from the operating system are bought in bulk: one call for each id costs more than the rest of it together.
const pool = Buffer.alloc(RANDOM_LENGTH * 512)
let used = pool.length
let lastMs = 0
let counter = 0

const randomPart = (): string => {
  let text = ''
  while (text.length < RANDOM_LENGTH) {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const byte = pool[used++]!
    // 252 is the largest multiple of 36 below 256: dropping the rest keeps every digit equally likely.
    if (byte < 252) text += (byte % 36).toString(36)
  }
  return text
}

/**
 * A new time-ordered cuid: `c`, 8 base-36 digits of the millisecond clock, 4 of a counter that starts again every
 * millisecond, 12 random. Ids of one process sort strictly in the order they were made, even when the clock steps back.
 */
export const newId = (nowMs: number = Date.now()): string => {
  if (nowMs > lastMs) {
    lastMs = nowMs
    counter = 0
  } else if (++counter === COUNTER_MAX) {
    lastMs += 1
    counter = 0
  }
  return `c${lastMs.toString(36).padStart(8, '0')}${counter.toString(36).padStart(COUNTER_LENGTH, '0')}${randomPart()}`
}
