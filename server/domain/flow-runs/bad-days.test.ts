// What happens to runs while people, providers and the workspace itself change around them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { createAction } from '../actions/save-action.ts'
import { assignConversation, unassignConversation } from '../conversations/assign-conversation.ts'
import { closeConversation, reopenConversation } from '../conversations/set-conversation-status.ts'
import { flowOf, startConducting } from './testing/conducted.ts'

const app = await startApp()
const { clock, db, make } = app
const { conductor, place, pass } = startConducting(app)
clock.now = () => new Date(Date.UTC(2026, 10, 23, 10))
const HOUR_MS = 3_600_000
/** More than fit into one batch of the conductor. */
const RUNS = 120

type Place = Awaited<ReturnType<typeof place>>
const ask = (text: string, more: object = {}) => ({ type: 'ask', answer: 'text', text, ...more }) as const
const said = async ({ thread }: Place): Promise<string[]> =>
  (await thread()).filter((line) => line.startsWith('automation')).map((line) => line.slice(12))
const ends = async ({ runs }: Place) => (await runs()).map(({ status, end_reason }) => [status, end_reason])
const WORDS = 'Thanks. Someone from our team will reply here.'

// People -----------------------------------------------------------------------------------------------------------

test('a conversation that is closed while a flow waits ends its run, and reopening doesn’t bring it back', async () => {
  const here = await place()
  await here.flow(flowOf([ask('Which order?', { timeout: { after: 'PT1H', then: 'people' } })]))
  const { conversationId } = await here.says('Hello')
  const person = await make.agent(here.workspaceId)
  const actor = { type: 'agent', accountId: person.id, role: 'admin', permissions: [] } as const
  await closeConversation({ ...here.ctx, actor }, conversationId)
  await reopenConversation({ ...here.ctx, actor }, conversationId)
  await conductor.conductDue()
  await pass(2 * HOUR_MS)
  assert.deepEqual(await ends(here), [['cancelled', 'conversation_closed']])
  assert.deepEqual(await said(here), ['Which order?'])
})

test('a conversation that a program assigns to a person while a flow waits is the person’s, until it is unassigned', async () => {
  const here = await place()
  await here.flow(flowOf([ask('Which order?')], { triggers: [{ on: 'message' }] }))
  const { conversationId } = await here.says('Hello')
  const agent = await make.agent(here.workspaceId)
  const ctx = { ...here.ctx, actor: { type: 'token', tokenId: 'c'.repeat(25) } as const }
  await assignConversation(ctx, { conversationId, agentId: agent.id })
  await here.says('AB-1')
  assert.deepEqual(
    [await said(here), await ends(here)],
    [['Which order?'], [['cancelled', 'person_took_over']]],
  )
  await unassignConversation(ctx, { conversationId })
  await pass(HOUR_MS)
  await here.says('Anybody?')
  assert.equal((await said(here)).length, 2)
})

test('a customer who blocks the business while a flow waits is left alone, when they write and when time is over', async () => {
  for (const writes of [true, false]) {
    const here = await place({ channel: 'telegram' })
    await here.flow({
      ...flowOf([]),
      blocks: {
        start: {
          steps: [{ id: 's1', ...ask('Which order?', { timeout: { after: 'PT1H', then: 'late' } }) }],
        },
        late: { steps: [{ id: 's2', type: 'send', text: 'Are you there?' }] },
      },
    })
    const { contactId } = await here.says('Hello')
    const identity = db.selectFrom('identities').select('value').where('contact_id', '=', contactId)
    await db
      .insertInto('channel_people' as 'contacts')
      .values({
        workspace_id: here.workspaceId,
        channel_account_id: here.channelAccountId,
        external_id: (await identity.executeTakeFirstOrThrow()).value,
        unreachable_since: clock.now(),
        unreachable_reason: 'blocked',
        created_at: clock.now(),
      } as never)
      .execute()
    if (writes) await here.says('AB-1')
    await pass(2 * HOUR_MS)
    assert.deepEqual(await ends(here), [['failed', 'blocked']])
    assert.deepEqual(await said(here), ['Which order?'])
  }
})

// Things that are gone ---------------------------------------------------------------------------------------------

test('a template that is rejected while a flow waits ends the run with the reason', async () => {
  const here = await place({ channel: 'whatsapp' })
  await here.flow(
    flowOf([
      { type: 'wait', for: 'P2D' },
      { type: 'send', text: 'Hi', ifWindowClosed: { name: 'hello', language: 'en', parameters: [] } },
    ]),
  )
  await here.says('Hello')
  await pass(48 * HOUR_MS)
  assert.deepEqual(await ends(here), [['failed', 'template_missing']])
  assert.deepEqual(await said(here), [])
})

test('an action that is gone when its step comes leads to people with what was collected', async () => {
  const here = await place()
  const { id: actionId } = await createAction(here.ctx, {
    name: 'Look up',
    method: 'GET',
    url: 'https://shop.example/orders',
    headers: [],
    parameters: [],
    keep: [],
    timeoutMs: 1_000,
    isRepeatable: true,
    risk: 'read',
    needs: 'none',
    confirm: 'none',
  })
  await here.flow(flowOf([ask('Which order?'), { type: 'call', actionId }]))
  await db.deleteFrom('actions').where('id', '=', actionId).execute()
  const { contactId } = await here.says('Hello')
  await here.says('AB-1')
  assert.deepEqual(await ends(here), [['failed', 'action_missing']])
  assert.equal((await said(here)).at(-1), WORDS)
  const note = await db
    .selectFrom('notes')
    .select('body')
    .where('contact_id', '=', contactId)
    .executeTakeFirstOrThrow()
  assert.match(note.body, /Which order\?\n→ AB-1$/)
})

test('a flow that assigns the AI agent where there is none leaves the customer to people', async () => {
  const here = await place()
  await here.flow(flowOf([ask('Which order?'), { type: 'assign', to: 'ai' }]))
  const aiId = await make.enableAi(here.workspaceId)
  const { conversationId } = await here.says('Hello')
  await db
    .updateTable('memberships')
    .set({ removed_at: clock.now() })
    .where('account_id', '=', aiId)
    .where('workspace_id', '=', here.workspaceId)
    .execute()
  await here.says('AB-1')
  assert.equal((await said(here)).at(-1), WORDS)
  const { agent_id } = await db
    .selectFrom('conversations')
    .select('agent_id')
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow()
  assert.equal(agent_id, null)
})

// Many at once -----------------------------------------------------------------------------------------------------

test('waits that are all due at once are each woken once, by several conductors', async () => {
  const first = await place()
  await first.flow(
    flowOf([
      { type: 'wait', for: 'PT1H' },
      { type: 'send', text: 'Still there?' },
    ]),
  )
  const places = [first]
  while (places.length < RUNS) places.push(await place({ workspaceId: first.workspaceId }))
  for (const { writes } of places) await writes('Hello')
  await conductor.conductDue()
  const others = [app, app].map((one) => startConducting(one).conductor)
  await Promise.all([pass(HOUR_MS), ...others.map((other) => other.conductDue())])
  // Those that were asked before the time was over find it now.
  await Promise.all(others.map((other) => other.conductDue()))
  for (const here of places) {
    assert.deepEqual(await said(here), ['Still there?'])
    assert.deepEqual(await ends(here), [['completed', 'finished']])
  }
})
