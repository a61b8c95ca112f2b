import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { startApp } from '../../../test/app.ts'
import { until } from '../../../test/until.ts'
import { isOverloaded } from '../db/pool.ts'

const { call, database, db, make } = await startApp()

test('an overloaded workspace gets 503 with Retry-After, and others are served', async () => {
  const [busy, other] = [await make.workspace(), await make.workspace()]
  const { id } = await make.contact(busy.id)
  const holder = new pg.Client({ connectionString: database.connectionString })
  holder.on('error', () => {})
  await holder.connect()
  after(() => holder.end().catch(() => {}))
  await holder.query('begin')
  await holder.query('select from contacts where id = $1 for update', [id])
  const patch = () => call(busy.token, 'PATCH', `/contacts/${id}`, { customFields: { plan: 'gold' } })
  // More than its share of connections, each of which waits for the row for up to two seconds.
  const waiting = Array.from({ length: 60 }, patch)
  await until(() => isOverloaded(db, busy.id), 'the workspace to be overloaded')
  const refused = await call(busy.token, 'GET', '/contacts')
  assert.equal(refused.status, 503)
  assert.equal(refused.body.error.code, 'SERVICE_UNAVAILABLE')
  assert.ok(Number(refused.headers['retry-after']) > 0)
  assert.equal((await call(other.token, 'GET', '/contacts')).status, 200)
  await holder.query('rollback')
  await Promise.all(waiting)
  await until(async () => (await call(busy.token, 'GET', '/contacts')).status === 200, 'the overload to end')
})

test('of a thousand requests waiting for one row, those beyond the queue are rejected at once', async () => {
  const workspace = await make.workspace()
  const { id } = await make.contact(workspace.id)
  const holder = new pg.Client({ connectionString: database.connectionString })
  holder.on('error', () => {})
  await holder.connect()
  after(() => holder.end().catch(() => {}))
  await holder.query('begin')
  await holder.query('select from contacts where id = $1 for update', [id])
  let refusedWhileHeld = 0
  const all = Array.from({ length: 1_000 }, async () => {
    const { status } = await call(workspace.token, 'PATCH', `/contacts/${id}`, {
      customFields: { plan: 'gold' },
    })
    if (status === 503) refusedWhileHeld++
  })
  // Two hundred may queue; the rest are refused without waiting for the row.
  await until(() => refusedWhileHeld >= 700, 'those beyond the line to be refused')
  await holder.query('rollback')
  await Promise.all(all)
})
