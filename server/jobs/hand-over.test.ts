import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withRetries } from './hand-over.ts'

const OUTAGE = Object.assign(new Error('the database system is starting up'), { code: '57P03' })
const FAULT = Object.assign(new Error('no such column'), { code: '42703' })
const deps = { log: { warn: () => {} } as never, isStopping: () => false }

/** Fails with the error this many times. */
const failing = (error: Error, times: number) => {
  const work = async () => {
    work.tries++
    if (work.tries <= times) throw error
  }
  work.tries = 0
  return work
}

describe('recording the outcome of a send', { concurrency: true }, () => {
  test('is retried for as long as the database is down', async () => {
    const work = failing(OUTAGE, 8)
    await withRetries(deps, work)
    assert.equal(work.tries, 9)
  })

  test('stops after six attempts on any other error, or while the worker is stopping', async () => {
    const works = [failing(FAULT, 8), failing(OUTAGE, 8)] as const
    await Promise.all([
      assert.rejects(withRetries(deps, works[0]), FAULT),
      assert.rejects(withRetries({ ...deps, isStopping: () => true }, works[1]), OUTAGE),
    ])
    assert.deepEqual([works[0].tries, works[1].tries], [6, 6])
  })
})
