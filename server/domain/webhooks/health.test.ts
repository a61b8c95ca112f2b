import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Advanced, advance, type Ending, type Health } from './health.ts'
import { TRIES_MAX } from './waits.ts'

const HOUR_MS = 3_600_000
const HEALTHY: Health = {
  status: 'enabled',
  ordering: 'conversation',
  failures: 0,
  failingSinceMs: null,
  failingId: null,
  isFailingWidely: false,
  probeAtMs: null,
  probes: 0,
  places: 4,
  lastSuccessAtMs: null,
  warnings: 0,
}
const half = () => 0.5

const attempt = (
  health: Health,
  ending: Ending,
  { id = 'a', tries = 0, atMs = 0, retryAfterMs = 0 } = {},
): Advanced => advance(health, { id, tries, atMs, ending, retryAfterMs, asideAtMs: null }, atMs, half)

test('a delivery that is refused has 15 attempts over 76 hours, and then it has failed', () => {
  let health = HEALTHY
  let atMs = 0
  let tries = 0
  let count = 0
  for (;;) {
    const { verdict, ...rest } = attempt(health, 'failed', { tries, atMs })
    health = rest.health
    count++
    assert.equal(rest.hasOpened, false, 'one event that is refused says nothing about others')
    if (verdict.state === 'failed') break
    tries = verdict.tries
    atMs = verdict.notBeforeMs
  }
  assert.equal(count, TRIES_MAX)
  assert.equal(count, 15)
  assert.equal(Math.round(atMs / HOUR_MS), 76)
})

test('five failures in a row of several events, or five times no response, open the circuit, and none of them counts', () => {
  for (const [ending, idOf] of [
    ['failed', (index: number) => `d${index % 2}`],
    ['silent', () => 'a'],
  ] as const) {
    let health = HEALTHY
    for (let index = 0; index < 4; index++) {
      const next = attempt(health, ending, { id: idOf(index), atMs: index })
      assert.equal(next.verdict.isCounted, true)
      health = next.health
    }
    const fifth = attempt(health, ending, { id: idOf(4), atMs: 4, tries: 1 })
    assert.equal(fifth.hasOpened, true)
    assert.deepEqual([fifth.verdict.isCounted, fifth.verdict.tries, fifth.health.places], [false, 1, 1])
    const sixth = attempt(fifth.health, ending, { id: 'z', atMs: 10_000, tries: 1 })
    assert.deepEqual(
      [sixth.hasOpened, sixth.verdict.isCounted, sixth.verdict.notBeforeMs],
      [false, false, 10_000],
    )
    const success = attempt(sixth.health, 'delivered', { atMs: 20_000, tries: 0 })
    assert.deepEqual(
      [success.health.probeAtMs, success.health.places, success.verdict.tries],
      [null, 2, 1],
      'it recovers slowly',
    )
  }
})

test('Retry-After is obeyed up to a day, and can’t shorten a wait', () => {
  for (const [retryAfterMs, waitMs] of [
    [60_000, 60_000],
    [99_999_999_000, 24 * HOUR_MS],
    [-1_000, 5_000],
    [Number.POSITIVE_INFINITY, 24 * HOUR_MS],
  ] as const)
    assert.equal(attempt(HEALTHY, 'failed', { retryAfterMs }).verdict.notBeforeMs, waitMs)
})

test('admins are told after 1, 24 and 96 hours, once each, and the endpoint is disabled after five days', () => {
  let health = HEALTHY
  const told: number[] = []
  for (let hour = 0; hour < 130; hour++) {
    const next = attempt(health, 'silent', { id: `d${hour}`, atMs: hour * HOUR_MS })
    health = next.health
    if (next.isWarningDue) told.push(hour)
    if (!next.disabled) continue
    assert.deepEqual([next.disabled, hour, health.status], ['failing', 120, 'disabled'])
    break
  }
  assert.deepEqual(told, [1, 24, 96])
})

test('410 and a refused address disable the endpoint at once, and its events keep waiting', () => {
  for (const ending of ['gone', 'url_refused'] as const) {
    const { disabled, health, verdict } = attempt(HEALTHY, ending)
    assert.deepEqual(
      [disabled, health.status, verdict.state, verdict.isCounted],
      [ending, 'disabled', 'pending', false],
    )
  }
})

test('strict endpoints never let another event pass', () => {
  const { verdict } = attempt({ ...HEALTHY, ordering: 'strict' }, 'failed')
  assert.equal(verdict.asideAtMs, null)
})
