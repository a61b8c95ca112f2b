// Time that counts only while business hours are open.
import { closesAt, isUsable, opensAt } from '../../../flow-engine/business-hours.ts'
import type { BusinessHours } from './schema.ts'

/** Of one answer: 43,200 minutes in hours of a few minutes a day. Beyond them the rest counts as always open. */
const SPANS_MAX = 1_000

type Span = { from: number; to: number }

/** The open spans from a moment on; the last has no end. */
function* openSpans(hours: BusinessHours | null, from: number): Generator<Span> {
  let at = from
  for (let n = 0; hours !== null && isUsable(hours) && n < SPANS_MAX; n++) {
    const opens = opensAt(hours, at)
    if (opens === null) break
    const closes = closesAt(hours, opens)
    at = opens
    if (closes === null) break
    yield { from: opens, to: closes }
    at = closes
  }
  yield { from: at, to: Number.POSITIVE_INFINITY }
}

/** When so much open time has passed. Without hours, time always counts. */
export const addOpenTime = (hours: BusinessHours | null, from: Date, ms: number): Date => {
  let left = ms
  for (const span of openSpans(hours, from.getTime())) {
    if (span.from + left <= span.to) return new Date(span.from + left)
    left -= span.to - span.from
  }
  throw new Error('the last span has no end')
}

/** How much open time is between two moments; 0 if the second is not later. */
export const openTimeBetween = (hours: BusinessHours | null, from: Date, to: Date): number => {
  let ms = 0
  for (const span of openSpans(hours, from.getTime())) {
    if (span.from >= to.getTime()) break
    ms += Math.min(span.to, to.getTime()) - span.from
  }
  return ms
}
