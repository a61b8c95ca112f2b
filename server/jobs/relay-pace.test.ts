import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePace } from './relay-pace.ts'

/** Batches of so many milliseconds; `idleMs` passes after each until there is something to do again. */
const simulate = (workMs: number, idleMs: number, count: number) => {
  const pace = makePace()
  const waits: number[] = []
  let nowMs = 1_000
  let worked = 0
  for (let batch = 0; batch < count; batch++) {
    const startedMs = nowMs
    nowMs += workMs
    worked += workMs
    // The relay sleeps while there is nothing, and then for what is left of the wait.
    const restMs = pace.waitMs(startedMs, workMs, nowMs + idleMs)
    waits.push(restMs)
    nowMs += idleMs + restMs
  }
  return { waits, share: worked / (nowMs - 1_000) }
}

test('without a break, the relay works a fifth of the time', () => {
  for (const workMs of [1, 3, 8, 20]) {
    const { share } = simulate(workMs, 0, 500)
    assert.ok(share > 0.17 && share < 0.22, `${workMs} ms: ${share}`)
  }
})

test('an event every 50 ms never waits', () => {
  assert.deepEqual(new Set(simulate(8, 50, 500).waits), new Set([0]))
})

test('after a quiet moment, the first events don’t wait', () => {
  const pace = makePace()
  for (let at = 0; at < 1_000; at += 8) pace.waitMs(at, 8, at + 8)
  assert.equal(pace.waitMs(3_000, 8, 3_008), 0)
  assert.equal(pace.waitMs(3_010, 8, 3_018), 0)
})

test('nothing waits longer than 120 ms, however slow the machine is', () => {
  const { waits } = simulate(400, 0, 50)
  assert.ok(Math.max(...waits) <= 120)
  const pace = makePace()
  for (let at = 0; at < 50_000; at += 500) pace.waitMs(at, 400, at + 400)
  assert.equal(pace.waitMs(51_000, 8, 51_008), 0)
})
