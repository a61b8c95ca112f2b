// Tests how new deliveries find what is open before them, not what they become.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { makeEvents } from './testing/make-events.ts'

const app = await startApp()
const { make, call, db, database } = app

test('what is open in a conversation is found by its index, however many deliveries wait elsewhere', async () => {
  const { id, token } = await make.workspace()
  await call(token, 'POST', '/webhook-endpoints', { url: 'http://127.0.0.1:19999/hook' })
  for (let batch = 0; batch < 4; batch++)
    await makeEvents(
      app,
      id,
      Array.from({ length: 500 }, (_, index) => ({ conversationId: `cnv_${batch}_${index % 100}` })),
    )
  await sql`analyze webhook_deliveries`.execute(db)
  const text = database.statements.findLast((statement) =>
    statement.includes('insert into webhook_deliveries'),
  )
  assert.ok(text)
  const { rows } = await database.pool.query(`explain (generic_plan) ${text}`)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  assert.match(
    plan,
    /using webhook_deliveries_open on webhook_deliveries o .*\n\s+Index Cond: .*order_key = /,
  )
})
