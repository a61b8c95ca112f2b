import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { makeTeam } from '../../../test/make-team.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { CUSTOM_FIELDS_KEPT_MAX } from '../contacts/schema.ts'
import { lockConversation } from '../conversations/queries.ts'
import { sendMessage } from '../messages/send-message.ts'
import { mergeContacts } from '../people/merge-contacts.ts'
import { removeTeam } from '../teams/teams.ts'
import { conductConversations } from './conduct-conversations.ts'
import { flowOf, startConducting } from './testing/conducted.ts'

const app = await startApp()
const { db, make, ctxOf } = app
const { conductor, place } = startConducting(app)

const ask = { type: 'ask', answer: 'text', text: 'Which order?' } as const

const inputsOf = (conversationId: string) =>
  db.selectFrom('automation_inputs').select('kind').where('conversation_id', '=', conversationId).execute()

test('of a batch, a conversation that can’t be decided is left to people, and the others go on', async () => {
  const { flow, workspaceId, writes, thread, ctx } = await place()
  await flow(flowOf([ask]))
  const broken = await place({ workspaceId })
  await broken.says('Hello')
  const [run] = await broken.runs()
  // Nothing like it is ever stored; it stands for whatever nobody thought of.
  await sql`update flow_runs set state = '{"status":"running","wait":{"for":"reply","stepId":7}}'::json
    where id = ${run!.id}`.execute(db)
  const { conversationId } = await writes('Hello')
  const second = await broken.writes('AB-1')
  const { failed, sprints } = await conductConversations(ctx, [second.conversationId, conversationId])
  assert.deepEqual([failed, sprints], [1, 1])
  assert.equal((await thread()).at(-1), 'automation: Which order?')
  const [ended] = await broken.runs()
  assert.deepEqual([ended?.status, ended?.end_reason], ['failed', 'step_failed'])
  assert.equal(
    (await broken.lines()).at(-1),
    'Automation failed in this conversation, so it’s left to the team',
  )
  assert.deepEqual(await inputsOf(second.conversationId), [])
  await broken.says('Anybody?')
  assert.equal((await broken.thread()).at(-1), 'customer: Anybody?')
})

test('an agent who leaves while a flow assigns to them counts as gone: the flow goes where its author said', async () => {
  const { flow, says, workspaceId, thread } = await place()
  const agent = await make.agent(workspaceId)
  const other = await place({ workspaceId })
  await flow({
    ...flowOf([]),
    blocks: {
      start: { steps: [{ id: 's1', type: 'assign', to: agent.id, onFailed: 'sorry' }] },
      sorry: { steps: [{ id: 's2', type: 'send', text: 'Nobody is there.' }] },
    },
  })
  // What exists is kept for a second.
  await other.says('Hello')
  await db
    .updateTable('memberships')
    .set({ removed_at: new Date() })
    .where('account_id', '=', agent.id)
    .execute()
  await says('Hello')
  assert.equal((await thread()).at(-1), 'automation: Nobody is there.')
})

test('a tag that is deleted while a flow adds it is passed over, and the flow goes on', async () => {
  const { flow, says, workspaceId, thread } = await place()
  const tag = await make.tag(workspaceId, { name: 'VIP' })
  const other = await place({ workspaceId })
  await flow(
    flowOf([
      { type: 'tag', add: [tag] },
      { type: 'send', text: 'Welcome.' },
    ]),
  )
  // What exists is kept for a second.
  await other.says('Hello')
  await db.deleteFrom('contact_tags').where('tag_id', '=', tag).execute()
  await db.deleteFrom('tags').where('id', '=', tag).execute()
  await says('Hello')
  assert.equal((await thread()).at(-1), 'automation: Welcome.')
})

test('a team that is removed while a flow moves a conversation to it is passed over, and the flow goes on', async () => {
  const { flow, says, workspaceId, thread, ctx } = await place()
  const team = await makeTeam(app, workspaceId)
  const other = await place({ workspaceId })
  const { id } = await flow(
    flowOf([
      { type: 'assign', to: 'nobody', teamId: team },
      { type: 'send', text: 'One moment.' },
      { type: 'people', teamId: team },
    ]),
  )
  const teamOf = async (conversationId: string) =>
    (await db
      .selectFrom('conversations')
      .select(['team_id as team', 'agent_id as agent'])
      .where('id', '=', conversationId)
      .executeTakeFirst())!
  // What exists is kept for a second.
  const { conversationId } = await other.says('Hello')
  assert.deepEqual(await teamOf(conversationId), { team, agent: null })
  await assert.rejects(removeTeam(ctx, team), { code: 'VALIDATION_ERROR' })
  await db.updateTable('teams').set({ removed_at: new Date() }).where('id', '=', team).execute()
  const gone = await says('Hello')
  assert.equal((await thread())[1], 'automation: One moment.')
  assert.deepEqual(await teamOf(gone.conversationId), { team: null, agent: null })
  const run = await db
    .selectFrom('flow_runs')
    .select(['status', 'end_reason as why'])
    .where('flow_id', '=', id)
    .where('conversation_id', '=', gone.conversationId)
    .executeTakeFirst()
  assert.deepEqual(run, { status: 'completed', why: 'handed_over' })
})

