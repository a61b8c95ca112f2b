// Replying is taking over, from the moment in which a person presses Send, also while they can still undo it.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { makeHeldSender } from '../../jobs/send-held.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { startAssisting } from '../ai/testing/assisted.ts'
import { sendOrHoldReply } from '../outbox/hold-message.ts'
import { saveProblem } from '../outbox/queries.ts'
import { undoSend } from '../outbox/send-held.ts'
import { flowOf } from './testing/conducted.ts'

const app = await startApp()
const { db, deps, make } = app
const assisting = startAssisting(app)
const { conductor, pass, settle, thinker } = assisting
const sender = makeHeldSender({ ...deps, log: app.app.log })
after(async () => {
  await thinker.stop()
  await conductor.stop()
  await sender.stop()
})

const UNDO_SECONDS = 10
type There = Awaited<ReturnType<typeof assisting.place>>

/** A person who replies to the newest message, and can undo it. */
const personIn = async ({ ctx, workspaceId, conversationId, messages }: There) => {
  const { id: accountId } = await make.agent(workspaceId, { role: 'admin' })
  const jane: Ctx = { ...ctx, actor: { type: 'agent', accountId, role: 'admin', permissions: [] } }
  const presses = async (body: string): Promise<string> => {
    const seenMessageId = (await messages()).at(-1)!.id
    const answer = await sendOrHoldReply(jane, {
      conversationId: conversationId(),
      body,
      undoSeconds: UNDO_SECONDS,
      seenMessageId,
    })
    assert.ok('held' in answer)
    return answer.held.id
  }
  return { presses, undoes: (heldId: string) => undoSend(jane, heldId) }
}

/** Their time to undo it is over. */
const sendDue = async (): Promise<void> => {
  await pass(UNDO_SECONDS * 1000)
  await sender.sendDue()
  await settle()
}

const countHeld = async ({ workspaceId }: There): Promise<number> =>
  (await db.selectFrom('held_messages').select('id').where('workspace_id', '=', workspaceId).execute()).length

/** The agent has thought of a reply; the conductor hasn't been there since. */
const thoughtOf = async (question: string): Promise<There> => {
  const there = await assisting.place()
  await there.writes(question)
  await there.assign('ai')
  await thinker.thinkDue()
  assert.deepEqual(
    (await there.turns()).map(({ state }) => state),
    ['thought'],
  )
  return there
}

test('the AI agent says nothing once a person has pressed Send, and their reply goes out', async () => {
  const there = await thoughtOf('How much is shipping?')
  const { presses } = await personIn(there)
  await presses('Let me look.')
  await settle()
  assert.deepEqual(await there.thread(), ['customer: How much is shipping?'])
  await there.says('Are you there?')
  await sendDue()
  assert.deepEqual(await there.thread(), [
    'customer: How much is shipping?',
    'customer: Are you there?',
    'agent: Let me look.',
  ])
  assert.equal(await countHeld(there), 0, 'the reply was stopped')
  await settle()
  assert.equal((await there.thread()).length, 3)
})

test('what the AI agent would have said comes once the person undoes their reply', async () => {
  const there = await thoughtOf('How much is shipping?')
  const { presses, undoes } = await personIn(there)
  const heldId = await presses('Let me look.')
  await settle()
  await undoes(heldId)
  await settle()
  const [question, reply, ...more] = await there.thread()
  assert.equal(question, 'customer: How much is shipping?')
  assert.match(reply!, /^agent: .*Shipping is free/s)
  assert.deepEqual(more, [])
})

test('a flow waits as well: what the customer writes meanwhile and the end of its own wait are not lost', async () => {
  const there = await assisting.place()
  const asks = {
    type: 'ask' as const,
    answer: 'text' as const,
    text: 'Which order?',
    timeout: { after: 'PT5S', then: 'late' },
  }
  const flow = flowOf([asks, { type: 'send', text: 'Thank you.' }])
  flow.blocks.late = { steps: [{ id: 'l', type: 'send', text: 'Are you still there?' }] }
  await there.flow(flow)
  await there.says('Hello')
  const { presses, undoes } = await personIn(there)
  const first = await presses('Let me look.')
  await pass(6_000)
  assert.equal((await there.thread()).at(-1), 'automation: Which order?')
  await undoes(first)
  await conductor.conductDue()
  assert.equal((await there.thread()).at(-1), 'automation: Are you still there?')

  const again = await assisting.place()
  await again.flow(
    flowOf([
      { ...asks, timeout: undefined },
      { type: 'send', text: 'Thank you.' },
    ]),
  )
  await again.says('Hello')
  const other = await personIn(again)
  const second = await other.presses('Let me look.')
  await again.says('Number 7')
  assert.equal((await again.thread()).at(-1), 'customer: Number 7')
  await other.undoes(second)
  await conductor.conductDue()
  assert.equal((await again.thread()).at(-1), 'automation: Thank you.')
})

test('a dialog ends with the reply that was held, not with pressing Send', async () => {
  const there = await assisting.place()
  await there.flow(flowOf([{ type: 'ask', answer: 'text', text: 'Which order?' }]))
  await there.says('Hello')
  const { presses } = await personIn(there)
  await presses('I am here.')
  await conductor.conductDue()
  assert.deepEqual(
    (await there.runs()).map(({ status }) => status),
    ['running'],
  )
  await sendDue()
  assert.deepEqual(
    (await there.runs()).map(({ status, end_reason }) => [status, end_reason]),
    [['cancelled', 'person_took_over']],
  )
})

test('a reply that could not be sent keeps nobody waiting', async () => {
  const there = await thoughtOf('How much is shipping?')
  const { presses } = await personIn(there)
  const heldId = await presses('Let me look.')
  await settle()
  await saveProblem(there.ctx, heldId, { code: 'FORBIDDEN', message: 'No longer.' })
  await settle()
  assert.match((await there.thread()).at(-1)!, /^agent: .*Shipping is free/s)
})
