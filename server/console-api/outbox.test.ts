// Undoing what was sent: until its time has come, a message is nothing that anybody but its author knows of.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import { makeAttachments } from '../../test/make-attachments.ts'
import { countOwn } from '../../test/statements.ts'
import { listUnbound } from '../domain/attachments/queries.ts'
import { makeHeldSender } from '../jobs/send-held.ts'

const app = await startApp()
const { call, clock, database, db, deps, make } = app
const { id: w, token } = await make.workspace()
const sender = makeHeldSender({ ...deps, log: app.app.log })
const jane = await signIn(app, w, (await make.agent(w, { nickname: 'Jane', role: 'admin' })).id)
const sam = await signIn(app, w, (await make.agent(w, { nickname: 'Sam', role: 'admin' })).id)
const account = await make.channelAccount(w, 'telegram')

const HOUR_MS = 3_600_000
type Caller = typeof jane

const open = async () => {
  const conversation = await make.conversation(w, { channel: 'telegram', channelAccountId: account })
  const question = await make.message(w, conversation, { body: 'Where is my bike?' })
  return { ...conversation, questionId: question.id }
}
const send = (who: Caller, conversationId: string, body: object) =>
  who.call('POST', `/conversations/${conversationId}/messages`, { undoSeconds: 5, ...body })
