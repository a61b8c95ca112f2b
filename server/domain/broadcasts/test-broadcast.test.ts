import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { until } from '../../../test/until.ts'
import { connect, refuse, startGraph } from '../../inbound/whatsapp/testing/provider.ts'
import { hoursOf, spanOfRange } from '../reports/counted-queries.ts'

const app = await startApp({ worker: { sendTimeoutMs: 1_000 }, deps: { settleMs: 6_000 } })
const { call, db, make } = app
const graph = await startGraph()
after(graph.stop)
let phones = 0
const newPhone = () => `+35197${String(1_000_000 + phones++)}`

const world = async () => {
  const workspace = await make.workspace()
  const number = await connect(app, workspace.id, { apiUrl: graph.url })
  await make.template(workspace.id, '102290129340398', {
    name: 'sale',
    components: [{ type: 'BODY', text: 'Hello {{1}}, {{2}} off.' }],
  })
  const person = async (name: string, more: { status?: 'open' | 'closed' } = {}) => {
    const phone = newPhone()
    const { id } = await make.contact(workspace.id, { phone, email: null, name })
    const conversation = await make.conversation(workspace.id, {
      ...{ contactId: id, channel: 'whatsapp', channelAccountId: number },
      ...more,
    })
    return { id, phone, conversationId: conversation.id }
  }
  const admin = await signIn(app, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
  const trial = (more: object, key?: string) =>
    admin.call(
      'POST',
      '/broadcasts/test',
      { templateName: 'sale', parameters: ['there', '10 %'], fields: ['firstName', null], ...more },
      key ? { headers: { 'idempotency-key': key } } : {},
    )
  return { ...workspace, admin, person, trial }
}

const hasStatus = (messageId: string, status: string) =>
  until(
    async () => {
      const row = await db
        .selectFrom('messages')
        .select('status')
        .where('id', '=', messageId)
        .executeTakeFirst()
      return row?.status === status
    },
    `the message to be ${status}`,
    60_000,
  )

const bodiesTo = (phone: string) =>
  graph
    .sent()
    .filter(({ to }) => phone === to || phone.slice(1) === to)
    .map(({ template }) => (template as { components: { parameters: { text: string }[] }[] }).components)
    .map(([body]) => body!.parameters.map(({ text }) => text).join(' '))

test('a test reaches contacts and numbers with their own values, and neither opens nor moves a conversation', async () => {
  const { admin, id, person, trial } = await world()
  const [ada, ben] = [await person('Ada Lovelace', { status: 'closed' }), await person('Ben')]
  const last = await person('Last')
  const placeOf = async () =>
    (await admin.call('GET', '/conversations?status=all&channel=whatsapp')).body.conversations.map(
      ({ id, status }: { id: string; status: string }) => [id, status],
    )
  const before = await placeOf()
  const unknown = newPhone()
  const { body, text } = await trial({ contactIds: [ada.id], phones: [ben.phone, unknown] })
  assert.deepEqual(
    body.tests?.map(({ name, reason }: Record<string, unknown>) => [name, reason]),
    [
      ['Ada Lovelace', null],
      ['Ben', null],
      [unknown, null],
    ],
    text,
  )
  for (const { messageId } of body.tests) await hasStatus(messageId, 'sent')
  assert.deepEqual([ada.phone, ben.phone, unknown].map(bodiesTo), [
    ['Ada 10 %'],
    ['Ben 10 %'],
    ['there 10 %'],
  ])
  const now = await placeOf()
  assert.deepEqual(
    now.filter(([id]: [string]) => before.some(([known]: [string]) => known === id)),
    before,
  )
  assert.equal(now.length, before.length + 1)
  assert.deepEqual(bodiesTo(last.phone), [])
  // No report counts it, and there is no broadcast.
  const rows = await sql<{ kind: string }>`select kind from (${hoursOf(
    spanOfRange(id, 'UTC', { from: new Date(0), to: new Date(Date.now() + 60_000), fromId: 'c', toId: 'd' }),
  )}) r`.execute(db)
  assert.deepEqual(
    rows.rows.filter(({ kind }) => ['person', 'broadcast', 'flow', 'program'].includes(kind)),
    [],
  )
  assert.deepEqual((await admin.call('GET', '/broadcasts')).body.broadcasts, [])
})

test('whom a broadcast would skip gets no test either, and what fails says why', async () => {
  const { trial, person, id } = await world()
  const ada = await person('Ada')
  await sql`update contacts set opted_out_at = now() where id = ${ada.id}`.execute(db)
  const mail = await make.contact(id, { name: 'Mail only' })
  const { body, text } = await trial({ contactIds: [mail.id], phones: [ada.phone] })
  assert.deepEqual(
    body.tests?.map(({ reason, messageId }: Record<string, unknown>) => [reason, messageId]),
    [
      ['NO_WHATSAPP', null],
      ['OPTED_OUT', null],
    ],
    text,
  )
  assert.deepEqual(bodiesTo(ada.phone), [])
  const ben = await person('Ben')
  graph.answer = refuse(131026)
  const refused = await trial({ contactIds: [ben.id] })
  const [{ messageId, error }] = refused.body.tests
  await hasStatus(messageId, 'failed')
  // On a busy machine it may fail only after the call has stopped waiting.
  if (error) assert.equal(error.code, '131026')
  // A provider that hangs is waited for no longer than for any message.
  graph.answer = () => {}
  const hung = await trial({ contactIds: [(await person('Cleo')).id] })
  graph.answer = undefined
  assert.ok(['queued', 'failed'].includes(hung.body.tests[0].status), hung.text)
})

test('two tests at once each arrive once, and the same request twice arrives once', async () => {
  const { trial, person } = await world()
  const [ada, ben] = [await person('Ada'), await person('Ben')]
  const answers = await Promise.all([
    trial({ contactIds: [ada.id], phones: [ben.phone] }),
    trial({ contactIds: [ben.id], phones: [ada.phone] }),
    trial({ contactIds: [ada.id, ben.id] }, 'the-same-test'),
    trial({ contactIds: [ada.id, ben.id] }, 'the-same-test'),
  ])
  const codes = answers.map(({ status, body }) => (status === 200 ? 200 : body.error.code))
  assert.deepEqual(codes.slice(0, 2), [200, 200], JSON.stringify(answers.map(({ body }) => body)))
  const count = codes.slice(2).some((code) => code === 200) ? 3 : 2
  const isOver = async () =>
    [ada, ben].every(({ phone }) => bodiesTo(phone).length >= count) &&
    (await db.selectFrom('deliveries').select('id').where('state', 'in', ['pending', 'sending']).execute())
      .length === 0
  await until(isOver, 'nothing to be under way', 60_000)
  assert.deepEqual([bodiesTo(ada.phone).length, bodiesTo(ben.phone).length], [count, count])
})

test('contacts of another workspace, numbers that are none and too many people are refused by name', async () => {
  const [mine, theirs] = [await world(), await world()]
  const [ada, stranger] = [await mine.person('Ada'), await theirs.person('Stranger')]
  const fieldsOf = async (more: object) => {
    const { status, body, text } = await mine.trial(more)
    assert.equal(status, 400, text)
    return body.error.details.map(({ field }: { field: string }) => field)
  }
  for (const id of [stranger.id, 'c000000000000000000000000'])
    assert.deepEqual(await fieldsOf({ contactIds: [ada.id, id] }), ['contactIds[1]'])
  assert.deepEqual(await fieldsOf({ phones: ['+351 12', '911'] }), ['phones[0]', 'phones[1]'])
  assert.deepEqual(await fieldsOf({}), ['contactIds'])
  assert.deepEqual(await fieldsOf({ contactIds: [ada.id], phones: Array.from({ length: 5 }, newPhone) }), [
    'contactIds',
  ])
  assert.deepEqual(await fieldsOf({ contactIds: [ada.id], parameters: [''], fields: [null] }), [
    'parameters',
    'parameters[0]',
  ])
  assert.deepEqual([...bodiesTo(ada.phone), ...bodiesTo(stranger.phone)], [])
  const { body } = await call(theirs.token, 'GET', '/contacts?search=911')
  assert.equal(body.total, 0)
})
