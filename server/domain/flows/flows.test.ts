// Editing, publishing and stopping flows, as the console does it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { GREETING } from '../../../test/make-flow.ts'
import { countStatements } from '../../../test/statements.ts'
import { liveFlowsOf } from '../automation/live-flows.ts'
import { FLOWS_MAX } from './schema.ts'

const app = await startApp()
const { make, db } = app

const makeEditor = async () => {
  const workspace = await make.workspace()
  const { id } = await make.agent(workspace.id, { role: 'admin' })
  const { call } = await signIn(app, workspace.id, id)
  return { workspaceId: workspace.id, call, ctx: app.ctxOf(workspace.id) }
}

type Editor = Awaited<ReturnType<typeof makeEditor>>

const create = async ({ call }: Editor, definition: unknown = GREETING, name = `Flow ${Math.random()}`) => {
  const { status, body, text } = await call('POST', '/flows', { name, definition })
  assert.equal(status, 200, text)
  return body.flow
}

const publish = async ({ call }: Editor, flow: { id: string; draftRevision: number }, more: object = {}) =>
  call('POST', `/flows/${flow.id}/publish`, { revision: flow.draftRevision, ...more })

const saying = (text: string): FlowDefinition => ({
  ...GREETING,
  blocks: { hello: { steps: [{ id: 's1', type: 'send', text }], next: 'end' } },
})

const revisionOf = async (workspaceId: string) =>
  db
    .selectFrom('workspaces')
    .select(['automation_revision as revision', 'is_automated as isAutomated'])
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()

test('a flow is created as a draft, is live once it is published, and then starts runs', async () => {
  const editor = await makeEditor()
  const flow = await create(editor)
  assert.equal(flow.state, 'draft')
  assert.equal(flow.version, null)
  assert.equal((await revisionOf(editor.workspaceId)).isAutomated, false)
  const { status, body, text } = await publish(editor, flow, { note: 'First' })
  assert.equal(status, 200, text)
  assert.equal(body.flow.state, 'live')
  assert.equal(body.flow.version, 1)
  assert.equal(body.flow.hasChanges, false)
  assert.equal(body.flow.versions[0].note, 'First')
  assert.deepEqual(body.flow.draft, GREETING)
  assert.deepEqual([...(await liveFlowsOf(editor.ctx)).flows.keys()], [flow.id])
  assert.deepEqual(await revisionOf(editor.workspaceId), { revision: 1, isAutomated: true })
})

test('a draft keeps the order of its keys, and may be unfinished', async () => {
  const editor = await makeEditor()
  const flow = await create(editor)
  const definition = {
    triggers: [],
    blocks: { zeta: { steps: [{ type: 'send', id: 's1', text: '' }] }, a: { steps: [] } },
  }
  const saved = await editor.call('PUT', `/flows/${flow.id}/draft`, { definition, revision: 1 })
  assert.equal(saved.body.draftRevision, 2, saved.text)
  const { text, body } = await editor.call('GET', `/flows/${flow.id}`)
  assert.ok(text.includes(JSON.stringify(definition)))
  assert.equal(body.flow.draftRevision, 2)
  const refused = await publish(editor, body.flow)
  assert.equal(refused.body.error.code, 'FLOW_INVALID')
})

test('of two editors, the second to save is told, and nothing is overwritten', async () => {
  const editor = await makeEditor()
  const flow = await create(editor)
  const save = (text: string) =>
    editor.call('PUT', `/flows/${flow.id}/draft`, { definition: saying(text), revision: 1 })
  const answers = await Promise.all([save('one'), save('two')])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  const refused = answers.find(({ status }) => status === 409)!
  assert.equal(refused.body.error.code, 'FLOW_DRAFT_CHANGED')
  const stale = await publish(editor, flow)
  assert.equal(stale.body.error.code, 'FLOW_DRAFT_CHANGED')
})

