import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { countOwn } from '../../../test/statements.ts'
import type { Actor } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { newId } from '../../platform/db/id.ts'
import { assignConversation, unassignConversation } from '../conversations/assign-conversation.ts'
import { lockConversation } from '../conversations/queries.ts'
import { closeConversation, reopenConversation } from '../conversations/set-conversation-status.ts'
import { receiveMessages } from '../messages/receive-messages.ts'
import { retryMessage } from '../messages/retry-message.ts'
import { sendMessage } from '../messages/send-message.ts'
import { mergeContacts } from '../people/merge-contacts.ts'
import { interruptAutomation, PAUSED_MS } from './interrupt.ts'
import { endPause, pauseAutomation } from './states.ts'

const telegram = {
  delivery: 'sent' as const,
  isResendHarmless: false,
  send: async () => ({ externalId: null }),
}
const { clock, ctxOf, database, db, make } = await startApp({
  // Only what sending needs of a channel. No worker runs, so that messages wait.
  channels: { telegram: telegram as never },
})

const setUp = async ({ isAutomated = true } = {}) => {
  const { id } = await make.workspace()
  await db.updateTable('workspaces').set({ is_automated: isAutomated }).where('id', '=', id).execute()
  const anna = await make.agent(id)
  const conversation = await make.conversation(id, { channel: 'telegram' })
  const as = (actor: Actor): Ctx => ({ ...ctxOf(id), actor })
  return {
    id,
    anna,
    conversation,
    conversationId: conversation.id,
    person: as({ type: 'agent', accountId: anna.id, role: 'admin', permissions: [] }),
    flow: as({ type: 'flow', flowId: 'welcome', runId: 'run' }),
    program: as({ type: 'token', tokenId: 'token' }),
  }
}

const send = (ctx: Ctx, conversationId: string, body: string) => sendMessage(ctx, { conversationId, body })

const startRun = async (
  { id, conversation }: Awaited<ReturnType<typeof setUp>>,
  run: { isDialog?: boolean; waitingFor?: 'reply' | 'part'; parentId?: string } = {},
) => {
  const runId = newId()
  const { isDialog = true, waitingFor = 'reply', parentId = null } = run
  await db
    .insertInto('flow_runs')
    .values({
      workspace_id: id,
      id: runId,
      flow_id: 'welcome',
      flow_name: 'Welcome',
      contact_id: conversation.contactId,
      conversation_id: conversation.id,
      status: 'running',
      is_dialog: isDialog,
      started_at: clock.now(),
      waiting_for: waitingFor,
      waiting_step: 'ask',
      wakes_at: clock.now(),
      wake_token: 1,
      parent_run_id: parentId,
      state: JSON.stringify({
        version: 1,
        status: 'running',
        wait: { for: waitingFor },
        variables: { a: 1 },
      }),
    })
    .execute()
  return runId
}

