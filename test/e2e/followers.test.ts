// Programs that follow the feed and receive webhooks, while others write and both processes are killed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDatabase } from '../database.ts'
import { followUnderKills } from '../follow-under-kills.ts'
import { atTheEnd, temporaryDirectory } from './foyer.ts'
import { makePollPlace } from './poll-place.ts'

test('the feed, its stream, webhooks and a copy have everything that is in the database, in order', async () => {
  const database = await makeDatabase()
  atTheEnd(database.drop)
  const env = {
    DATABASE_URL: database.connectionString,
    SECRET_KEY: 'a key for the tests, of forty characters',
    DATA_DIR: temporaryDirectory(),
  }
  const place = await makePollPlace(env)
  const found = await followUnderKills({
    ...{ env, place, pool: database.pool, writers: 8, kills: 2, lifeMs: 700 },
  })
  assert.ok(found.written > 20, JSON.stringify(found))
  assert.deepEqual(
    { missing: found.missing, faults: found.faults, disordered: found.disordered },
    { missing: { 'held calls': 0, stream: 0, webhooks: 0, copy: 0 }, faults: [], disordered: 0 },
  )
})
