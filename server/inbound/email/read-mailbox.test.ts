import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeliveryError, SIGN_IN_PUT_OFF } from '../../../channels/channel.ts'
import { pauseAfter } from './read-mailbox.ts'

const afterAnHour = (error: Partial<DeliveryError>): number => pauseAfter(error, 3_600_000)

test('a mailbox is retried within ten seconds, however long it was unreachable', () => {
  const failures = [
    new DeliveryError('retry', 'ECONNREFUSED', 'The mailbox can’t be read right now.'),
    new DeliveryError('retry', 'ETIMEDOUT', 'The mailbox can’t be read right now.'),
    new Error('our own database'),
  ]
  for (const failure of failures)
    for (let draw = 0; draw < 100; draw++) assert.ok(afterAnHour(failure) <= 10_000)
})

test('only a rejected or deferred sign-in is retried after minutes', () => {
  assert.ok(afterAnHour(new DeliveryError('refused', 'CREDENTIALS', 'No.')) > 10 * 60_000)
  const putOff = new DeliveryError('retry', SIGN_IN_PUT_OFF, 'Too many.')
  assert.ok(afterAnHour(putOff) > 3 * 60_000)
  assert.ok(pauseAfter(putOff, 1_000) < 2_000)
  const throttled = new DeliveryError('retry', 'ETHROTTLE', 'Later.', { retryAfterMs: 60_000 })
  assert.ok(pauseAfter(throttled, 1_000) > 40_000)
})
