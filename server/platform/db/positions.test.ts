import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sharingReads } from './positions.ts'

test('callers share a reading, but only one that began after they called', async () => {
  const readings: PromiseWithResolvers<number>[] = []
  const read = sharingReads(() => {
    readings.push(Promise.withResolvers<number>())
    return readings.at(-1)!.promise
  })
  const first = read()
  const [second, third] = [read(), read()]
  assert.equal(readings.length, 1)
  readings[0]!.resolve(1)
  assert.equal(await first, 1)
  await turn()
  readings[1]!.reject(new Error('the connection broke'))
  await assert.rejects(second, /broke/)
  await assert.rejects(third, /broke/)
  const fourth = read()
  readings[2]!.resolve(3)
  assert.equal(await fourth, 3)
})
