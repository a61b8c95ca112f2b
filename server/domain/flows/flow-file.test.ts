// Flows as files, the backtest, and the figures of a flow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Problem } from '../../../flow-engine/problems.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { GREETING, makeFlow, makeFlowRun } from '../../../test/make-flow.ts'
import { makeTeam } from '../../../test/make-team.ts'
import { countStatements } from '../../../test/statements.ts'
import { idFloor } from '../../platform/db/id.ts'
import { storeAttachment } from '../attachments/store-attachment.ts'
import { removeTeam } from '../teams/teams.ts'

const app = await startApp()
const { make, db } = app

const makeEditor = async () => {
  const { id: workspaceId } = await make.workspace()
  const { id } = await make.agent(workspaceId, { role: 'admin' })
  const { call } = await signIn(app, workspaceId, id)
  return { workspaceId, call }
}

const tagging = (tagId: string, more: Partial<FlowDefinition> = {}): FlowDefinition => ({
  ...GREETING,
  ...more,
  blocks: { hello: { steps: [{ id: 's1', type: 'tag', add: [tagId] }], next: 'end' } },
})

test('an import finds tags by the names in the file, and names the steps of what it lacks', async () => {
  const [theirs, mine] = [await makeEditor(), await makeEditor()]
  const vip = await make.tag(theirs.workspaceId, { name: 'VIP' })
  const { body } = await theirs.call('POST', '/flows', { name: 'Tags', definition: tagging(vip) })
  const scenario = { name: 'Tags', turns: [{ say: 'hi' }, { expect: { tags: ['VIP'] } }] }
  await theirs.call('POST', `/flows/${body.flow.id}/tests`, { scenario })
  const { body: file } = await theirs.call('GET', `/flows/${body.flow.id}/export`)
  assert.deepEqual(file.names, [{ kind: 'tag', id: vip, name: 'VIP' }])

  const lacking = await mine.call('POST', '/flows/import', { file })
  assert.deepEqual(
    lacking.body.problems.map(({ stepId, message }: { stepId: string; message: string }) => [
      stepId,
      message,
    ]),
    [['s1', 'Step s1: this workspace has no tag “VIP”. Choose another.']],
  )
  const refused = await mine.call('POST', `/flows/${lacking.body.flowId}/publish`, { revision: 1 })
  assert.equal(refused.body.error.code, 'FLOW_INVALID')

  const own = await make.tag(mine.workspaceId, { name: 'VIP' })
  const found = await mine.call('POST', '/flows/import', { file })
  assert.deepEqual(found.body.problems, [])
  const { body: imported } = await mine.call('GET', `/flows/${found.body.flowId}`)
  assert.equal(imported.flow.name, 'Tags 2')
  assert.deepEqual(imported.flow.draft.blocks.hello.steps[0].add, [own])
  assert.deepEqual(imported.flow.tests[0].scenario, scenario)
  const checked = await mine.call('POST', `/flows/${found.body.flowId}/check`)
  assert.deepEqual(checked.body.failures, [])
})

test('an upload that no message has, the AI by its account, and a team that is gone are refused before a flow could miss them', async () => {
  const { workspaceId, call } = await makeEditor()
  const ctx = app.ctxOf(workspaceId)
  const content = Buffer.from('a price list')
  const { id: fileId } = await storeAttachment(ctx, { content, name: 'prices.txt', mimeType: 'text/plain' })
  const ai = await make.enableAi(workspaceId)
  const { id: colleague } = await make.agent(workspaceId)
  const team = await makeTeam(app, workspaceId)
  const removed = await makeTeam(app, workspaceId, { name: 'Removed' })
  await removeTeam(ctx, removed)
  const steps: FlowDefinition['blocks'][string]['steps'] = [
    { id: 's1', type: 'send', text: 'Our prices.', attachmentIds: [fileId] },
    { id: 's2', type: 'assign', to: { among: [colleague, ai] } },
    { id: 's3', type: 'assign', to: 'nobody', teamId: team },
    { id: 's4', type: 'people', teamId: removed },
  ]
  const definition = { ...GREETING, blocks: { hello: { steps, next: 'end' } } }
  const { body } = await call('POST', '/flows', { name: 'Prices', definition })
  const missing = async () => {
    const { problems } = (await call('POST', `/flows/${body.flow.id}/check`)).body
    return problems.flatMap(({ code, stepId }: Problem) => (code === 'deleted_reference' ? [stepId] : []))
  }
  assert.deepEqual(await missing(), ['s1', 's2', 's4'])
  const { id: messageId } = await make.message(workspaceId, await make.conversation(workspaceId))
  await db.updateTable('attachments').set({ message_id: messageId }).where('id', '=', fileId).execute()
  assert.deepEqual(await missing(), ['s2', 's4'])
})

