import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PUBLIC_TYPES } from '../../../server/domain/feed/catalogue.ts'
import { EVENT_TYPES } from './webhook-words.ts'

test('every type of event that webhooks can have is offered', () => {
  const known = Object.keys(PUBLIC_TYPES).filter((type) => type !== 'ping')
  assert.deepEqual([...EVENT_TYPES].sort(), known.sort())
})
