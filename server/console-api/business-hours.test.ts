import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opensAt } from '../../flow-engine/business-hours.ts'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { countStatements } from '../../test/statements.ts'
import { listBusinessHours } from '../domain/business-hours/queries.ts'
import { EXCEPTIONS_MAX, HOURS_MAX, type NewBusinessHours } from '../domain/business-hours/schema.ts'
import { newId } from '../platform/db/id.ts'

const app = await startApp()
const { ctxOf, db, make } = app

const fresh = async () => {
  const workspace = await make.workspace()
  const admin = await make.agent(workspace.id, { role: 'admin' })
  return { workspace, ada: await signIn(app, workspace.id, admin.id) }
}
const other = await fresh()

const NINE_TO_FIVE = [{ from: '09:00', to: '17:00' }]
const OFFICE: NewBusinessHours = {
  name: 'Office',
  isDefault: false,
  timeZone: 'Europe/Berlin',
  weekly: { mon: NINE_TO_FIVE, fri: NINE_TO_FIVE },
  exceptions: [],
}

type Caller = Awaited<ReturnType<typeof signIn>>

const create = async (caller: Caller, change: Partial<typeof OFFICE> = {}) => {
  const { status, body, text } = await caller.call('POST', '/business-hours', { ...OFFICE, ...change })
  assert.equal(status, 200, text)
  return body.businessHours
}
const refused = async (caller: Caller, change: object) => {
  const { status, body, text } = await caller.call('POST', '/business-hours', { ...OFFICE, ...change })
  assert.equal(status, 400, text)
  return body.error.details.map((one: { field: string; message: string }) => `${one.field}: ${one.message}`)
}
const remove = (caller: Caller, id: string) => caller.call('DELETE', `/business-hours/${id}`)

/** A flow whose published version has this one step. */
const publish = async (workspaceId: string, step: object, state: 'live' | 'archived' = 'live') => {
  const flowId = newId()
  const definition = JSON.stringify({ blocks: [{ id: 'start', steps: [{ id: 's1', ...step }] }] })
  await db
    .insertInto('flows')
    .values({
      workspace_id: workspaceId,
      id: flowId,
      name: `Welcome ${flowId}`,
      name_key: flowId,
      kind: 'dialog',
      state,
      live_version: 1,
      position: 1,
      draft: '{}',
      updated_by: 'system',
      created_at: new Date(),
      updated_at: new Date(),
    })
    .execute()
  await db
    .insertInto('flow_versions')
    .values({
      workspace_id: workspaceId,
      flow_id: flowId,
      version: 1,
      definition,
      hash: Buffer.alloc(32),
      published_by: 'system',
      published_at: new Date(),
    })
    .execute()
  return `Welcome ${flowId}`
}

test('hours are kept in order, and flows read them as the engine takes them, in as many statements for two as for one', async () => {
  const { workspace, ada } = await fresh()
  const made = await create(ada, {
    weekly: {
      mon: [
        { from: '13:00', to: '24:00' },
        { from: '00:00', to: '12:00' },
      ],
      fri: [],
    },
    exceptions: [
      { date: '2026-12-31', periods: [{ from: '09:00', to: '12:00' }] },
      { date: '12-25', name: ' Christmas ', periods: [] },
      { date: '02-29', periods: [] },
    ],
  })
  assert.deepEqual(made, {
    id: made.id,
    name: 'Office',
    isDefault: true,
    timeZone: 'Europe/Berlin',
    weekly: {
      mon: [
        { from: '00:00', to: '12:00' },
        { from: '13:00', to: '24:00' },
      ],
    },
    exceptions: [
      { date: '02-29', periods: [] },
      { date: '12-25', name: 'Christmas', periods: [] },
      { date: '2026-12-31', periods: [{ from: '09:00', to: '12:00' }] },
    ],
  })
  assert.deepEqual(await listBusinessHours(ctxOf(workspace.id)), [made])
  const count = () => countStatements(app.database, () => ada.call('GET', '/business-hours'))
  const before = await count()
  await create(ada, { name: 'Warehouse' })
  assert.equal(await count(), before)
})

test('“until opening” skips weekends, yearly holidays and the hour that the clocks skip', async () => {
  const { workspace, ada } = await fresh()
  await create(ada, {
    weekly: {
      mon: NINE_TO_FIVE,
      tue: NINE_TO_FIVE,
      fri: NINE_TO_FIVE,
      sun: [{ from: '02:30', to: '03:30' }],
    },
    exceptions: [{ date: '12-25', periods: [] }],
  })
  const [hours] = await listBusinessHours(ctxOf(workspace.id))
  const next = (from: string) => new Date(opensAt(hours!, Date.parse(from))!).toISOString()
  // Christmas 2026 is a Friday; the Sunday after opens at 02:30 in Berlin.
  assert.equal(next('2026-12-24T18:00:00Z'), '2026-12-27T01:30:00.000Z')
  // On 29 March 2026 the clocks go from 02:00 to 03:00.
  assert.equal(next('2026-03-28T12:00:00Z'), '2026-03-29T01:00:00.000Z')
  // Nine o’clock is another moment in summer.
  assert.equal(next('2026-03-29T12:00:00Z'), '2026-03-30T07:00:00.000Z')
})