test('an export of an import is the same file', async () => {
  const editor = await makeEditor()
  const { body } = await editor.call('POST', '/flows/import', { file: GREETING, name: 'Alone' })
  const { body: file } = await editor.call('GET', `/flows/${body.flowId}/export`)
  assert.deepEqual(file, { format: 'foyer-flow', name: 'Alone', definition: GREETING, tests: [], names: [] })
  const again = await editor.call('POST', '/flows/import', { file, name: 'Again' })
  const { body: copy } = await editor.call('GET', `/flows/${again.body.flowId}/export`)
  assert.deepEqual(copy, { ...file, name: 'Again' })
})

test('a backtest tells what the draft would have started, where it leads, and which flow it would have overtaken', async () => {
  const { workspaceId, call } = await makeEditor()
  const channelAccountId = await make.channelAccount(workspaceId, 'web')
  const write = async (body: string, daysAgo: number) => {
    const at = new Date(Date.now() - daysAgo * 86_400_000)
    const { id: contactId } = await make.contact(workspaceId, { countryIso: 'DE' })
    const conversation = await make.conversation(workspaceId, { channelAccountId, contactId, at })
    await make.message(workspaceId, conversation, { body, at })
    return conversation.id
  }
  const order = await write('Where is my ORDER?', 3)
  // Another one, from before the last 30 days.
  await app.database.pool.query(
    `with old as (
       insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, status, created_at, updated_at)
       select workspace_id, $2, channel, channel_account_id, contact_id, 'closed', created_at, updated_at
       from conversations where id = $1 returning id)
     insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status, created_at)
     select workspace_id, old.id, old.id, channel_account_id, sender_type, sender_id, body, status, created_at
     from messages, old where conversation_id = $1`,
    [order, `${idFloor(Date.now() - 31 * 86_400_000)}aaaaaaaaaaaa`],
  )
  await write('Hello', 2)
  const answered = await make.conversation(workspaceId, { channelAccountId })
  await make.message(workspaceId, answered, { body: 'order', senderType: 'agent', senderId: 'system' })
  const live = await makeFlow(app, workspaceId, { name: 'Everything', position: 5 })
  const definition: FlowDefinition = {
    ...GREETING,
    triggers: [{ on: 'message', words: ['order'] }],
    blocks: {
      hello: {
        steps: [
          {
            id: 's1',
            type: 'branch',
            paths: [{ when: { value: 'contact.country', op: 'is', to: 'DE' }, goto: 'german' }],
            else: 'end',
          },
        ],
      },
      german: { steps: [{ id: 's2', type: 'ask', answer: 'text', text: 'Welche?' }], next: 'end' },
    },
  }
  const { body: made } = await call('POST', '/flows', { name: 'Orders', definition })
  await call('PUT', '/flows/order', { ids: [made.flow.id, live.id] })
  const messagesBefore = await db
    .selectFrom('messages')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .execute()
  const { body } = await call('POST', `/flows/${made.flow.id}/backtest`)
  assert.deepEqual(body, {
    days: 30,
    messages: 2,
    examined: 2,
    started: 1,
    branches: [{ stepId: 's1', target: 'german', count: 1 }],
    stops: [{ stepId: 's2', endReason: null, count: 1 }],
    overtaken: [{ flowId: live.id, flowName: 'Everything', count: 1 }],
    passedOver: [],
    samples: [order],
  })
  // Behind the flow that takes everything, it starts nothing.
  await call('PUT', '/flows/order', { ids: [live.id, made.flow.id] })
  const behind = await call('POST', `/flows/${made.flow.id}/backtest`)
  assert.equal(behind.body.started, 0)
  assert.deepEqual(behind.body.passedOver, [{ because: 'earlier_flow', count: 1 }])
  const messagesAfter = await db
    .selectFrom('messages')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .execute()
  assert.deepEqual(messagesAfter, messagesBefore)
})

