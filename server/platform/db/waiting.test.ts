import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { startApp } from '../../../test/app.ts'
import { until } from '../../../test/until.ts'

const { call, database, make } = await startApp()
const { pool } = database

/** The promise is two seconds; a busy machine gets as much again. */
const LOCK_WAIT_MAX_MS = 4_500
const REQUESTS = 12

/** A transaction of somebody else that holds a contact's row until it is let go. */
const holdContact = async (contactId: string) => {
  const holder = new pg.Client({ connectionString: database.connectionString })
  holder.on('error', () => {})
  await holder.connect()
  after(() => holder.end().catch(() => {}))
  await holder.query('begin')
  await holder.query('select from contacts where id = $1 for update', [contactId])
  return { releaseClaim: () => holder.query('rollback') }
}

test('requests about a row that is held give up within 2 s, and another workspace does not notice', async () => {
  const [held, other] = [await make.workspace(), await make.workspace()]
  const { id: contactId } = await make.contact(held.id)
  const { id: otherId } = await make.contact(other.id)
  const { releaseClaim } = await holdContact(contactId)

  const begin = performance.now()
  const stuck = Array.from({ length: REQUESTS }, () =>
    call(held.token, 'PATCH', `/contacts/${contactId}`, { customFields: { plan: 'gold' } }),
  )
  await until(async () => {
    const { rows } = await pool.query(
      `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return rows[0].count > 1
  }, 'the requests to wait for the lock')
  for (let count = 0; count < 20; count++) {
    const beginOther = performance.now()
    const { status } = await call(other.token, 'PATCH', `/contacts/${otherId}`, {
      customFields: { plan: `${count}` },
    })
    assert.equal(status, 200)
    assert.ok(performance.now() - beginOther < 1_000, 'another workspace waits')
  }
  const first = await Promise.race(stuck)
  assert.ok(performance.now() - begin < LOCK_WAIT_MAX_MS)
  assert.equal(first.status, 503)
  for (const { status, headers, body } of await Promise.all(stuck)) {
    assert.equal(status, 503)
    assert.ok(Number(headers['retry-after']) > 0)
    assert.equal(body.error.code, 'SERVICE_UNAVAILABLE')
  }
  await releaseClaim()
  assert.equal(
    (await call(held.token, 'PATCH', `/contacts/${contactId}`, { customFields: { plan: 'gold' } })).status,
    200,
  )
})

test('the server ends an idle transaction, such as that of a frozen process', async () => {
  const workspace = await make.workspace()
  const { id } = await make.contact(workspace.id)
  const client = await pool.connect()
  await client.query('begin')
  await client.query('select from contacts where id = $1 for update', [id])
  await until(
    async () =>
      (
        await call(workspace.token, 'PATCH', `/contacts/${id}`, {
          customFields: { plan: 'gold' },
        })
      ).status === 200,
    'the row to be free',
  )
  await assert.rejects(client.query('select 1'))
  client.release(true)
})
