// Messages that automation has nothing to do with leave nothing for it to look at.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { receiveMessages } from '../messages/receive-messages.ts'
import { flowOf, startConducting } from './testing/conducted.ts'

const app = await startApp()
const { clock, db, make } = app
const { place } = startConducting(app)

const GREETING = flowOf([{ type: 'send', text: 'Hello' }], {
  triggers: [{ on: 'message', words: ['hello'] }],
})
const QUESTION = flowOf([{ type: 'ask', answer: 'text', text: 'Which order?' }], {
  triggers: [{ on: 'message', words: ['order'] }],
})

type Place = Awaited<ReturnType<typeof place>>

const inputsOf = async ({ workspaceId }: Place): Promise<number> =>
  (await db.selectFrom('automation_inputs').select('id').where('workspace_id', '=', workspaceId).execute())
    .length

/** A conversation that has begun. */
const begun = async (...flows: Parameters<typeof flowOf>[]) => {
  const begun = await place()
  await begun.writes('Good morning')
  for (const [steps, more] of flows) await begun.flow(flowOf(steps, more))
  return begun
}

test('a message without a flow’s words is not queued, one with them is', async () => {
  const here = await begun()
  await here.flow(GREETING)
  await here.writes('Where is my parcel?')
  assert.equal(await inputsOf(here), 0)
  await here.writes('Hello there')
  assert.equal(await inputsOf(here), 1)
})

test('flows of other channels and of first messages don’t hear of it', async () => {
  const send: Parameters<typeof flowOf>[0] = [{ type: 'send', text: 'Hello' }]
  const here = await begun(
    [send, { triggers: [{ on: 'message', channels: ['whatsapp'] }] }],
    [send, { triggers: [{ on: 'message', accountIds: ['another'] }] }],
    [send, { triggers: [{ on: 'message', isFirst: true }] }],
    [send, { triggers: [{ on: 'opened' }] }],
    [send, { triggers: [{ on: 'reopened' }] }],
  )
  await here.writes('Where is my parcel?')
  assert.equal(await inputsOf(here), 0)
})

test('the first message and one that reopens are queued for flows that begin with them', async () => {
  const here = await place()
  await here.flow(
    flowOf([{ type: 'send', text: 'Hello' }], { triggers: [{ on: 'opened' }, { on: 'reopened' }] }),
  )
  await here.writes('Good morning')
  assert.equal(await inputsOf(here), 1)
  await db.deleteFrom('automation_inputs').where('workspace_id', '=', here.workspaceId).execute()
  await db
    .updateTable('conversations')
    .set({ status: 'closed' })
    .where('workspace_id', '=', here.workspaceId)
    .execute()
  await here.writes('Me again')
  assert.equal(await inputsOf(here), 1)
})

test('whatever is written while a run waits is queued', async () => {
  const here = await begun()
  await here.flow(QUESTION)
  await here.says('My order')
  await here.writes('AB-1')
  assert.equal(await inputsOf(here), 1)
})

test('what follows a message that may start a flow is queued, since it may be the answer', async () => {
  const here = await begun()
  await here.flow(QUESTION)
  await here.writes('My order')
  await here.writes('AB-1')
  assert.equal(await inputsOf(here), 2)

  const together = await begun()
  await together.flow(QUESTION)
  const { channelAccountId, workspaceId, ctx } = together
  const contact = await db
    .selectFrom('contacts')
    .select(['id', 'name', 'email'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  const bodies = ['It is urgent', 'My order', 'AB-1']
  await receiveMessages(
    ctx,
    'web',
    bodies.map((body) => ({
      channelAccountId,
      contact,
      direction: 'inbound',
      body,
      externalId: body,
      sentAt: clock.now(),
    })),
  )
  assert.equal(await inputsOf(together), 2)
})

test('a wish for a person, a tap, and silence that a flow waits for are queued', async () => {
  const here = await begun()
  await here.flow(GREETING)
  await here.writes('I want to talk to a human')
  assert.equal(await inputsOf(here), 1)

  const tapped = await begun()
  await tapped.flow(GREETING)
  await tapped.writes('Yes', { metadata: { choice: { kind: 'button', id: 'yes', title: 'Yes' } } })
  assert.equal(await inputsOf(tapped), 1)

  const silent = await begun([
    [{ type: 'send', text: 'Are you still there?' }],
    { triggers: [{ on: 'customer_silent', after: 'PT1H' }] },
  ])
  await silent.writes('Where is my parcel?')
  assert.equal(await inputsOf(silent), 1)
})

test('everything is queued while the AI agent has the conversation', async () => {
  const here = await begun()
  await here.flow(GREETING)
  await make.enableAi(here.workspaceId)
  const ai = await db.selectFrom('accounts').select('id').where('is_ai', '=', true).executeTakeFirstOrThrow()
  await db
    .updateTable('conversations')
    .set({ agent_id: ai.id })
    .where('workspace_id', '=', here.workspaceId)
    .execute()
  await here.writes('Where is my parcel?')
  assert.equal(await inputsOf(here), 1)
})
