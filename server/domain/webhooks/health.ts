// What each attempt says about its endpoint: pure, so that three days are tested in a moment.
import { FAILING_MAX_MS, HOLD_MS, probeWaitMs, TRIES_MAX, WARNINGS_MS, waitMs } from './waits.ts'

/** Failures in a row that open the circuit. */
const FAILURES_MAX = 5
/** Concurrent requests of an endpoint that works; its own limit is lower. */
const PLACES_MAX = 64

export type Health = {
  status: 'enabled' | 'paused' | 'disabled'
  ordering: 'conversation' | 'none' | 'strict'
  failures: number
  failingSinceMs: number | null
  failingId: string | null
  isFailingWidely: boolean
  probeAtMs: number | null
  probes: number
  places: number
  lastSuccessAtMs: number | null
  warnings: number
}

/** `silent`: there was no response at all. */
export type Ending = 'delivered' | 'failed' | 'silent' | 'gone' | 'url_refused'

type Attempted = {
  id: string
  atMs: number
  tries: number
  asideAtMs: number | null
  ending: Ending
  retryAfterMs: number
}

/** What becomes of the delivery. */
export type Verdict = {
  state: 'delivered' | 'pending' | 'failed'
  tries: number
  isCounted: boolean
  notBeforeMs: number
  asideAtMs: number | null
}

export type Advanced = {
  health: Health
  verdict: Verdict
  /** The circuit has just opened: what failed since the last success doesn't count. */
  hasOpened: boolean
  disabled: 'failing' | 'gone' | 'url_refused' | null
  /** Admins are to be told that it has been failing for one of WARNINGS_MS. */
  isWarningDue: boolean
}

export const advance = (
  before: Health,
  attempt: Attempted,
  nowMs: number,
  random: () => number = Math.random,
): Advanced => {
  const { id, atMs, tries, asideAtMs, ending, retryAfterMs } = attempt
  if (ending === 'delivered')
    return {
      health: recovered(before, nowMs),
      verdict: { state: 'delivered', tries: tries + 1, isCounted: true, notBeforeMs: nowMs, asideAtMs },
      hasOpened: false,
      disabled: null,
      isWarningDue: false,
    }
  const failingSinceMs = Math.min(before.failingSinceMs ?? atMs, atMs)
  const failures = before.failures + 1
  const failingId = before.failingId ?? id
  const isFailingWidely = before.isFailingWidely || failingId !== id
  const wasOpen = before.probeAtMs !== null
  // One event that a receiver refuses says nothing about others; no response at all does.
  const hasOpened = !wasOpen && failures >= FAILURES_MAX && (isFailingWidely || ending === 'silent')
  const disabled =
    ending === 'gone' || ending === 'url_refused'
      ? ending
      : nowMs - failingSinceMs >= FAILING_MAX_MS
        ? 'failing'
        : null
  const isWarningDue =
    disabled === null &&
    before.warnings < WARNINGS_MS.length &&
    nowMs - failingSinceMs >= WARNINGS_MS[before.warnings]!
  const health: Health = {
    ...before,
    ...(disabled && before.status !== 'disabled' && { status: 'disabled' }),
    failures,
    failingSinceMs,
    failingId,
    isFailingWidely,
    // Requests that hang take places from others.
    ...(ending === 'silent' && { places: Math.max(1, Math.floor(before.places / 2)) }),
    ...(hasOpened && { probeAtMs: nowMs + probeWaitMs(0), probes: 0, places: 1 }),
    warnings: before.warnings + (isWarningDue ? 1 : 0),
  }
  const isCounted = !wasOpen && !hasOpened && disabled === null
  return {
    health,
    verdict: isCounted
      ? countFailure(before.ordering, { tries: tries + 1, asideAtMs, retryAfterMs }, nowMs, random)
      : { state: 'pending', tries, isCounted, notBeforeMs: nowMs, asideAtMs },
    hasOpened,
    disabled: before.status === 'disabled' ? null : disabled,
    isWarningDue,
  }
}

/** After an outage: 1, 2, 4, … requests at a time. */
const recovered = (before: Health, nowMs: number): Health => ({
  ...before,
  failures: 0,
  failingSinceMs: null,
  failingId: null,
  isFailingWidely: false,
  probeAtMs: null,
  probes: 0,
  places: Math.min(before.places * 2, PLACES_MAX),
  lastSuccessAtMs: nowMs,
  warnings: 0,
})

const countFailure = (
  ordering: Health['ordering'],
  { tries, asideAtMs, retryAfterMs }: { tries: number; asideAtMs: number | null; retryAfterMs: number },
  nowMs: number,
  random: () => number,
): Verdict => {
  const stepsAside = ordering === 'conversation' ? (asideAtMs ?? nowMs + HOLD_MS) : null
  return {
    state: tries >= TRIES_MAX ? 'failed' : 'pending',
    tries,
    isCounted: true,
    notBeforeMs: nowMs + waitMs(Math.min(tries, TRIES_MAX - 1), retryAfterMs, random),
    asideAtMs: stepsAside,
  }
}
