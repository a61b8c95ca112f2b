// `npm run bench:followers`: whether programs that follow the feed, receive webhooks and copy the workspace miss
// anything, against sixteen writers, while the worker and the API are killed in turns. FOLLOWED_KILLS sets how often (16).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDatabase } from '../test/database.ts'
import { atTheEnd, temporaryDirectory } from '../test/e2e/foyer.ts'
import { makePollPlace } from '../test/e2e/poll-place.ts'
import { followUnderKills } from '../test/follow-under-kills.ts'
import {
  IS_TRIAL,
  load,
  loadBefore,
  number,
  postgresOf,
  producedBy,
  tableOf,
  writePlatformSection,
} from './measured.ts'

const KILLS = Number(process.env.FOLLOWED_KILLS ?? (IS_TRIAL ? 4 : 16))
const WRITERS = 16
const SHARED = 'Two Foyer processes, the writers, the followers and PostgreSQL'

test('followers under kills', async () => {
  const busy = loadBefore()
  const database = await makeDatabase()
  atTheEnd(database.drop)
  const env = {
    DATABASE_URL: database.connectionString,
    SECRET_KEY: 'a key for the benchmark, of forty characters',
    DATA_DIR: temporaryDirectory(),
  }
  const place = await makePollPlace(env)
  const found = await followUnderKills({
    ...{ env, place, pool: database.pool, writers: WRITERS, kills: KILLS, lifeMs: 2_000 },
    receiverBreaksEvery: 200,
  })
  process.stdout.write(`${JSON.stringify(found)}\n`)
  const now = load()
  const none = { target: '0', load: now }
  writePlatformSection('Followers while processes are killed', [
    producedBy({
      script: 'bench:followers',
      postgres: await postgresOf(database.db),
      shared: SHARED,
      busy,
      caveat: 'so fewer events were written.',
    }),
    '',
    `${WRITERS} writers, an API process and a worker, one of which is killed with -9 ${KILLS} times in turns, while the feed is followed by held calls and by a stream, webhooks are received by a program that fails each 200th request, and a copy is made with \`from=sync\`. At the end, what each has seen is compared with the database.`,
    '',
    ...tableOf([
      { what: 'writes that succeeded', measured: number(found.written), load: now },
      { what: 'events', measured: number(found.events), load: now },
      ...Object.entries(found.missing).map(([name, count]) => ({
        what: `missing, ${name}`,
        measured: String(count),
        ...none,
      })),
      {
        what: 'events that came twice, gaps, and wrong states of conversations',
        measured: String(found.faults.length),
        ...none,
      },
      {
        what: 'conversations numbered in another order than their thread',
        measured: String(found.disordered),
        ...none,
      },
      {
        what: 'webhooks by what became of them',
        measured: Object.entries(found.deliveries)
          .map(([state, count]) => `${state} ${count}`)
          .join(', '),
        load: now,
      },
      ...Object.entries(found.repeats).map(([name, count]) => ({
        what: `repeated, and recognized as such, ${name}`,
        measured: String(count),
        load: now,
      })),
    ]),
  ])
  assert.deepEqual(found.faults, [])
  assert.ok(Object.values(found.missing).every((count) => count === 0))
})
