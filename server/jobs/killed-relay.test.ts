import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { runTransaction } from '../platform/db/horizon.ts'
import { kill, startKillable } from './testing/killable.ts'

/** KILLS=200 is the soak. */
const KILLS = Number(process.env.KILLS ?? 3)
const WRITERS = 6

const { call, database, db, make } = await startApp()

/** What a program that follows the feed has, by reading it page by page. */
const readAll = async (token: string, types?: string): Promise<{ key: string; sequence: number }[]> => {
  const found: { key: string; sequence: number }[] = []
  let query = 'from=oldest'
  for (let next = 1; ; ) {
    const { body } = await call(token, 'GET', `/events?${query}&limit=20${types ? `&types=${types}` : ''}`)
    assert.equal(body.covers.from, next)
    next = body.covers.to + 1
    for (const { data, sequence } of body.events) found.push({ key: data.noteId ?? data.tagId, sequence })
    if (!body.hasMore) return found
    query = `cursor=${body.cursor}`
  }
}

test('relays that are killed under load leave no hole and number nothing twice', async () => {
  const { id: workspaceId, token } = await make.workspace()
  const committed: string[] = []
  let isOver = false
  const writer = async (name: number): Promise<void> => {
    for (let round = 0; !isOver; round++) {
      const key = `${name}.${round}`
      const isNote = round % 2 === 0
      const isRolledBack = (name + round) % 10 === 0
      await runTransaction({ db, workspaceId }, false, async (trx) => {
        await sql`insert into events (workspace_id, type, data, actor, created_at)
          values (${workspaceId}, ${isNote ? 'note.created' : 'tag.created'},
            ${JSON.stringify(isNote ? { noteId: key } : { tagId: key })}, 'system', now())`.execute(trx)
        await delay(20 + ((name * 70 + round * 30) % 150))
        if (isRolledBack) throw new Error('on purpose')
      }).then(
        () => committed.push(key),
        (error) => assert.equal(error.message, 'on purpose'),
      )
    }
  }
  const headOf = async (): Promise<number> =>
    (
      await db
        .selectFrom('feed_heads')
        .select('seq')
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst()
    )?.seq ?? 0
  const killing = (async () => {
    for (let killed = 0; killed < KILLS; killed++) {
      const worker = await startKillable(database.connectionString)
      const before = await headOf()
      await until(async () => (await headOf()) > before, 'an event to be numbered')
      await kill(worker)
    }
    isOver = true
  })()
  await Promise.all([killing, ...Array.from({ length: WRITERS }, (_, name) => writer(name))])
  const last = await startKillable(database.connectionString)
  await until(async () => (await headOf()) === committed.length, 'all events to be numbered')
  await kill(last)
  const all = await readAll(token)
  assert.deepEqual(
    all.map(({ sequence }) => sequence),
    committed.map((_, index) => index + 1),
  )
  assert.deepEqual(all.map(({ key }) => key).sort(), committed.toSorted())
  const parts = [...(await readAll(token, 'note.*')), ...(await readAll(token, 'tag.created'))]
  assert.deepEqual(
    parts.toSorted((a, b) => a.sequence - b.sequence),
    all,
  )
})
