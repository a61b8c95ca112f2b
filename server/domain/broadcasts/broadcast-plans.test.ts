// Broadcasts with a time of their own, with values from contacts, paused, resumed and canceled; and what became of them.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { until } from '../../../test/until.ts'
import { connect, startGraph } from '../../inbound/whatsapp/testing/provider.ts'

const app = await startApp({ worker: { sendTimeoutMs: 1_000 }, deps: { settleMs: 1_200 } })
const { call, db, make } = app
const graph = await startGraph()
after(graph.stop)
let phones = 0

const world = async () => {
  const workspace = await make.workspace()
  const number = await connect(app, workspace.id, { apiUrl: graph.url })
  await make.template(workspace.id, '102290129340398', {
    name: 'sale',
    components: [{ type: 'BODY', text: 'Hello {{1}}, your plan is {{2}}.' }],
  })
  const person = async (name: string, customFields: object = {}) => {
    const phone = `+35193${String(1_000_000 + phones++)}`
    const { id } = await make.contact(workspace.id, { phone, email: null, name })
    await sql`update contacts set custom_fields = ${JSON.stringify(customFields)}::jsonb where id = ${id}`.execute(
      db,
    )
    const conversation = await make.conversation(workspace.id, {
      contactId: id,
      channel: 'whatsapp',
      channelAccountId: number,
    })
    return { id, phone, conversationId: conversation.id }
  }
  const send = async (ids: string[], more: object) => {
    const { status, body } = await call(workspace.token, 'POST', '/broadcasts', {
      templateName: 'sale',
      parameters: ['there', 'Basic'],
      audience: { type: 'contacts', contactIds: ids },
      ...more,
    })
    return { status, ...body }
  }
  const admin = await signIn(app, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
  const latest = async (id: string) =>
    (await call(workspace.token, 'GET', `/broadcasts/${id}`)).body.broadcast
  return { ...workspace, admin, person, send, latest }
}

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const sentTo = (...phones: string[]) =>
  graph.sent().filter(({ to }) => phones.some((phone) => phone === to || phone.slice(1) === to)).length

test('values come from each contact, with the parameter where they have none', async () => {
  const { person, send } = await world()
  const [ada, nobody] = [await person('Ada  Lovelace\n', { plan: 'Gold' }), await person('')]
  const { broadcast } = await send([ada.id, nobody.id], {
    name: 'Autumn',
    fields: ['firstName', 'customFields.plan'],
  })
  assert.deepEqual([broadcast.status, broadcast.name], ['completed', 'Autumn'])
  const { rows } = await sql<{ body: string }>`select body from messages where conversation_id in
    (${ada.conversationId}, ${nobody.conversationId}) order by body`.execute(db)
  assert.deepEqual(
    rows.map(({ body }) => body),
    ['Hello Ada, your plan is Gold.', 'Hello there, your plan is Basic.'],
  )
  for (const fields of [['name'], ['name', 'secret'], ['name', 'customFields.']])
    assert.equal((await send([ada.id], { fields })).error.code, 'VALIDATION_ERROR')
})

test('a scheduled broadcast waits for its time and goes out once; its results are counted', async () => {
  const { admin, person, send, latest } = await world()
  const ada = await person('Ada')
  for (const scheduledAt of ['soon', inMs(400 * 24 * 3_600_000)])
    assert.equal((await send([ada.id], { scheduledAt })).error.code, 'VALIDATION_ERROR')
  const { broadcast } = await send([ada.id], { scheduledAt: inMs(60_000) })
  assert.equal(broadcast.status, 'sending')
  assert.ok(broadcast.scheduledAt)
  // Whatever wakes a worker, nothing is sent before.
  await admin.call('POST', `/broadcasts/${broadcast.id}/pause`)
  await admin.call('POST', `/broadcasts/${broadcast.id}/resume`)
  assert.equal(sentTo(ada.phone), 0)
  await sql`update broadcasts set scheduled_at = ${new Date()} where id = ${broadcast.id}`.execute(db)
  await admin.call('POST', `/broadcasts/${broadcast.id}/pause`)
  await Promise.all([1, 2].map(() => admin.call('POST', `/broadcasts/${broadcast.id}/resume`)))
  await until(async () => (await latest(broadcast.id)).status === 'completed', 'the broadcast to be sent')
  assert.equal(sentTo(ada.phone), 1)
  await sql`update messages set status = 'read' where conversation_id = ${ada.conversationId}`.execute(db)
  await sql`update conversations set last_inbound_at = ${new Date(Date.now() + 1_000)} where id = ${ada.conversationId}`.execute(
    db,
  )
  assert.deepEqual((await admin.call('GET', `/broadcasts/${broadcast.id}/results`)).body, {
    delivered: 1,
    read: 1,
    answered: 1,
  })
})

test('a canceled broadcast reaches nobody any more, and nobody else’s can be controlled', async () => {
  const [mine, theirs] = [await world(), await world()]
  const people = [await mine.person('Ada'), await mine.person('Ben')]
  const { broadcast } = await mine.send(
    people.map(({ id }) => id),
    { scheduledAt: inMs(60_000) },
  )
  for (const [method, verb] of [
    ['POST', 'pause'],
    ['POST', 'resume'],
    ['POST', 'cancel'],
    ['GET', 'results'],
  ] as const)
    assert.equal((await theirs.admin.call(method, `/broadcasts/${broadcast.id}/${verb}`)).status, 404, verb)
  const canceled = await mine.admin.call('POST', `/broadcasts/${broadcast.id}/cancel`)
  assert.ok(canceled.body.broadcast.canceledAt)
  await until(
    async () => (await mine.latest(broadcast.id)).status === 'failed',
    'the recipients to be skipped',
  )
  const { totalRecipients, skippedCount } = await mine.latest(broadcast.id)
  assert.deepEqual([totalRecipients, skippedCount], [0, 2])
  assert.equal(sentTo(...people.map(({ phone }) => phone)), 0)
  const resumed = await mine.admin.call('POST', `/broadcasts/${broadcast.id}/resume`)
  assert.ok(resumed.body.broadcast.canceledAt)
})
