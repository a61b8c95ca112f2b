import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { makeMember, signIn } from '../../../test/console.ts'

const app = await startApp()
const { call, make } = app
const workspace = await make.workspace()
const admin = await signIn(app, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
const COLUMNS = [
  { to: 'name' },
  { to: 'email' },
  { to: 'phone' },
  { to: 'externalId' },
  { to: 'field', field: 'plan' },
  { to: 'none' },
]
const send = async (rows: string[][], more: object = {}, caller = admin) =>
  caller.call('POST', '/contacts/import-rows', { columns: COLUMNS, rows, ...more })
const lookUp = async (query: string) =>
  (await call(workspace.token, 'GET', `/contacts/lookup?${query}`)).body.contact

test('rows create contacts, and update those that their keys find; empty cells change nothing', async () => {
  const created = await send([
    ['Ines Rossi', 'Ines@example.org', '+39 312 123 4567', 'crm-1', 'pro', 'left out'],
    [' أمل ', 'amal@example.org', '', '', '', ''],
  ])
  assert.deepEqual(created.body.rows, Array(2).fill({ is: 'created', problem: null, line: null }))
  const again = await send([['', 'ines@example.org', '', '', 'free']])
  assert.equal(again.body.rows[0].is, 'updated')
  const { name, phone, externalId, customFields } = await lookUp('externalId=crm-1')
  assert.deepEqual(
    [name, phone, externalId, customFields],
    ['Ines Rossi', '+393121234567', 'crm-1', { plan: 'free' }],
  )
  assert.equal((await lookUp('email=amal%40example.org')).name, 'أمل')
})

test('a row that cannot be stored is refused with the reason, as a line that runs nothing, and the others are stored', async () => {
  await send([
    ['Ada', 'ada@example.org'],
    ['Bob', 'bob@example.org', '+393120000001'],
  ])
  const { body } = await send([
    ['=cmd()', 'nonsense', '', '', ''],
    ['Nobody', '', '', '', 'x'],
    ['Ada', 'ada@example.org', '+393120000001', '', ''],
    ['x'.repeat(121), 'x@example.org', '', '', ''],
    ['Cyd', 'cyd@example.org', '12', '', ''],
    ['Dot', 'dot@example.org', '', '', 'y'.repeat(501)],
    ['Eve', 'eve@example.org', '', '', 'pro'],
  ])
  assert.deepEqual(
    body.rows.map(({ is, problem }: { is: string; problem: string | null }) => problem ?? is),
    [
      'The email is not an email address',
      'Needs an email, a phone number or an ID',
      'Its email, phone and ID belong to different contacts',
      'The name is longer than 120 characters',
      'phone must be a phone number with a country code',
      'plan is longer than 500 characters',
      'created',
    ],
  )
  assert.equal(body.rows[0].line, `The email is not an email address,'=cmd(),nonsense,,,`)
  assert.equal((await lookUp('email=eve%40example.org')).customFields.plan, 'pro')
  assert.equal(await lookUp('email=cyd%40example.org'), undefined)
})

test('a preview says the same and stores nothing, and rows that meet each other are one contact', async () => {
  const rows = [
    ['Fay', 'fay@example.org'],
    ['Fay Lee', 'FAY@example.org'],
    ['', 'no'],
  ]
  const preview = await send(rows, { isPreview: true })
  assert.equal(await lookUp('email=fay%40example.org'), undefined)
  const stored = await send(rows)
  assert.deepEqual(stored.body, preview.body)
  assert.deepEqual(
    stored.body.rows.map(({ is }: { is: string }) => is),
    ['created', 'updated', 'refused'],
  )
})

test('who sees only some contacts imports none, and imports at the same moment make each once', async () => {
  const agent = await signIn(app, workspace.id, (await makeMember(app, workspace.id, ['manage_contacts'])).id)
  const refused = await send([['', 'ines@example.org']], {}, agent)
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN'])
  const rows = Array.from({ length: 30 }, (_, n) => [`Person ${n}`, `p${n}@example.net`])
  const answers = await Promise.all([send(rows), send(rows.toReversed())])
  const all = answers.flatMap(({ body }) => body.rows as { is: string }[])
  assert.equal(all.filter(({ is }) => is === 'created').length, 30)
  assert.equal(all.filter(({ is }) => is === 'updated').length, 30)
  assert.equal((await send(Array(101).fill(['', 'x@example.org']))).status, 400)
})