test('of two publications at once, one makes a version and the other is told why not', async () => {
  const editor = await makeEditor()
  const flow = await create(editor)
  const answers = await Promise.all([publish(editor, flow), publish(editor, flow)])
  assert.deepEqual(answers.map(({ body }) => body.error?.code ?? 'published').sort(), [
    'FLOW_UNCHANGED',
    'published',
  ])
  const { body } = await editor.call('GET', `/flows/${flow.id}`)
  assert.equal(body.flow.versions.length, 1)
})

test('publishing without a change is refused, also when only the order of keys changed', async () => {
  const editor = await makeEditor()
  const flow = await create(editor)
  await publish(editor, flow)
  const { schema, ...rest } = GREETING
  await editor.call('PUT', `/flows/${flow.id}/draft`, { definition: { ...rest, schema }, revision: 1 })
  const { body } = await publish(editor, { id: flow.id, draftRevision: 2 })
  assert.equal(body.error.code, 'FLOW_UNCHANGED')
})

test('an error names its step; warnings and failing tests are accepted knowingly, and kept', async () => {
  const editor = await makeEditor()
  const lost = { ...GREETING, blocks: { hello: { steps: [{ id: 's7', type: 'goto', to: 'nowhere' }] } } }
  const broken = await create(editor, lost)
  const refused = await publish(editor, broken)
  assert.equal(refused.status, 400)
  assert.deepEqual(refused.body.error.details, [
    { field: 's7', message: 'Step s7: leads to block “nowhere”, which doesn’t exist.' },
  ])

  const tagged = await create(editor, {
    ...GREETING,
    blocks: {
      hello: { steps: [{ id: 's1', type: 'tag', add: ['cmi8q2f5c0006n2m7v4b1x9kq'] }], next: 'end' },
    },
  })
  const { body: missing } = await publish(editor, tagged, { acceptWarnings: true })
  assert.equal(missing.error.code, 'FLOW_INVALID')
  assert.equal(missing.error.details[0].field, 's1')

  const flow = await create(editor, {
    ...saying('Hello'),
    blocks: { hello: { steps: [{ id: 's1', type: 'send', text: 'Hello' }] } },
  })
  const scenario = { name: 'Greets', turns: [{ say: 'hi' }, { expect: { text: 'Good morning' } }] }
  const added = await editor.call('POST', `/flows/${flow.id}/tests`, { scenario })
  assert.equal(added.status, 200, added.text)
  const checked = await editor.call('POST', `/flows/${flow.id}/check`)
  assert.equal(checked.body.failures[0].turn, 1, checked.text)
  const { body: warned } = await publish(editor, flow)
  assert.equal(warned.error.code, 'FLOW_HAS_WARNINGS')
  assert.deepEqual(
    warned.error.details.map(({ field }: { field: string }) => field),
    ['s1', 'flow'],
  )
  const { body } = await publish(editor, flow, { acceptWarnings: true })
  assert.deepEqual(
    body.flow.versions[0].warnings.map(({ code }: { code: string }) => code),
    ['no_end', 'failing_test'],
  )
})

test('a paused flow starts nothing until it is resumed, an archived one not before it is restored', async () => {
  const editor = await makeEditor()
  const flow = await create(editor)
  await publish(editor, flow)
  const live = async () => [...(await liveFlowsOf(editor.ctx)).flows.keys()]
  const act = async (verb: string, body?: object) => {
    const answer = await editor.call('POST', `/flows/${flow.id}/${verb}`, body)
    return answer.body.flow?.state ?? answer.body.error.code
  }
  assert.equal(await act('resume'), 'live')
  assert.equal(await act('pause', { runs: 'finish' }), 'paused')
  assert.deepEqual(await live(), [])
  assert.equal(await act('pause', { runs: 'finish' }), 'paused')
  assert.equal(await act('resume'), 'live')
  assert.deepEqual(await live(), [flow.id])
  assert.equal(await act('archive', { runs: 'finish' }), 'archived')
  assert.deepEqual(await live(), [])
  assert.equal(await act('resume'), 'FLOW_STATE_CONFLICT')
  assert.equal((await publish(editor, flow)).body.error.code, 'FLOW_STATE_CONFLICT')
  assert.deepEqual((await editor.call('GET', '/flows')).body.flows, [])
  assert.equal((await editor.call('GET', '/flows?state=archived')).body.flows[0].id, flow.id)
  // Its name was taken meanwhile.
  await create(editor, GREETING, flow.name)
  assert.equal(await act('restore'), 'paused')
  assert.equal((await editor.call('GET', `/flows/${flow.id}`)).body.flow.name, `${flow.name} 2`)
})

