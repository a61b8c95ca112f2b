// What customers answer when a flow asks how it was.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SATISFACTION } from '../../../flow-engine/templates/satisfaction.ts'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { closeConversation } from '../conversations/set-conversation-status.ts'
import { removeConversation } from '../erasures/remove-conversation.ts'
import { startConducting } from '../flow-runs/testing/conducted.ts'
import { sendMessage } from '../messages/send-message.ts'

const app = await startApp()
const { db, make, ctxOf } = app
const { conductor, place } = startConducting(app)
const { id: w } = await make.workspace()
const admin = await make.agent(w, { nickname: 'Robin', role: 'admin' })
const robin = await signIn(app, w, admin.id)
const asRobin = {
  ...ctxOf(w),
  actor: { type: 'agent', accountId: admin.id, role: 'admin', permissions: [] },
} as const

const period = (() => {
  const day = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 10)
  return `from=${day(-86_400_000)}&to=${day(86_400_000)}`
})()
const report = async () => (await robin.call('GET', `/reports?${period}`)).body
const entries = async (query = '') =>
  (await robin.call('GET', `/reports/entries?${period}&figure=rating${query}`)).body.entries

/** A chat that a person answered and closed, so that the customer is asked. */
const chat = async () => {
  const { says, flow, conversationId, thread } = await place({ workspaceId: w })
  await flow(SATISFACTION.definition)
  await says('Where is my order?')
  await sendMessage(asRobin, { conversationId: conversationId(), body: 'On its way.' })
  await closeConversation(asRobin, conversationId())
  await conductor.conductDue()
  assert.match((await thread()).at(-1)!, /How did we do/)
  return { says, conversationId: conversationId() }
}

test('a rating is of its conversation and of whoever replied last, with the comment, and other answers are none', async () => {
  const poor = await chat()
  await poor.says('2')
  await poor.says('Two days without a word')
  const none = await chat()
  await none.says('Where is my other order?')
  const { totals, stars, people } = await report()
  assert.deepEqual(totals.rating, { count: 1, average: 2 })
  assert.deepEqual(stars, [0, 1, 0, 0, 0])
  assert.deepEqual(
    people.map(({ name, rating }: { name: string; rating: object }) => [name, rating]),
    [['Robin', { count: 1, average: 2 }]],
  )
  const [entry, ...others] = await entries('&rating=2')
  assert.deepEqual(others, [])
  assert.deepEqual(
    [entry.conversationId, entry.rating, entry.comment],
    [poor.conversationId, 2, 'Two days without a word'],
  )
  assert.deepEqual(await entries('&rating=5'), [])
})

test('a conversation that is anonymised keeps its rating without the comment', async () => {
  const before = (await report()).totals.rating
  const { conversationId } = (await entries())[0]
  const { contact_id: contactId } = await db
    .selectFrom('conversations')
    .select('contact_id')
    .where('workspace_id', '=', w)
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow()
  await removeConversation(ctxOf(w), conversationId, {
    contactId,
    mode: 'anonymise',
    onRemoved: async () => {},
    isStopping: () => false,
  })
  assert.equal((await entries())[0].comment, null)
  assert.deepEqual((await report()).totals.rating, before)
})
