import { randomFillSync } from 'node:crypto'
import { databaseMs } from './clock.ts'

/** The format of an id: a cuid in the classic layout. Nothing else can name a row. */
export const ID_PATTERN = /^c[0-9a-z]{24}$/

const RANDOM_LENGTH = 12
const COUNTER_LENGTH = 4
const COUNTER_MAX = 36 ** COUNTER_LENGTH

// Random bytes are fetched in bulk: a system call per id costs more than the rest of making it.
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

const TIME_END = 9
const COUNTER_END = TIME_END + COUNTER_LENGTH
/** Ids further ahead of the clock than this were not made by it and are ignored. */
const AHEAD_MAX_MS = 5_000

const encode = (ms: number, count: number): string =>
  `c${ms.toString(36).padStart(8, '0')}${count.toString(36).padStart(COUNTER_LENGTH, '0')}`

/** The millisecond in an id. */
const msOf = (id: string): number => Number.parseInt(id.slice(1, TIME_END), 36)

/**
 * A new time-ordered cuid: `c`, 8 base-36 digits of the millisecond clock, 4 of a counter that restarts every
 * millisecond, 12 random. Ids of one process sort strictly in the order they were made, even when the clock steps
 * back.
 */
export const newId = (nowMs: number = databaseMs()): string => {
  const ms = Math.floor(nowMs)
  if (ms > lastMs) {
    lastMs = ms
    counter = 0
  } else if (++counter === COUNTER_MAX) {
    lastMs += 1
    counter = 0
  }
  return encode(lastMs, counter) + randomPart()
}

/** A new id that sorts after another one, even if another process with a slightly faster clock just made it. */
export const newIdAfter = (before: string | null = null): string => {
  const id = newId()
  if (before === null || id > before || msOf(before) > databaseMs() + AHEAD_MAX_MS) return id
  const count = Number.parseInt(before.slice(TIME_END, COUNTER_END), 36) + 1
  return (count < COUNTER_MAX ? encode(msOf(before), count) : encode(msOf(before) + 1, 0)) + randomPart()
}

/**
 * An id of something that happened before it was stored. Sorts by that time, and within a millisecond by `order`, the id
 * that it had elsewhere, or by the order of the calls.
 */
export const makePastIds = (): ((ms: number, order?: string) => string) => {
  let last = { ms: -1, count: 0 }
  return (at, order) => {
    const ms = Math.min(Math.max(Math.floor(at), 0), TIME_MAX_MS)
    last = { ms, count: last.ms === ms ? (last.count + 1) % COUNTER_MAX : 0 }
    const isOrdered = order !== undefined && ID_PATTERN.test(order) && msOf(order) === ms
    const count = isOrdered ? Number.parseInt(order.slice(TIME_END, COUNTER_END), 36) : last.count
    return encode(ms, count) + randomPart()
  }
}

/** When an id was made, which is when its row was created: sorting by id is sorting by creation time. */
export const timeOfId = (id: string): Date => new Date(msOf(id))

/** What the eight digits can say: from 1970 until 2059. */
const TIME_MAX_MS = 36 ** 8 - 1

/** Less than every id of this millisecond or later, and greater than all earlier ones. */
export const idFloor = (ms: number): string => encode(Math.min(Math.max(ms, 0), TIME_MAX_MS), 0)

/** From now on every id has this millisecond or a later one. */
export const makeNoIdsBefore = (nowMs: number): void => {
  const ms = Math.floor(nowMs)
  if (ms <= lastMs) return
  lastMs = ms
  counter = 0
}

/** The latest millisecond that an id of this process may have. */
export const lastIdMs = (): number => lastMs