test('stopping a flow tells each of its runs, or lets them finish', async () => {
  const editor = await makeEditor()
  const flow = await create(editor)
  await publish(editor, flow)
  const { id: conversationId, contactId } = await make.conversation(editor.workspaceId)
  const runId = editor.ctx.newId()
  await db
    .insertInto('flow_runs')
    .values({
      workspace_id: editor.workspaceId,
      id: runId,
      flow_id: flow.id,
      flow_name: flow.name,
      contact_id: contactId,
      conversation_id: conversationId,
      status: 'running',
      started_at: new Date(),
    })
    .execute()
  const told = () =>
    db
      .selectFrom('automation_inputs')
      .select(['kind', 'run_id as runId'])
      .where('workspace_id', '=', editor.workspaceId)
      .execute()
  await editor.call('POST', `/flows/${flow.id}/pause`, { runs: 'finish' })
  assert.deepEqual(await told(), [])
  await editor.call('POST', `/flows/${flow.id}/archive`, { runs: 'cancel' })
  assert.deepEqual(await told(), [{ kind: 'cancel', runId }])
})

test('an old version becomes the draft again, and can be read', async () => {
  const editor = await makeEditor()
  const flow = await create(editor, saying('First'))
  await publish(editor, flow)
  await editor.call('PUT', `/flows/${flow.id}/draft`, { definition: saying('Second'), revision: 1 })
  await publish(editor, { id: flow.id, draftRevision: 2 })
  const restored = await editor.call('POST', `/flows/${flow.id}/versions/1/restore`)
  assert.equal(restored.body.draftRevision, 3, restored.text)
  const { body } = await editor.call('GET', `/flows/${flow.id}`)
  assert.deepEqual(body.flow.draft, saying('First'))
  assert.equal(body.flow.hasChanges, true)
  assert.equal(body.flow.version, 2)
  const version = await editor.call('GET', `/flows/${flow.id}/versions/2`)
  assert.deepEqual(version.body, { version: 2, definition: saying('Second') })
  for (const wrong of ['3', '0', 'x', '99999999999'])
    assert.equal(
      (await editor.call('GET', `/flows/${flow.id}/versions/${wrong}`)).body.error.code,
      'FLOW_VERSION_NOT_FOUND',
    )
})

test('only a draft that was never published can be deleted', async () => {
  const editor = await makeEditor()
  const flow = await create(editor)
  const published = await create(editor)
  await publish(editor, published)
  assert.deepEqual((await editor.call('DELETE', `/flows/${flow.id}`)).body, { success: true })
  assert.equal((await editor.call('GET', `/flows/${flow.id}`)).status, 404)
  assert.equal((await editor.call('DELETE', `/flows/${published.id}`)).body.error.code, 'FLOW_STATE_CONFLICT')
})

