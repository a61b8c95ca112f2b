import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../../test/app.ts'
import { signIn } from '../../../../test/console.ts'
import { readLabelledSet } from '../../../../test/questions.ts'
import { newIdAfter } from '../../../platform/db/id.ts'
import { saveAnswer } from '../../knowledge/answers.ts'
import { groupQuestions } from './group-questions.ts'
import type { Gap } from './schema.ts'

const app = await startApp()
const { db, make } = app

const makeWorld = async () => {
  const workspace = await make.workspace()
  const admin = await make.agent(workspace.id, { role: 'admin' })
  const ada = await signIn(app, workspace.id, admin.id)
  const account = await make.channelAccount(workspace.id, 'web')
  const list = async (caller = ada): Promise<Gap[]> => (await caller.call('GET', '/knowledge/gaps')).body.gaps
  return { workspaceId: workspace.id, admin, ada, account, list }
}
type World = Awaited<ReturnType<typeof makeWorld>>

const ask = async (
  { workspaceId, account }: World,
  question: string,
  { reply, agentId, reason = 'no_knowledge' }: { reply?: string; agentId?: string; reason?: string } = {},
) => {
  const conversation = await make.conversation(workspaceId, {
    channelAccountId: account,
    ...(agentId !== undefined && { agentId }),
  })
  const at = new Date()
  const id = newIdAfter()
  await db
    .insertInto('ai_turns')
    .values({
      workspace_id: workspaceId,
      id,
      conversation_id: conversation.id,
      state: 'ended',
      outcome: 'handed_over',
      question,
      decision: JSON.stringify({ is: 'handOver', reason }),
      due_at: at,
      created_at: at,
      ended_at: at,
    })
    .execute()
  if (reply !== undefined) await make.message(workspaceId, conversation, { senderType: 'agent', body: reply })
  return id
}

test('questions of a kind are one gap, with how often and when, and what a person replied', async () => {
  const world = await makeWorld()
  const first = await ask(world, 'Do you engrave rings with a name?', { reply: 'Yes, for 20 euros.' })
  const second = await ask(world, 'Can rings be engraved with my name?', { reason: 'failed_twice' })
  const other = await ask(world, 'Is there parking near the shop?', { reason: 'low_confidence' })
  await ask(world, 'Give me a person', { reason: 'asked' })
  const gaps = await world.list()
  assert.deepEqual(
    gaps.map(({ turnIds, count, reply }) => ({ turnIds, count, reply })),
    [
      { turnIds: [second, first], count: 2, reply: 'Yes, for 20 euros.' },
      { turnIds: [other], count: 1, reply: null },
    ],
  )
  assert.deepEqual(gaps[0]!.questions, [
    'Can rings be engraved with my name?',
    'Do you engrave rings with a name?',
  ])
  assert.ok(gaps[0]!.firstAt <= gaps[0]!.lastAt)
})

test('a gap is answered by a published answer or dismissed, and the same question later is a new one', async () => {
  const world = await makeWorld()
  const { ada, workspaceId } = world
  const turnIds = [await ask(world, 'Do you engrave rings?'), await ask(world, 'Is there parking nearby?')]
  const make = async (state: 'draft' | 'published') =>
    (
      await saveAnswer(app.ctxOf(workspaceId), null, {
        title: 'Rings',
        language: 'en',
        body: 'Yes.',
        phrasings: [],
        state,
      })
    ).answer.id
  const draft = await ada.call('POST', '/knowledge/gaps/close', { turnIds, answerId: await make('draft') })
  assert.deepEqual([draft.status, draft.body.error.code], [404, 'ANSWER_NOT_FOUND'])
  const other = await makeWorld()
  const foreign = await other.ada.call('POST', '/knowledge/gaps/close', { turnIds, answerId: null })
  assert.deepEqual(foreign.body, { closed: 0 })
  const answerId = await make('published')
  const closed = await ada.call('POST', '/knowledge/gaps/close', { turnIds: [turnIds[0]], answerId })
  assert.deepEqual(closed.body, { closed: 1 })
  const again = { turnIds: [turnIds[0]], answerId: null }
  assert.deepEqual((await ada.call('POST', '/knowledge/gaps/close', again)).body, { closed: 0 })
  assert.deepEqual(
    (await world.list()).map(({ turnIds }) => turnIds),
    [[turnIds[1]]],
  )
  await ada.call('POST', '/knowledge/gaps/close', { turnIds: [turnIds[1]], answerId: null })
  assert.deepEqual(await world.list(), [])
  const newer = await ask(world, 'Do you engrave rings?')
  assert.deepEqual(
    (await world.list()).map(({ turnIds }) => turnIds),
    [[newer]],
  )
})

