import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { startApp } from '../../../test/app.ts'
import { atTheEnd } from '../../../test/at-the-end.ts'
import { until } from '../../../test/until.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { databaseNow } from '../../platform/db/clock.ts'
import {
  AUTOMATION_CHANNEL,
  addInputs,
  deleteInputs,
  inputsInsert,
  readAnnouncement,
  readInputQueue,
} from './inputs.ts'

const { clock, ctxOf, database, db, make } = await startApp()

const heard: string[] = []
const listener = new pg.Client({ connectionString: database.connectionString })
atTheEnd(() => listener.end())
await listener.connect()
listener.on('notification', ({ payload }) => heard.push(payload ?? ''))
await listener.query(`listen ${AUTOMATION_CHANNEL}`)

const workspace = async ({ isAutomated }: { isAutomated: boolean }) => {
  const { id } = await make.workspace()
  await db.updateTable('workspaces').set({ is_automated: isAutomated }).where('id', '=', id).execute()
  const conversation = await make.conversation(id)
  return { ctx: ctxOf(id), id, conversationId: conversation.id }
}

const inputsOf = (conversationId: string) =>
  db
    .selectFrom('automation_inputs')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .orderBy('id')
    .execute()

const assigned = { on: 'assigned', by: 'team', to: 'ai', tagId: null, field: null, runId: null } as const

test('inputs are kept in order, and one notification says so once they are committed', async () => {
  const { ctx, id, conversationId } = await workspace({ isAutomated: true })
  await inTransaction(ctx, async (ctx) => {
    await addInputs(ctx, [
      { conversationId, kind: 'message', messageId: 'm1' },
      { conversationId, kind: 'event', data: assigned },
    ])
    await addInputs(ctx, [{ conversationId, kind: 'message', messageId: 'm2' }])
    assert.deepEqual(heard, [])
  })
  await until(async () => heard.length > 0, 'the notification')
  assert.deepEqual(heard.map(readAnnouncement), [{ workspaceId: id, conversationId }])
  const inputs = await inputsOf(conversationId)
  assert.deepEqual(
    inputs.map(({ kind, message_id }) => [kind, message_id]),
    [
      ['message', 'm1'],
      ['event', null],
      ['message', 'm2'],
    ],
  )
  assert.deepEqual(inputs[1]!.data, assigned)
  await inTransaction(ctx, (ctx) => deleteInputs(ctx, [{ conversationId, id: inputs[0]!.id }]))
  assert.deepEqual(await inputsOf(conversationId), inputs.slice(1))
})

test('as part of a larger statement, inputs are announced as well', async () => {
  const { ctx, id, conversationId } = await workspace({ isAutomated: true })
  heard.length = 0
  await inTransaction(ctx, (ctx) =>
    sql`with input as (${inputsInsert(ctx, [{ conversationId, kind: 'message', messageId: 'm1' }])})
      select`.execute(ctx.db),
  )
  await until(async () => heard.length > 0, 'the notification')
  assert.deepEqual(heard.map(readAnnouncement), [{ workspaceId: id, conversationId }])
})

test('a workspace without automation keeps no messages or events, but what its runs wait for', async () => {
  const { ctx, conversationId } = await workspace({ isAutomated: false })
  await inTransaction(ctx, (ctx) =>
    addInputs(ctx, [
      { conversationId, kind: 'message', messageId: 'm1' },
      { conversationId, kind: 'event', data: assigned },
      { conversationId, kind: 'cancel', runId: 'r1', data: { reason: 'stopped', by: 'system' } },
    ]),
  )
  const inputs = await inputsOf(conversationId)
  assert.deepEqual(
    inputs.map(({ kind }) => kind),
    ['cancel'],
  )
})

test('how many inputs wait, and since when, is measured', async () => {
  const { depth, oldestSeconds } = await readInputQueue(db)
  const { ctx, conversationId } = await workspace({ isAutomated: true })
  clock.now = () => new Date(Date.now() - 60_000)
  await inTransaction(ctx, (ctx) => addInputs(ctx, [{ conversationId, kind: 'message', messageId: 'm1' }]))
  clock.now = databaseNow
  const after = await readInputQueue(db)
  assert.equal(after.depth, depth + 1)
  assert.ok(after.oldestSeconds >= 59 && oldestSeconds < 59)
})
