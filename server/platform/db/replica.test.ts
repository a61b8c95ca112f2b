// A replica answers reads while it is one, and while it is up to date. Otherwise the primary does.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { atTheEnd } from '../../../test/at-the-end.ts'
import { startPostgres, WITHOUT_POSTGRES } from '../../../test/e2e/postgres.ts'
import { until } from '../../../test/until.ts'
import type { Ctx } from '../ctx/ctx.ts'
import { readFromReplica } from '../http/replica-reads.ts'
import { migrate } from './migrate.ts'
import { makeDb, makePool, makeReplicaPool } from './pool.ts'
import { watchReplica } from './replica.ts'

const BEHIND_MAX_MS = 500
const LOOK_EVERY_MS = 50

describe('a replica', { skip: WITHOUT_POSTGRES }, async () => {
  if (WITHOUT_POSTGRES) return
  const primary = await startPostgres()
  await migrate(primary.url)
  const standby = await startPostgres(primary.url)
  const said: string[] = []
  const log = {
    info: (_: object, line: string) => void said.push(line),
    warn: ({ reason }: { reason: string }) => void said.push(reason),
  }
  const pools = [
    makePool({ connectionString: primary.url }),
    makeReplicaPool({ connectionString: standby.url }),
  ] as const
  const [primaryDb, replicaDb] = [makeDb(pools[0]), makeDb(pools[1])]
  const replica = watchReplica({
    ...{ primary: primaryDb, replica: replicaDb, lookEveryMs: LOOK_EVERY_MS, behindMaxMs: BEHIND_MAX_MS },
    log: log as never,
  })
  atTheEnd(() => Promise.all(pools.map((pool) => pool.end())))
  atTheEnd(replica.close)
  const ctx = { db: primaryDb, workspaceId: 'w' } as Ctx

  /** Who answered. */
  const whoAnswers = (sleepSeconds = 0): Promise<'replica' | 'primary'> =>
    readFromReplica(ctx, replica, async ({ db }) => {
      const { rows } = await sql<{ is: boolean }>`
        select pg_is_in_recovery() as is, pg_sleep(case when pg_is_in_recovery() then ${sleepSeconds}::float8 else 0 end)`.execute(
        db,
      )
      return rows[0]!.is ? 'replica' : 'primary'
    })
  const untilAnswered = (by: 'replica' | 'primary') =>
    until(async () => (await whoAnswers()) === by, `an answer by the ${by}`, 60_000)
  const write = () => primary.query('update event_epoch set moved_to = moved_to')

  test('answers once it was found to be one', async () => {
    await untilAnswered('replica')
    assert.deepEqual(said.splice(0), [])
  })

  test('that falls behind is left alone until it has caught up, and that is said once', async () => {
    await standby.query('select pg_wal_replay_pause()')
    await until(async () => {
      await write()
      return (await whoAnswers()) === 'primary'
    }, 'the primary to answer')
    await write()
    assert.deepEqual(said.splice(0), ['it is more than 1 s behind'])
    await standby.query('select pg_wal_replay_resume()')
    await untilAnswered('replica')
    assert.deepEqual(said.splice(0), ['the replica can be used again'])
  })

  test('that hangs in the middle of a read is given up, and the primary answers', async () => {
    const answer = whoAnswers(30)
    const thaw = await standby.freeze()
    try {
      assert.equal(await answer, 'primary')
      assert.equal(await whoAnswers(), 'primary')
      assert.deepEqual(said.splice(0), ['it does not respond'])
    } finally {
      thaw()
    }
    await untilAnswered('replica')
    said.splice(0)
  })

  test('that is stopped during a read is given up, and used again after its return', async () => {
    const answer = whoAnswers(30)
    await standby.stop()
    assert.equal(await answer, 'primary')
    assert.equal(said.splice(0).length, 1)
    await standby.start()
    await untilAnswered('replica')
    assert.deepEqual(said.splice(0), ['the replica can be used again'])
  })

  test('an error of the read itself is that of the caller', async () => {
    const failing = readFromReplica(ctx, replica, ({ db }) => sql`select 1 / 0`.execute(db))
    await assert.rejects(failing, /division by zero/)
    assert.equal(await whoAnswers(), 'replica')
  })

  test('that was promoted is none any more', async () => {
    await standby.query('select pg_promote()')
    // Both servers would now say that they are no replica, so the answer doesn't show which one gave it.
    await until(() => replica.use() === null, 'the replica to be left alone')
    assert.deepEqual(said.splice(0), ['it is not a replica, or was promoted'])
  })
})