const runOf = (id: string) =>
  db.selectFrom('flow_runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const stateOf = (conversationId: string) =>
  db
    .selectFrom('automation_states')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .executeTakeFirst()
const thread = async (conversationId: string) =>
  (
    await db
      .selectFrom('messages')
      .select('body')
      .where('conversation_id', '=', conversationId)
      .where('sender_type', '<>', 'system')
      .orderBy('id')
      .execute()
  ).map(({ body }) => body)
const inputsOf = (conversationId: string) =>
  db.selectFrom('automation_inputs').selectAll().where('conversation_id', '=', conversationId).execute()
/** By type, and by the ids in their data. */
const eventsOf = async (conversationId: string, ...types: string[]) => {
  const rows = await db
    .selectFrom('events')
    .select(['type', 'data'])
    .where('conversation_id', '=', conversationId)
    .where('type', 'in', types)
    .execute()
  const events = rows.map(({ type, data }) => [type, data] as const)
  return events.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

const isPausedFor = async (conversationId: string): Promise<number | null | undefined> => {
  const state = await stateOf(conversationId)
  if (!state?.paused_at) return undefined
  const { paused_until: until } = state
  return until === null ? null : Date.parse(until) - clock.now().getTime()
}

/** Within a few seconds of it. */
const assertPausedFor12h = async (conversationId: string): Promise<void> => {
  const ms = await isPausedFor(conversationId)
  assert.ok(ms && ms > PAUSED_MS - 60_000 && ms <= PAUSED_MS, String(ms))
}

test('a person’s message withdraws what automation has yet to send, ends its dialogs and pauses it', async () => {
  const place = await setUp()
  const { conversationId, flow, person, anna } = place
  const parentId = await startRun(place, { waitingFor: 'part' })
  const partId = await startRun(place, { parentId })
  const backgroundId = await startRun(place, { isDialog: false })
  const first = await send(flow, conversationId, 'Which order?')
  const second = await send(flow, conversationId, 'Please give me the number.')
  await send(person, conversationId, 'Hi, Anna here.')

  assert.deepEqual(await thread(conversationId), ['Hi, Anna here.'])
  for (const id of [parentId, partId]) {
    const run = await runOf(id)
    assert.deepEqual(
      [run.status, run.end_reason, run.waiting_for, run.wakes_at],
      ['cancelled', 'person_took_over', null, null],
    )
    assert.ok(run.completed_at)
  }
  assert.equal((await runOf(backgroundId)).status, 'running')
  const state = await stateOf(conversationId)
  assert.deepEqual([state!.epoch, state!.paused_by, state!.pause_reason], [1, anna.id, 'person_took_over'])
  await assertPausedFor12h(conversationId)
  const [input] = await inputsOf(conversationId)
  assert.equal(input!.kind, 'interrupted')
  assert.deepEqual(input!.data, { by: anna.id, reason: 'person_took_over', runIds: [parentId, partId] })
  assert.deepEqual(
    await eventsOf(conversationId, 'automation.updated', 'message.removed', 'flow_run.updated'),
    [
      ['automation.updated', { conversationId, isPaused: true }],
      ['flow_run.updated', { runId: parentId, flowId: 'welcome', status: 'cancelled' }],
      ['flow_run.updated', { runId: partId, flowId: 'welcome', status: 'cancelled' }],
      ['message.removed', { messageId: first.id }],
      ['message.removed', { messageId: second.id }],
    ],
  )
})

test('the pause counts from the person’s last message, and is announced once', async () => {
  const { conversationId, person } = await setUp()
  await send(person, conversationId, 'One')
  const real = clock.now
  const later = new Date(real().getTime() + 3_600_000)
  clock.now = () => later
  try {
    await send(person, conversationId, 'Two')
    assert.equal(await isPausedFor(conversationId), PAUSED_MS)
  } finally {
    clock.now = real
  }
  assert.equal((await eventsOf(conversationId, 'automation.updated')).length, 1)
  assert.equal((await stateOf(conversationId))!.epoch, 2)
})

test('a program’s message pauses nothing and withdraws nothing', async () => {
  const place = await setUp()
  const { conversationId, flow, program } = place
  const runId = await startRun(place)
  await send(flow, conversationId, 'Which order?')
  await send(program, conversationId, 'Your order was shipped.')
  assert.deepEqual(await thread(conversationId), ['Which order?', 'Your order was shipped.'])
  assert.equal((await runOf(runId)).status, 'running')
  assert.equal(await isPausedFor(conversationId), undefined)
})

test('what was written on the business’s phone counts as a person’s, unless it is long past', async () => {
  const place = await setUp()
  const { conversation, conversationId, flow, id } = place
  const echo = (body: string, sentAt: Date) =>
    inTransaction(ctxOf(id), async (ctx) => {
      await lockConversation(ctx, conversationId)
      return receiveMessages(ctx, 'telegram', [
        {
          channelAccountId: conversation.channelAccountId,
          contact: { id: conversation.contactId, name: '', email: null },
          direction: 'outbound',
          senderId: 'phone:here',
          body,
          externalId: body,
          sentAt,
        },
      ])
    })
  const runId = await startRun(place)
  await send(flow, conversationId, 'Which order?')
  await echo('From last year', new Date(clock.now().getTime() - PAUSED_MS - 1))
  assert.equal((await runOf(runId)).status, 'running')
  await echo('From now', clock.now())
  assert.equal((await runOf(runId)).status, 'cancelled')
  assert.deepEqual(await thread(conversationId), ['From last year', 'From now'])
  assert.equal((await stateOf(conversationId))!.paused_by, 'phone:here')
  await echo('From now', clock.now())
  assert.equal((await stateOf(conversationId))!.epoch, 1)
})

test('assigning to a person takes the word from automation; assigning to the AI agent gives it back', async () => {
  const place = await setUp()
  const { conversationId, id, anna, person, program, flow } = place
  await make.enableAi(id)
  const assign = (ctx: Ctx, agentId: string) => assignConversation(ctx, { conversationId, agentId })
  const begin = async () => {
    await send(flow, conversationId, 'Which order?')
    return startRun(place)
  }
  const byFlow = await begin()
  await assign(flow, anna.id)
  assert.equal((await runOf(byFlow)).status, 'running')
  assert.deepEqual(await thread(conversationId), ['Which order?'])

  await assign(program, anna.id)
  assert.equal((await runOf(byFlow)).end_reason, 'person_took_over')
  assert.deepEqual(await thread(conversationId), [])
  assert.equal(await isPausedFor(conversationId), undefined)

  const byPerson = await begin()
  await assign(person, anna.id)
  assert.equal((await runOf(byPerson)).end_reason, 'person_took_over')
  await assertPausedFor12h(conversationId)
  await unassignConversation(person, { conversationId })
  await assertPausedFor12h(conversationId)

  await assign(program, 'ai')
  await assertPausedFor12h(conversationId)
  const kept = await begin()
  await assign(person, 'ai')
  assert.equal(await isPausedFor(conversationId), undefined)
  assert.equal((await runOf(kept)).status, 'running')
})

test('closing ends dialogs and the pause, and the thread’s last message is one that was sent', async () => {
  const place = await setUp()
  const { conversationId, person, program, flow } = place
  const customer = await make.message(place.id, place.conversation, { body: 'Hello?' })
  for (const closer of [person, program]) {
    await inTransaction(person, (ctx) =>
      pauseAutomation(ctx, [conversationId], { reason: 'handed_over', by: 'flow:welcome', until: null }),
    )
    const runId = await startRun(place)
    await send(flow, conversationId, 'Which order?')
    await closeConversation(closer, conversationId)
    assert.equal((await runOf(runId)).end_reason, 'conversation_closed')
    assert.equal(await isPausedFor(conversationId), undefined)
    assert.deepEqual(await thread(conversationId), ['Hello?'])
    const row = await db
      .selectFrom('conversations')
      .selectAll()
      .where('id', '=', conversationId)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      [row.last_message_id, row.last_message_body, row.last_message_sender_type],
      [customer.id, 'Hello?', 'customer'],
    )
    await reopenConversation(person, conversationId)
  }
  await send(person, conversationId, 'Still here')
  const runId = await startRun(place)
  await send(flow, conversationId, 'How did we do?')
  await closeConversation(flow, conversationId)
  assert.equal((await runOf(runId)).status, 'running')
  assert.equal(await isPausedFor(conversationId), undefined)
  assert.deepEqual(await thread(conversationId), ['Hello?', 'Still here', 'How did we do?'])
})

test('a pause that a person set lasts until it is given back, whatever is written meanwhile', async () => {
  const { conversationId, person, anna } = await setUp()
  await inTransaction(person, (ctx) =>
    interruptAutomation(ctx, [conversationId], { by: anna.id, reason: 'person_took_over', pause: 'hold' }),
  )
  await send(person, conversationId, 'Hello')
  assert.equal(await isPausedFor(conversationId), null)
  assert.equal((await stateOf(conversationId))!.pause_reason, 'paused')
  await inTransaction(person, (ctx) => endPause(ctx, [conversationId]))
  assert.equal(await isPausedFor(conversationId), undefined)
  await send(person, conversationId, 'Hello again')
  await assertPausedFor12h(conversationId)
})

test('a failed message that a person retries is the person’s', async () => {
  const place = await setUp()
  const { conversationId, person, program, flow } = place
  const failed = await send(flow, conversationId, 'Which order?')
  const fail = async () => {
    await db.updateTable('messages').set({ status: 'failed' }).where('id', '=', failed.id).execute()
    await db.updateTable('deliveries').set({ state: 'refused' }).where('message_id', '=', failed.id).execute()
  }
  const epochs = async () =>
    (
      await db
        .selectFrom('deliveries')
        .select('only_if_epoch')
        .where('message_id', '=', failed.id)
        .orderBy('id')
        .execute()
    ).map((row) => row.only_if_epoch)
  await fail()
  await retryMessage(program, { messageId: failed.id })
  assert.deepEqual(await epochs(), [0, 0])
  await fail()
  await retryMessage(person, { messageId: failed.id })
  assert.deepEqual(await epochs(), [0, 0, null])
  await assertPausedFor12h(conversationId)
  await send(person, conversationId, 'Hello')
  assert.deepEqual(await thread(conversationId), ['Which order?', 'Hello'])
})

test('an email that was tried and may have arrived stays in the thread, and is not sent again', async () => {
  const place = await setUp()
  const { id, flow, person } = place
  const { id: conversationId } = await make.conversation(id, { channel: 'email' })
  const tried = await send(flow, conversationId, 'Which order?')
  await db.updateTable('deliveries').set({ tries: 1 }).where('message_id', '=', tried.id).execute()
  await send(flow, conversationId, 'Please')
  await send(person, conversationId, 'Hi, Anna here.')
  assert.deepEqual(await thread(conversationId), ['Which order?', 'Hi, Anna here.'])
  const delivery = await db
    .selectFrom('deliveries')
    .select('state')
    .where('message_id', '=', tried.id)
    .executeTakeFirstOrThrow()
  assert.equal(delivery.state, 'unconfirmed')
})

test('in a workspace without automation nothing is written and no statement is added', async () => {
  const statementsOf = async (place: Awaited<ReturnType<typeof setUp>>, actor: 'person' | 'program') => {
    await send(place[actor], place.conversationId, 'warm')
    const before = database.statements.length
    await send(place[actor], place.conversationId, 'Hello')
    return countOwn(database.statements.slice(before))
  }
  const plain = await setUp({ isAutomated: false })
  const automated = await setUp()
  const program = await statementsOf(plain, 'program')
  assert.equal(await statementsOf(plain, 'person'), program)
  assert.equal(await statementsOf(automated, 'program'), program)
  assert.equal(await statementsOf(automated, 'person'), program + 1)
  assert.equal(await stateOf(plain.conversationId), undefined)
  assert.deepEqual(await inputsOf(plain.conversationId), [])
})

test('many conversations are interrupted by one statement', async () => {
  const place = await setUp()
  const { id, flow, person } = place
  const others = [await make.conversation(id, { channel: 'telegram' }), place.conversation]
  for (const one of others) await send(flow, one.id, 'Which order?')
  const before = database.statements.length
  await inTransaction(person, async (ctx) => {
    const ids = others.map((one) => one.id)
    await interruptAutomation(ctx, ids, { by: 'x', reason: 'person_took_over', pause: 'start' })
  })
  assert.equal(
    database.statements.slice(before).filter((text) => text.includes('automation_states')).length,
    1,
  )
  for (const one of others) {
    assert.deepEqual(await thread(one.id), [])
    await assertPausedFor12h(one.id)
    assert.equal((await inputsOf(one.id)).length, 1)
  }
})

test('when contacts are merged, what was said in the closed conversation counts in the other’s', async () => {
  const place = await setUp()
  const { id, flow, person, conversation, conversationId } = place
  const gone = await make.conversation(id, {
    channel: 'telegram',
    channelAccountId: conversation.channelAccountId,
  })
  const elsewhere = await make.conversation(id, { channel: 'web', contactId: gone.contactId })
  const goneRun = await startRun({ ...place, conversation: gone })
  const keptRun = await startRun(place)
  const movedRun = await startRun({ ...place, conversation: elsewhere })
  await send(flow, conversationId, 'Which order?')
  await send(person, gone.id, 'Hi, Anna here.')
  const unpausedRun = await startRun({ ...place, conversation: gone })
  await mergeContacts(ctxOf(id), conversation.contactId, gone.contactId)

  assert.equal((await runOf(goneRun)).end_reason, 'person_took_over')
  assert.equal((await runOf(unpausedRun)).end_reason, 'contact_merged')
  assert.equal((await runOf(keptRun)).end_reason, 'person_took_over')
  assert.deepEqual(await thread(conversationId), [])
  await assertPausedFor12h(conversationId)
  assert.equal(await isPausedFor(gone.id), undefined)
  const moved = await runOf(movedRun)
  assert.deepEqual([moved.status, moved.contact_id], ['running', conversation.contactId])
})
