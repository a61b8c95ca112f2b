// A replica answers reads while it is one, and while it is up to date. Otherwise the primary does.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { atTheEnd } from '../../../test/at-the-end.ts'
import { startPostgres, WITHOUT_POSTGRES } from '../../../test/e2e/postgres.ts'
import { until } from '../../../test/until.ts'
import type { Ctx } from '../ctx/ctx.ts'
import { readFromCurrent, readFromReplica } from '../http/replica-reads.ts'
import { startNextEpoch } from '../live/epoch.ts'
import { runTransaction, startOf } from './horizon.ts'
import { migrate } from './migrate.ts'
import { makeDb, makePool, makeReplicaPool, makeReplicaSearchPool } from './pool.ts'
import { catchUp, NotThere, readPrimary } from './positions.ts'
import { type Current, watchReplica } from './replica.ts'

const BEHIND_MAX_MS = 500
const LOOK_EVERY_MS = 50

describe('a replica', { skip: WITHOUT_POSTGRES }, async () => {
  if (WITHOUT_POSTGRES) return
  const primary = await startPostgres()
  await migrate(primary.url)
  const primaryPool = makePool({ connectionString: primary.url })
  const primaryDb = makeDb(primaryPool)
  await startNextEpoch(primaryDb)
  const standby = await startPostgres(primary.url)
  const said: string[] = []
  const log = {
    info: (_: object, line: string) => void said.push(line),
    warn: ({ reason }: { reason: string }) => void said.push(reason),
  }
  const pools = [
    primaryPool,
    makeReplicaPool({ connectionString: standby.url }),
    makeReplicaSearchPool({ connectionString: standby.url }),
  ] as const
  const [replicaDb, search] = [makeDb(pools[1]), makeDb(pools[2])]
  const replica = watchReplica({
    ...{
      primary: primaryDb,
      replica: replicaDb,
      search,
      lookEveryMs: LOOK_EVERY_MS,
      behindMaxMs: BEHIND_MAX_MS,
    },
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

  /** Once it has everything. */
  const untilCurrent = async (): Promise<Current> => {
    let found: Current | undefined
    await until(async () => {
      const current = await replica.useCurrent('w')
      if (typeof current === 'string') return false
      const isThere = await sql`select`.execute(current.db).catch(() => null)
      if (isThere) found = current
      return isThere !== null
    }, 'the replica to have everything')
    return found!
  }
  const whoAnswersCurrently = (): Promise<boolean> =>
    readFromCurrent(ctx, replica, async ({ db }) => {
      const { rows } = await sql<{ is: boolean }>`
        select moved_to = ${`moved ${moves}`} and (select pg_is_in_recovery()) as is from event_epoch`.execute(
        db,
      )
      return rows[0]!.is
    })
  let moves = 0

  test('that hasn’t replayed what was committed before a read doesn’t answer it, and otherwise does', async () => {
    await untilCurrent()
    for (moves = 1; moves <= 8; moves++) {
      await primary.query(`update event_epoch set moved_to = 'moved ${moves}'`)
      await until(whoAnswersCurrently, 'the replica to show what was written')
      await standby.query('select pg_wal_replay_pause()')
      await primary.query(`update event_epoch set moved_to = 'paused ${moves}'`)
      const shown = await readFromCurrent(ctx, replica, ({ db }) =>
        sql<{ text: string }>`select moved_to as text from event_epoch`.execute(db),
      )
      assert.equal(shown.rows[0]!.text, `paused ${moves}`)
      await standby.query('select pg_wal_replay_resume()')
    }
    await primary.query('update event_epoch set moved_to = null')
  })

  test('has its lists end where those of the primary do, and only with all that comes before', async () => {
    const scope = { db: primaryDb, workspaceId: 'w' }
    const committed = Promise.withResolvers<void>()
    const [open, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const older = runTransaction(scope, false, async () => {
      begun.resolve()
      await open.promise
    }).then(committed.resolve)
    await begun.promise
    const startThere = async () => startOf({ ...scope, db: (await untilCurrent()).db }, null)
    const withheld = await startThere()
    // Whoever begins now makes greater ids, and is committed; the older transaction is not.
    await runTransaction(scope, false, async () => {})
    assert.ok((await startThere()) <= withheld)
    open.resolve()
    await older
    await until(async () => (await startThere()) > withheld, 'the lists to go on')

    const { db } = await untilCurrent()
    await standby.query('select pg_wal_replay_pause()')
    await primary.query('update event_epoch set moved_to = null')
    // What it had when it was chosen doesn't do for a list that ends later.
    await until(async () => {
      await startOf({ ...scope, db }, null)
      return (await sql`select`.execute(db).catch((error) => error)) instanceof NotThere
    }, 'a refusal')
    await standby.query('select pg_wal_replay_resume()')
  })

  test('has everything even if the primary’s log was flushed in the middle of a record', async () => {
    await untilCurrent()
    const open = await pools[0].connect()
    await open.query('begin')
    await open.query(`select pg_logical_emit_message(false, 'test', repeat('x', 20000))`)
    // Nobody commits: only the server's own writer flushes it, page by page.
    await until(async () => (await readPrimary(primaryDb)).isCut, 'the log to be flushed')
    await untilCurrent()
    await open.query('rollback')
    open.release()
  })

  test('isn’t asked for what is current while the primary has another history', async () => {
    await untilCurrent()
    const [{ timeline }] = await primary.query('select timeline from event_epoch')
    await primary.query(`update event_epoch set timeline = 'another'`)
    await until(async () => (await replica.useCurrent('w')) === 'unusable', 'the replica to be left alone')
    await primary.query('update event_epoch set timeline = $1', [timeline])
    await untilCurrent()

    // However far it is: positions of another history say nothing.
    const client = await pools[1].connect()
    const [{ history }] = await primary.query(
      `select concat(number, ' ', timeline, ' ', system_identifier) as history from event_epoch`,
    )
    await catchUp(client, { position: 0, history })
    await assert.rejects(catchUp(client, { position: 0, history: `${history}1` }), NotThere)
    client.release()
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
