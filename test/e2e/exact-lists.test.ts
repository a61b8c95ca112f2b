// Lists in creation order, polled by programs that stop at the first known row.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { poll, readOwnWrites } from '../pollers.ts'
import { call, serve, temporaryDirectory } from './foyer.ts'
import { makePollPlace, shiftedClock } from './poll-place.ts'

const WRITERS = 16
const TURNS = 45

const env = { DATA_DIR: temporaryDirectory() }

const place = await makePollPlace(env)
const one = await serve(env)

test('a program that polls one process until a known row misses nothing, and dates never increase', async () => {
  const found = await poll({ ...place, urls: [one.url], writers: WRITERS, forMs: 5_000 })
  assert.ok(found.written > 50 && found.polls > 10, JSON.stringify(found))
  assert.deepEqual({ missed: found.missed, rising: found.rising }, { missed: 0, rising: 0 })
})

test('nor with three processes, two with wrong clocks and one killed midway', async () => {
  const early = await serve({ ...env, ...shiftedClock(-5_000) }, '--role', 'api')
  const late = await serve({ ...env, ...shiftedClock(3_000) }, '--role', 'api')
  const urls = [one.url, early.url, late.url]
  const ownMissing = await readOwnWrites({ secret: place.secret, urls }, { connections: 20, times: 5 })
  assert.equal(ownMissing, 0, 'what one has written is listed at once, by every process')
  const made = await call(one.url, place.secret, 'POST', '/api/v1/conversations', {
    email: 'thread@customers.example',
    channel: 'web',
  })
  const path = `/api/v1/conversations/${made.body.conversation.id}`
  const accepted: string[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    const { status, body } = await call(urls[turn % 3]!, place.secret, 'POST', `${path}/messages`, {
      body: `${turn}`,
    })
    assert.equal(status, 200)
    accepted.unshift(body.message.id)
  }
  const thread = await call(one.url, place.secret, 'GET', `${path}/messages?limit=100`)
  const ids = thread.body.messages.map(({ id }: { id: string }) => id)
  assert.deepEqual(ids, accepted, 'a thread is in the order in which its messages were accepted')
  const { body } = await call(one.url, place.secret, 'GET', path)
  assert.equal(body.conversation.lastMessage.id, accepted[0])
  const found = await poll({
    ...place,
    urls,
    writers: WRITERS,
    forMs: 6_000,
    halfWay: async () => {
      await late.kill()
    },
  })
  assert.ok(found.written > 50 && found.polls > 10, JSON.stringify(found))
  assert.deepEqual({ missed: found.missed, rising: found.rising }, { missed: 0, rising: 0 })
})
