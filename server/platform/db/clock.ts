// The time by the database's clock. Several processes share what is due, claimed and ordered, and their own clocks
// disagree. Each measures the offset between the database's clock and its own monotonic one, which clock corrections
// don't affect. There is one per process, like the id counter.
import { sql } from 'kysely'
import type { Db } from './pool.ts'

/** The fastest response is the most accurate: the error is half its round trip. */
const SAMPLES = 5
const MEASURE_EVERY_MS = 30_000

/** Until the first measurement, this machine's own time. */
let offsetMs = Date.now() - performance.now()

/** Milliseconds since 1970, with a fraction. */
export const databaseMs = (): number => performance.now() + offsetMs
export const databaseNow = (): Date => new Date(databaseMs())

/** The time the database just reported: now is at least that. A clock set forward is followed at once. */
export const setDatabaseMs = (ms: number): void => {
  offsetMs = Math.max(offsetMs, ms - performance.now())
}

export const measureClock = async (db: Db): Promise<void> => {
  let best = { tripMs: Number.POSITIVE_INFINITY, offsetMs: 0 }
  for (let count = 0; count < SAMPLES; count++) {
    const sentMs = performance.now()
    const { rows } = await sql<{
      ms: number
    }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(db)
    const gotMs = performance.now()
    if (gotMs - sentMs < best.tripMs)
      best = { tripMs: gotMs - sentMs, offsetMs: rows[0]!.ms - (sentMs + gotMs) / 2 }
  }
  offsetMs = best.offsetMs
}

/** Measures now and then periodically. Throws the database's error on the first measurement. */
export const followClock = async (
  db: Db,
  onError: (error: unknown) => void,
): Promise<{ stop: () => void }> => {
  await measureClock(db)
  const timer = setInterval(() => void measureClock(db).catch(onError), MEASURE_EVERY_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