test('what is wrong is told by day, in words', async () => {
  const { ada } = await fresh()
  const on = (day: string, ...periods: [string, string][]) => ({
    weekly: { [day]: periods.map(([from, to]) => ({ from, to })) },
  })
  assert.deepEqual(await refused(ada, on('mon', ['09:00', '13:00'], ['12:00', '17:00'])), [
    'weekly.mon: 09:00–13:00 and 12:00–17:00 overlap',
  ])
  assert.deepEqual(await refused(ada, on('sat', ['22:00', '02:00'])), [
    'weekly.sat: 22:00–02:00: the end must be after the start. Split hours that go past midnight at 24:00',
  ])
  for (const time of ['9:00', '24:01', '25:00', '', 'aa:bb', '٠٩:٠٠'])
    assert.match((await refused(ada, on('sun', [time, '24:00']))).join(), /weekly\.sun: .*enter both times/)
  for (const timeZone of ['Mars/Olympus', '', '__proto__'])
    assert.match((await refused(ada, { timeZone })).join(), /^timeZone: must be an IANA time zone/)
  for (const date of ['2026-02-31', '2027-02-29', '02-30', '13-01', 'Christmas', '0000-01-01', '2026-1-1'])
    assert.match((await refused(ada, { exceptions: [{ date, periods: [] }] })).join(), /is not a date/)
  assert.deepEqual(
    await refused(ada, {
      exceptions: [
        { date: '12-25', periods: [] },
        { date: '12-25', periods: NINE_TO_FIVE },
      ],
    }),
    ['exceptions[1]: 12-25 is listed twice'],
  )
  const days = (count: number) =>
    Array.from({ length: count }, (_, day) => ({
      date: new Date(Date.UTC(2027, 0, 1 + day)).toISOString().slice(0, 10),
      periods: [],
    }))
  await create(ada, { exceptions: days(EXCEPTIONS_MAX) })
  assert.equal((await refused(ada, { name: 'More', exceptions: days(EXCEPTIONS_MAX + 1) })).length, 1)
})

test('one of them is the default, until another becomes it', async () => {
  const { workspace, ada } = await fresh()
  const first = await create(ada)
  const second = await create(ada, { name: 'Night' })
  const defaults = async () =>
    (await listBusinessHours(ctxOf(workspace.id))).filter(({ isDefault }) => isDefault).map(({ id }) => id)
  assert.deepEqual([first.isDefault, second.isDefault], [true, false])
  await ada.call('PUT', `/business-hours/${first.id}`, OFFICE)
  assert.deepEqual(await defaults(), [first.id])
  assert.match((await remove(ada, first.id)).text, /Make others the default first/)
  await ada.call('PUT', `/business-hours/${second.id}`, { ...OFFICE, name: 'Night', isDefault: true })
  assert.deepEqual(await defaults(), [second.id])
  assert.equal((await remove(ada, first.id)).status, 200)
  assert.equal((await remove(ada, second.id)).status, 200)
  assert.deepEqual((await ada.call('GET', '/business-hours')).body, { businessHours: [] })
})

test('hours that a live flow uses are not deleted, and the answer names the flow', async () => {
  const { workspace, ada } = await fresh()
  const office = await create(ada)
  const night = await create(ada, { name: 'Night' })
  await publish(workspace.id, { type: 'hours', hoursId: night.id }, 'archived')
  const named = await publish(workspace.id, { type: 'hours', hoursId: night.id })
  assert.ok((await remove(ada, night.id)).text.includes(named))
  const lonely = await fresh()
  const { id } = await create(lonely.ada)
  const waiting = await publish(lonely.workspace.id, { type: 'wait', until: 'opening' })
  assert.ok((await remove(lonely.ada, id)).text.includes(waiting))
  assert.equal((await listBusinessHours(ctxOf(workspace.id)))[0]!.id, office.id)
})

test('a name is taken without regard to case, also by ten at once, and there are at most twenty', async () => {
  const { ada } = await fresh()
  const made = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      ada.call('POST', '/business-hours', { ...OFFICE, name: n % 2 ? 'Straße' : 'STRASSE' }),
    ),
  )
  assert.equal(made.filter(({ status }) => status === 200).length, 1)
  for (let n = 1; n < HOURS_MAX; n++) await create(ada, { name: `No. ${n}` })
  assert.deepEqual(await refused(ada, { name: 'One more' }), [
    `name: the workspace already has ${HOURS_MAX} business hours`,
  ])
})

test('another workspace’s hours are not found', async () => {
  const { ada } = await fresh()
  const { id } = await create(other.ada)
  for (const [method, body] of [['PUT', OFFICE], ['DELETE']] as const) {
    const foreign = await ada.call(method, `/business-hours/${id}`, body)
    const missing = await ada.call(method, `/business-hours/${newId()}`, body)
    assert.deepEqual([foreign.status, foreign.text], [404, missing.text])
  }
  assert.equal((await listBusinessHours(ctxOf(other.workspace.id))).length, 1)
})
