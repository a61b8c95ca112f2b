// `npm run bench:followers`: whether programs that follow the feed, receive webhooks and copy the workspace miss
// anything, against sixteen writers, while the worker and the API are killed in turns. FOLLOWED_KILLS sets how often (16).
import { test } from 'node:test'
import { makeDatabase } from '../test/database.ts'
import { atTheEnd, temporaryDirectory } from '../test/e2e/foyer.ts'
import { makePollPlace } from '../test/e2e/poll-place.ts'
import { followUnderKills } from '../test/follow-under-kills.ts'

const KILLS = Number(process.env.FOLLOWED_KILLS ?? 16)

test('followers under kills', async (t) => {
  const database = await makeDatabase()
  atTheEnd(database.drop)
  const env = {
    DATABASE_URL: database.connectionString,
    SECRET_KEY: 'a key for the benchmark, of forty characters',
    DATA_DIR: temporaryDirectory(),
  }
  const place = await makePollPlace(env)
  const found = await followUnderKills({
    ...{ env, place, pool: database.pool, writers: 16, kills: KILLS, lifeMs: 2_000 },
    receiverBreaksEvery: 200,
  })
  t.diagnostic(JSON.stringify(found))
})
