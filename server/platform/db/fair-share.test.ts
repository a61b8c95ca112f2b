import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../test/until.ts'
import { makeFairShare } from './fair-share.ts'

const CONNECTIONS = 5
const WAITING = 150
const EVERY_MS = 100
/** What somebody waits for at the most. */
const WAIT_MAX_MS = 5_000

test('a request too far back in a slow queue is rejected before its wait is over', async () => {
  const share = makeFairShare(CONNECTIONS)
  assert.equal(share.take('slow'), undefined)
  const startedMs = performance.now()
  const refusedAfterMs: number[] = []
  let served = 0
  for (let count = 0; count < WAITING; count++)
    Promise.resolve(share.take('slow')).then(
      () => served++,
      () => refusedAfterMs.push(performance.now() - startedMs),
    )
  while (refusedAfterMs.length === 0) {
    await delay(EVERY_MS)
    share.giveBack('slow')
  }
  // Some fifty are served in time at the most.
  assert.ok(refusedAfterMs.length > WAITING / 3, String(refusedAfterMs.length))
  assert.ok(refusedAfterMs[0]! < WAIT_MAX_MS, String(refusedAfterMs[0]))
  assert.ok(share.isOverloaded('slow'))
  // The rest goes on.
  for (let left = share.countWaiting() + 1; left > 0; left--) {
    share.giveBack('slow')
    await Promise.resolve()
  }
  await until(async () => served + refusedAfterMs.length === WAITING, 'everyone to hear')
  assert.equal(share.countWaiting(), 0)
  assert.ok(!share.isOverloaded('slow'))
})
