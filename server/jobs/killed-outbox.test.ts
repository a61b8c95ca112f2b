import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { until } from '../../test/until.ts'
import { kill, startKillable } from './testing/killable.ts'

/** KILLS=100 is the soak. */
const KILLS = Number(process.env.KILLS ?? 2)
const MESSAGES = 60

const app = await startApp()
const { database, db, make } = app

test('workers killed while they send what is held lose no message and send none twice', async () => {
  const { id: w } = await make.workspace()
  const jane = await signIn(app, w, (await make.agent(w, { role: 'admin' })).id)
  const bodies = Array.from({ length: MESSAGES }, (_, index) => `Reply ${index}`)
  for (const body of bodies) {
    const { id } = await make.conversation(w, { channel: 'web' })
    await jane.call('POST', `/conversations/${id}/messages`, { body, undoSeconds: 20 })
  }
  const left = async () => (await db.selectFrom('held_messages').select('id').execute()).length
  assert.equal(await left(), MESSAGES)
  await db
    .updateTable('held_messages')
    .set({ due_at: new Date(0) })
    .execute()
  for (let killed = 0; killed < KILLS; killed++) {
    const before = await left()
    const worker = await startKillable(database.connectionString)
    await until(async () => before === 0 || (await left()) < before, 'a message to be sent')
    await kill(worker)
  }
  const last = await startKillable(database.connectionString)
  await until(async () => (await left()) === 0, 'all messages to be sent')
  await kill(last)
  const rows = await db.selectFrom('messages').select('body').where('sender_type', '=', 'agent').execute()
  assert.deepEqual(rows.map(({ body }) => body).sort(), bodies.sort())
})