test('a contact who has as many fields as can be kept gets no more, and the flow goes on', async () => {
  const { flow, says, thread } = await place()
  const set = [
    { to: 'contact.language', value: 'de' },
    { to: 'contact.fields.plan', value: 'pro' },
  ]
  await flow(
    flowOf(
      [
        { type: 'set', set },
        { type: 'send', text: 'Done.' },
      ],
      { triggers: [{ on: 'message', words: ['go'] }] },
    ),
  )
  const { contactId } = await says('Hello')
  const full = Object.fromEntries(Array.from({ length: CUSTOM_FIELDS_KEPT_MAX }, (_, at) => [`f${at}`, 'x']))
  await db
    .updateTable('contacts')
    .set({ custom_fields: JSON.stringify(full) })
    .where('id', '=', contactId)
    .execute()
  await says('go')
  assert.equal((await thread()).at(-1), 'automation: Done.')
})

test('an answer that is cut between the halves of an emoji is stored', async () => {
  const { flow, says, thread } = await place()
  await flow(
    flowOf([
      { ...ask, store: 'run.order' },
      { type: 'send', text: '{{run.order}}' },
    ]),
  )
  await says('Hello')
  await says(`${'x'.repeat(499)}${'😀'.repeat(2_000)}`)
  assert.equal((await thread()).at(-1), `automation: ${'x'.repeat(499)}`)
})

test('a customer whom no flow may answer so often is left to people, who are told', async () => {
  const { flow, says, thread, lines, taps, conversationId } = await place()
  await flow(
    flowOf([
      { type: 'ask', answer: 'choice', text: 'What?', options: [{ id: 'a', title: 'Status' }] },
      { type: 'send', text: 'Sent.' },
    ]),
  )
  await says('Hello')
  const sent = async () => (await thread()).filter((line) => line === 'automation: Sent.').length
  for (let count = 0; count < 4; count++) await taps('Status')
  assert.equal(await sent(), 3)
  assert.equal((await lines()).at(-1), 'Automation paused: a limit on automated messages was reached')
  const state = await db
    .selectFrom('automation_states')
    .select('pause_reason')
    .where('conversation_id', '=', conversationId())
    .executeTakeFirstOrThrow()
  assert.equal(state.pause_reason, 'limit_reached')
})

test('a conversation that somebody is writing to is conducted once they are done', async () => {
  const { flow, writes, thread, ctx } = await place()
  await flow(flowOf([ask]))
  const { conversationId } = await writes('Hello')
  let conducting: Promise<void> | undefined
  await inTransaction(ctx, async (own) => {
    await lockConversation(own, conversationId)
    assert.deepEqual((await conductConversations(ctx, [conversationId])).busy, [conversationId])
    conducting = conductor.conductDue()
    assert.equal((await thread()).length, 1)
  })
  await conducting
  assert.equal((await thread()).length, 2)
})

test('two conductors at once use each input once', async () => {
  const { flow, writes, thread, ctx } = await place()
  await flow(flowOf([ask, { type: 'send', text: 'Thanks.' }]))
  const { conversationId } = await writes('Hello')
  await writes('AB-1')
  await Promise.all(Array.from({ length: 4 }, () => conductConversations(ctx, [conversationId])))
  assert.deepEqual((await thread()).slice(2), ['automation: Which order?', 'automation: Thanks.'])
})

test('a person’s message ends the dialog in its own transaction, and the conductor writes the line', async () => {
  const { flow, says, runs, lines, thread, ctx, workspaceId } = await place()
  const agent = await make.agent(workspaceId)
  const { name } = await flow(flowOf([ask], { triggers: [{ on: 'message' }] }))
  const { conversationId } = await says('Hello')
  const person = {
    ...ctx,
    actor: { type: 'agent' as const, accountId: agent.id, role: 'admin' as const, permissions: [] },
  }
  await sendMessage(person, { conversationId, body: 'I am here.' })
  assert.equal((await runs())[0]?.status, 'cancelled')
  await conductor.conductDue()
  assert.equal((await lines()).at(-1), `${name}: stopped because a teammate took over`)
  await says('Thank you')
  assert.equal((await thread()).at(-1), 'customer: Thank you')
  assert.equal((await runs()).length, 1)
})

test('a merge of two contacts moves their runs, and one of the dialogs goes on', async () => {
  const { flow, says, runs, workspaceId, thread } = await place()
  await flow(flowOf([ask, { type: 'send', text: 'Thanks.' }]))
  const first = await says('Hello')
  const other = await place({ workspaceId })
  const second = await other.says('Hello')
  await mergeContacts(ctxOf(workspaceId), first.contactId, second.contactId)
  await conductor.conductDue()
  assert.deepEqual(
    [...(await runs()), ...(await other.runs())].map(({ contact_id }) => contact_id),
    [first.contactId, first.contactId],
  )
  await says('AB-1')
  assert.equal((await thread()).at(-1), 'automation: Thanks.')
})