test('a backtest of five thousand messages takes as many statements as one of none', async () => {
  const { workspaceId, call } = await makeEditor()
  const { body } = await call('POST', '/flows', { name: 'Greets', definition: GREETING })
  const path = `/flows/${body.flow.id}/backtest`
  const none = await countStatements(app.database, () => call('POST', path))
  const conversation = await make.conversation(workspaceId)
  await make.message(workspaceId, conversation, { body: 'Hello' })
  await app.database.pool.query(
    `with copies as (select 'c' || lpad(to_hex(n), 4, '0') as suffix from generate_series(1, 5100) n),
     made as (
       insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, status, created_at, updated_at)
       select workspace_id, left(id, 20) || suffix, channel, channel_account_id, contact_id, 'closed', created_at, updated_at
       from conversations, copies where id = $1 returning workspace_id, id)
     insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status, created_at)
     select m.workspace_id, made.id, made.id, m.channel_account_id, m.sender_type, m.sender_id, m.body, m.status, m.created_at
     from messages m, made where m.conversation_id = $1`,
    [conversation.id],
  )
  assert.equal(await countStatements(app.database, () => call('POST', path)), none)
  const { body: result } = await call('POST', path)
  assert.equal(result.messages, 5_000)
  assert.ok(result.started >= 1)
})

test('the funnel counts steps by outcome, runs by status, and how long they took', async () => {
  const { workspaceId, call } = await makeEditor()
  const flow = await makeFlow(app, workspaceId)
  const conversation = await make.conversation(workspaceId)
  const waiting = await makeFlowRun(app, workspaceId, flow, conversation)
  const done = await makeFlowRun(app, workspaceId, flow, conversation)
  await db
    .updateTable('flow_runs')
    .set({ waiting_for: 'reply', waiting_step: 's1' })
    .where('id', '=', waiting)
    .execute()
  const started = new Date(Date.now() - 60_000)
  await db
    .updateTable('flow_runs')
    .set({ status: 'completed', started_at: started, completed_at: new Date(started.getTime() + 5_000) })
    .where('id', '=', done)
    .execute()
  const count = (outcome: 'asked' | 'answered', shard: number) => ({
    workspace_id: workspaceId,
    flow_id: flow.id,
    version: 1,
    step_id: 's1',
    outcome,
    day: new Date().toISOString().slice(0, 10),
    shard,
    count: 2,
  })
  await db
    .insertInto('flow_step_counts')
    .values([count('asked', 0), count('asked', 1), count('answered', 0)])
    .execute()
  const { body, text } = await call('GET', `/flows/${flow.id}/funnel`)
  assert.deepEqual(
    body,
    {
      versions: [1],
      steps: [{ stepId: 's1', outcomes: { answered: 2, asked: 4 }, waiting: 1 }],
      runs: { running: 1, completed: 1, failed: 0, cancelled: 0 },
      medianMs: 5_000,
    },
    text,
  )
  const ofOther = await call('GET', `/flows/${flow.id}/funnel?version=2`)
  assert.deepEqual(ofOther.body.steps, [])
  assert.equal((await call('GET', '/flows')).body.flows[0].runs.running, 1)
})