const hold = async (who: Caller, conversationId: string, body: object): Promise<string> => {
  const answer = await send(who, conversationId, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.held.id
}
const outboxOf = async (who: Caller, conversationId: string) => {
  const { held } = (await who.call('GET', '/outbox')).body
  return held.filter((one: { conversationId: string }) => one.conversationId === conversationId)
}
const thread = async (conversationId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('messages')
    .select('body')
    .where('conversation_id', '=', conversationId)
    .orderBy('id')
    .execute()
  return rows.map(({ body }) => body)
}
const statusOf = async (conversationId: string) =>
  (await db.selectFrom('conversations').select('status').where('id', '=', conversationId).executeTakeFirst())
    ?.status

/** Lets time pass for the sender, and what is due be sent. */
const later = async (ms: number): Promise<void> => {
  const { now } = clock
  clock.now = () => new Date(now().getTime() + ms)
  await sender.sendDue()
  clock.now = now
}
const upload = async (who: Caller, conversation: Awaited<ReturnType<typeof open>>): Promise<string> => {
  const { uploadId } = await makeAttachments(app, { id: w, tokenId: '' }, conversation.questionId)
  await db.updateTable('attachments').set({ uploaded_by: who.accountId }).where('id', '=', uploadId).execute()
  return uploadId
}

test('what was undone was never a message, and comes back with its files and what it replied to', async () => {
  const conversation = await open()
  const { id, questionId } = conversation
  const fileId = await upload(jane, conversation)
  const before = await db.selectFrom('events').select('type').where('workspace_id', '=', w).execute()
  const heldId = await hold(jane, id, {
    body: 'In your cellar.',
    attachmentIds: [fileId],
    replyTo: questionId,
    thenClose: true,
  })
  const { messages } = (await call(token, 'GET', `/conversations/${id}/messages`)).body
  assert.deepEqual(
    messages.map(({ body }: { body: string }) => body),
    ['Where is my bike?'],
  )
  assert.deepEqual(
    await db.selectFrom('events').select('type').where('workspace_id', '=', w).execute(),
    before,
  )
  assert.deepEqual(await outboxOf(sam, id), [])
  for (const path of [`/outbox/${heldId}/undo`, `/outbox/${heldId}/send`])
    assert.equal((await sam.call('POST', path)).body.error.code, 'TOO_LATE_TO_UNDO')

  const undone = await jane.call('POST', `/outbox/${heldId}/undo`)
  const { held } = undone.body
  assert.deepEqual(
    [held.body, held.replyTo, held.thenClose, held.attachments[0].id, held.problem, held.msLeft > 3_000],
    ['In your cellar.', questionId, true, fileId, null, true],
  )
  assert.equal((await jane.call('POST', `/outbox/${heldId}/undo`)).status, 409)
  await later(HOUR_MS)
  assert.deepEqual(await thread(id), ['Where is my bike?'])
  assert.equal(await statusOf(id), 'open')
  assert.deepEqual(
    await db.selectFrom('deliveries').select('message_id').where('workspace_id', '=', w).execute(),
    [],
  )
})

test('once their time has come, messages are sent once and in order, and then the conversation is closed', async () => {
  const conversation = await open()
  const { id } = conversation
  const fileId = await upload(jane, conversation)
  await send(jane, id, { body: 'One', undoSeconds: 20, attachmentIds: [fileId] })
  await hold(jane, id, { body: 'Two', thenClose: true })
  await later(4_000)
  assert.equal((await outboxOf(jane, id)).length, 2)
  assert.equal(await statusOf(id), 'open')
  const other = makeHeldSender({ ...deps, log: app.app.log })
  await Promise.all([later(21_000), other.sendDue()])
  assert.deepEqual((await thread(id)).slice(0, 3), ['Where is my bike?', 'One', 'Two'])
  assert.deepEqual(await outboxOf(jane, id), [])
  assert.equal(await statusOf(id), 'closed')
  const [file] = await db.selectFrom('attachments').select('message_id').where('id', '=', fileId).execute()
  assert.notEqual(file!.message_id, null)
  assert.equal(
    (await db.selectFrom('deliveries').select('message_id').where('conversation_id', '=', id).execute())
      .length,
    2,
  )
})

test('a conversation in which the customer has written meanwhile is not closed', async () => {
  const conversation = await open()
  await hold(jane, conversation.id, { body: 'Solved.', thenClose: true })
  await make.message(w, conversation, { body: 'One more thing' })
  await later(6_000)
  assert.deepEqual(await outboxOf(jane, conversation.id), [])
  assert.equal(await statusOf(conversation.id), 'open')
})

test('of undoing and sending at the same moment, exactly one wins, and the other is told', async () => {
  for (let round = 0; round < 10; round++) {
    const { id } = await open()
    const heldId = await hold(jane, id, { body: 'Now or never' })
    const [undone] = await Promise.all([jane.call('POST', `/outbox/${heldId}/undo`), later(6_000)])
    const isSent = (await thread(id)).includes('Now or never')
    assert.equal(undone.status, isSent ? 409 : 200)
    assert.equal(
      isSent ? undone.body.error.code : undone.body.held.body,
      isSent ? 'TOO_LATE_TO_UNDO' : 'Now or never',
    )
    assert.deepEqual(await outboxOf(jane, id), [])
  }
})

test('0 seconds sends at once, and so does the author before the time is over', async () => {
  const { id } = await open()
  assert.equal((await send(jane, id, { body: 'At once', undoSeconds: 0 })).body.message.body, 'At once')
  const heldId = await hold(jane, id, { body: 'Right now' })
  assert.equal((await jane.call('POST', `/outbox/${heldId}/send`)).body.message.body, 'Right now')
  await later(HOUR_MS)
  assert.deepEqual((await thread(id)).slice(1), ['At once', 'Right now'])
})

test('what cannot be sent when its time comes stays with its author, who sends it again or takes it back', async () => {
  const leaver = await make.agent(w, { role: 'admin' })
  const restricted = await makeMember(app, w, [])
  const [left, lost] = [await signIn(app, w, leaver.id), await signIn(app, w, restricted.id)]
  const [first, second] = [await open(), await open()]
  const own = { agent_id: restricted.id }
  await db.updateTable('conversations').set(own).where('id', '=', second.id).execute()
  await hold(left, first.id, { body: 'Bye' })
  const heldId = await hold(lost, second.id, { body: 'Mine' })
  const memberships = db.updateTable('memberships').where('account_id', '=', leaver.id)
  await memberships.set({ removed_at: clock.now() }).execute()
  await db.updateTable('conversations').set({ agent_id: null }).where('id', '=', second.id).execute()
  await later(6_000)
  assert.deepEqual(
    [await thread(first.id), await thread(second.id)],
    [['Where is my bike?'], ['Where is my bike?']],
  )
  const [mine] = await outboxOf(lost, second.id)
  assert.deepEqual(
    [mine.problem, mine.contactName],
    [{ code: 'CONVERSATION_NOT_FOUND', message: 'You no longer have access to this conversation.' }, null],
  )
  await memberships.set({ removed_at: null }).execute()
  assert.equal((await outboxOf(left, first.id))[0].problem.code, 'FORBIDDEN')

  await db.updateTable('conversations').set(own).where('id', '=', second.id).execute()
  await later(HOUR_MS)
  assert.equal((await outboxOf(lost, second.id)).length, 1, 'it is not tried again by itself')
  assert.equal((await lost.call('POST', `/outbox/${heldId}/send`)).status, 200)
  assert.deepEqual((await thread(second.id)).slice(1), ['Mine'])
})

test('what a send would be refused for is refused before it is held', async () => {
  const { id } = await make.conversation(w, { channel: 'whatsapp' })
  for (const [body, code] of [
    [{ body: 'Hello' }, 'WHATSAPP_SERVICE_WINDOW_CLOSED'],
    [{ body: 'Hello', undoSeconds: 7 }, 'VALIDATION_ERROR'],
  ] as const)
    assert.equal((await send(jane, id, body)).body.error.code, code)
  assert.deepEqual(await outboxOf(jane, id), [])
})

test('of two people who press send at the same moment, one is asked first', async () => {
  for (const undoSeconds of [0, 5]) {
    const { id, questionId } = await open()
    const answers = await Promise.all(
      [jane, sam].map((who) => send(who, id, { body: 'Hello', undoSeconds, seenMessageId: questionId })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    const loser = answers[0]!.status === 409 ? jane : sam
    const { error } = answers.find(({ status }) => status === 409)!.body
    assert.equal(error.code, 'REPLY_COLLISION')
    assert.match(
      error.message,
      undoSeconds === 0 ? /^(Jane|Sam) replied while you/ : /^(Jane|Sam) is about to send a reply/,
    )
    assert.equal((await send(loser, id, { body: 'Anyway', undoSeconds })).status, 200)
    await later(6_000)
    assert.equal((await thread(id)).length, 3)
  }
})

test('a reply since then stops a message when its time comes, unless a flow said it or it was to be sent anyway', async () => {
  const reply = async (senderId: string, body: object) => {
    const conversation = await open()
    await hold(jane, conversation.id, { body: 'Late', ...body })
    const senderType = senderId.startsWith('flow:') ? 'automation' : 'agent'
    await make.message(w, conversation, { senderType, senderId, body: 'Sooner' })
    await later(6_000)
    const [left] = await outboxOf(jane, conversation.id)
    return left?.problem.code ?? (await thread(conversation.id)).at(-1)
  }
  assert.equal(await reply(sam.accountId, { seenMessageId: null }), 'REPLY_COLLISION')
  assert.equal(await reply('flow:welcome', { seenMessageId: null }), 'Late')
  assert.equal(await reply(sam.accountId, {}), 'Late')
})

test('a file of a held message is kept, and can be sent and taken back after a day', async () => {
  const conversation = await open()
  const fileIds = [await upload(jane, conversation), await upload(jane, conversation)]
  const heldIds = []
  for (const id of fileIds) heldIds.push(await hold(jane, conversation.id, { attachmentIds: [id] }))
  const old = new Date(clock.now().getTime() - 48 * HOUR_MS)
  const kept = async () => {
    const swept = (await listUnbound(db, new Date(clock.now().getTime() - 24 * HOUR_MS), 1_000)).map(
      ({ id }) => id,
    )
    return fileIds.map((id) => !swept.includes(id))
  }
  await db.updateTable('attachments').set({ created_at: old }).where('id', 'in', fileIds).execute()
  assert.deepEqual(await kept(), [true, true])
  await jane.call('POST', `/outbox/${heldIds[0]}/undo`)
  assert.deepEqual(await kept(), [true, true])
  assert.equal((await jane.call('POST', `/outbox/${heldIds[1]}/send`)).status, 200)
})

test('each person sets for how long they can undo, and starts with 5 seconds', async () => {
  const seconds = async (who: Caller) =>
    (
      await app.app.inject({
        url: '/console/api/session',
        headers: { cookie: `foyer_session=${who.secret}` },
      })
    ).json().account.undoSeconds
  // What the tests' own people don't wait for.
  await db
    .insertInto('accounts')
    .values({
      id: 'cnewcomer00000000000000000',
      email: 'newcomer@example.com',
      nickname: 'Newcomer',
      nickname_key: 'newcomer',
      created_at: clock.now(),
    })
    .execute()
  assert.equal(await seconds(await signIn(app, w, 'cnewcomer00000000000000000')), 5)
  assert.equal((await jane.call('PUT', '/undo-seconds', { undoSeconds: 20 })).status, 200)
  assert.deepEqual([await seconds(jane), await seconds(sam)], [20, 0])
  assert.equal((await jane.call('PUT', '/undo-seconds', { undoSeconds: 3 })).status, 400)
})

test('holding and sending a message are a fixed number of statements, however many are held', async () => {
  const counted = async (work: () => Promise<unknown>) => {
    const before = database.statements.length
    await work()
    return countOwn(database.statements.slice(before))
  }
  const { id, questionId } = await open()
  const one = await counted(() => send(sam, id, { body: 'One', seenMessageId: questionId }))
  for (let count = 0; count < 5; count++) await send(sam, id, { body: 'More' })
  assert.equal(await counted(() => send(sam, id, { body: 'Last', seenMessageId: questionId })), one)
  const [first, ...rest] = await outboxOf(sam, id)
  const sent = await counted(() => sam.call('POST', `/outbox/${first.id}/send`))
  assert.equal(await counted(() => sam.call('POST', `/outbox/${rest.at(-1).id}/send`)), sent)
})