test('personal data of questions and replies isn’t shown', async () => {
  const world = await makeWorld()
  await ask(world, 'Charge 4111 1111 1111 1111 or write to jo@mail.example or +49 170 1234567', {
    reply: 'Jo, we wrote to jo@mail.example.',
  })
  const text = JSON.stringify(await world.list())
  for (const part of ['4111', 'jo@', '1234567']) assert.ok(!text.includes(part), part)
})

test('a person’s reply is a gap with the question before it, without personal data, and names what to check', async () => {
  const world = await makeWorld()
  const { ada, account, workspaceId } = world
  const contact = await make.contact(workspaceId, { name: 'Maria Li Silva' })
  const conversation = await make.conversation(workspaceId, {
    channelAccountId: account,
    contactId: contact.id,
  })
  const say = (senderType: 'customer' | 'agent' | 'automation', body: string, more: object = {}) =>
    make.message(workspaceId, conversation, { senderType, body, ...more })
  const turn = async (question: string) => {
    const id = await ask(world, question)
    await db.updateTable('ai_turns').set({ conversation_id: conversation.id }).where('id', '=', id).execute()
    return id
  }
  const get = async ({ id }: { id: string }, who = ada) => who.call('GET', `/knowledge/gaps/of-reply/${id}`)
  await say('customer', 'Is there parking?')
  await turn('Is there parking?')
  const person = { senderId: newIdAfter() }
  await say('agent', 'Yes, behind the shop.', person)
  await say('customer', 'Do you engrave rings? I am jo@mail.example.')
  const open = await turn('Do you engrave rings? I am jo@mail.example.')
  await say('customer', '')
  await say('automation', 'One moment.', { senderId: 'flow:x' })
  const own = await say('agent', 'Yes Maria, we do. I wrote to jo@mail.example.', person)
  const { status, body, text } = await get(own)
  assert.equal(status, 200, text)
  assert.deepEqual(body.gap.turnIds, [open])
  assert.deepEqual(body.gap.questions, ['Do you engrave rings? I am [email 1].'])
  assert.equal(body.gap.reply, 'Yes Maria, we do. I wrote to [email 1].')
  assert.deepEqual(body.personal, ['[email 1]', 'Maria'])
  const missing = await get({ id: newIdAfter() })
  const ais = await say('agent', 'From the agent.', person)
  const metadata = JSON.stringify({ ai: { turnId: 'x' } })
  await db.updateTable('messages').set({ metadata }).where('id', '=', ais.id).execute()
  const others = [
    ais,
    await say('agent', 'From a program.', { senderId: 'api:token' }),
    await say('customer', 'Thanks!'),
  ]
  for (const other of others) {
    const refused = await get(other)
    assert.deepEqual([refused.status, refused.text], [404, missing.text])
  }
  assert.equal((await get(own, (await makeWorld()).ada)).text, missing.text)
  await ada.call('POST', '/knowledge/gaps/close', { turnIds: [open], answerId: null })
  assert.deepEqual((await get(own)).body.gap.turnIds, [])
})

test('whoever sees only their own conversations sees and closes only their questions', async () => {
  const world = await makeWorld()
  const { workspaceId } = world
  const { body } = await world.ada.call('POST', '/roles', { name: 'Own', permissions: ['manage_knowledge'] })
  const agent = await make.agent(workspaceId)
  await world.ada.call('PATCH', `/members/${agent.id}/role`, { roleId: body.role.id })
  const eve = await signIn(app, workspaceId, agent.id)
  const hidden = await ask(world, 'Do you engrave rings?')
  const own = await ask(world, 'Is there parking nearby?', { agentId: agent.id })
  assert.deepEqual(
    (await world.list(eve)).map(({ turnIds }) => turnIds),
    [[own]],
  )
  const closed = await eve.call('POST', '/knowledge/gaps/close', { turnIds: [hidden, own], answerId: null })
  assert.deepEqual(closed.body, { closed: 1 })
})

test('groups hold one kind: nineteen in twenty questions of the labelled set are among their own', () => {
  const { test: questions } = readLabelledSet()
  const asked = questions.map(({ text, title }) => ({ question: text, title: title ?? text }))
  const groups = groupQuestions(asked)
  let right = 0
  for (const group of groups) {
    const counts = new Map<string, number>()
    for (const { title } of group) counts.set(title, (counts.get(title) ?? 0) + 1)
    right += Math.max(...counts.values())
  }
  const joined = groups.filter(({ length }) => length > 1).flat().length
  assert.ok(right / asked.length >= 0.95)
  assert.ok(joined / asked.length >= 0.15)
})