test('names are unique among the flows that are not archived, and copies find their own', async () => {
  const editor = await makeEditor()
  const flow = await create(editor, GREETING, 'Welcome')
  await editor.call('POST', `/flows/${flow.id}/tests`, { scenario: { name: 'One', turns: [{ say: 'hi' }] } })
  const same = await editor.call('POST', '/flows', { name: 'WELCOME' })
  assert.deepEqual(same.body.error.details, [{ field: 'name', message: 'is the name of another flow' }])
  const copies = [
    await editor.call('POST', `/flows/${flow.id}/duplicate`),
    await editor.call('POST', `/flows/${flow.id}/duplicate`),
  ]
  assert.deepEqual(
    copies.map(({ body }) => [body.flow.name, body.flow.state, body.flow.tests[0].name]),
    [
      ['Welcome copy', 'draft', 'One'],
      ['Welcome copy 2', 'draft', 'One'],
    ],
  )
  const renamed = await editor.call('PATCH', `/flows/${flow.id}`, { name: 'Welcome copy' })
  assert.equal(renamed.status, 400)
  assert.equal(
    (await editor.call('PATCH', `/flows/${flow.id}`, { name: 'welcome' })).body.flow.name,
    'welcome',
  )
})

test('flows are tried in the order that is set', async () => {
  const editor = await makeEditor()
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) {
    const flow = await create(editor, saying(name), name)
    await publish(editor, flow, { acceptWarnings: true })
    ids.push(flow.id)
  }
  const [a, b, c] = ids
  assert.equal((await editor.call('PUT', '/flows/order', { ids: [c, a] })).status, 200)
  assert.deepEqual([...(await liveFlowsOf(editor.ctx)).flows.keys()], [c, a, b])
  const other = await create(await makeEditor())
  const refused = await editor.call('PUT', '/flows/order', { ids: [a, other.id] })
  assert.deepEqual(refused.body.error.details, [
    { field: 'ids[1]', message: 'is not a flow of this workspace' },
  ])
})

test('a workspace has at most 200 flows that are not archived, and a list of them takes one statement beside the session’s', async () => {
  const editor = await makeEditor()
  const flow = await create(editor)
  await app.database.pool.query(
    `insert into flows (workspace_id, id, name, name_key, kind, position, draft, updated_by, created_at, updated_at)
     select workspace_id, 'c' || lpad(n::text, 24, '0'), n::text, n::text, kind, n, draft, updated_by, created_at, updated_at
     from flows, generate_series(2, $2::int) n where id = $1`,
    [flow.id, FLOWS_MAX],
  )
  const refused = await editor.call('POST', '/flows', { name: 'One more' })
  assert.match(refused.body.error.details[0].message, /already has 200 flows/)
  assert.equal((await editor.call('POST', `/flows/${flow.id}/duplicate`)).status, 400)
  const { body } = await editor.call('GET', '/flows')
  assert.equal(body.flows.length, FLOWS_MAX)
  assert.equal(await countStatements(app.database, () => editor.call('GET', '/flows')), 2)
})

test('tests are kept up to 50 a flow, and one that does not fit is refused with its turn named', async () => {
  const editor = await makeEditor()
  const flow = await create(editor)
  const path = `/flows/${flow.id}/tests`
  const wrong = await editor.call('POST', path, {
    scenario: { name: 'x', turns: [{ say: 'hi' }, { shout: 'HI' }] },
  })
  assert.match(wrong.body.error.details[0].message, /^The test, turn 2: needs one of say, tap/)
  const { body } = await editor.call('POST', path, { scenario: { name: 'x', turns: [{ say: 'hi' }] } })
  const changed = { name: 'y', turns: [{ say: 'ho' }] }
  assert.deepEqual((await editor.call('PUT', `${path}/${body.test.id}`, { scenario: changed })).body.test, {
    id: body.test.id,
    name: 'y',
    scenario: changed,
  })
  const other = await create(editor)
  assert.equal((await editor.call('DELETE', `/flows/${other.id}/tests/${body.test.id}`)).status, 404)
  for (let count = 1; count < 50; count++)
    assert.equal((await editor.call('POST', path, { scenario: changed })).status, 200)
  assert.match(
    (await editor.call('POST', path, { scenario: changed })).body.error.details[0].message,
    /already has 50 tests/,
  )
  assert.equal((await editor.call('DELETE', `${path}/${body.test.id}`)).status, 200)
  assert.equal((await editor.call('GET', path)).body.tests.length, 49)
})
