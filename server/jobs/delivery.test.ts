import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { DeliveryError, type OutboundMessage } from '../../channels/channel.ts'
import { startApp } from '../../test/app.ts'
import { startSmtp } from '../../test/smtp.ts'
import { until } from '../../test/until.ts'
import { addChannelAccount } from '../domain/channel-accounts/add-channel-account.ts'
import { advanceStatus } from '../domain/messages/message-status.ts'
import { DELIVERY_TIMING } from './delivery-timing.ts'
import { sweepDeliveries } from './sweep-deliveries.ts'
import { startWorker } from './worker.ts'

/** A provider where resending is never harmless; each message's body sets its behavior. */
const telegram = {
  delivery: 'sent' as const,
  isResendHarmless: false,
  calls: [] as OutboundMessage[],
  release: new Map<string, () => void>(),
  send: async (_account: unknown, message: OutboundMessage) => {
    telegram.calls.push(message)
    const times = telegram.calls.filter(({ id }) => id === message.id).length
    const [word] = message.body.split(' ')
    if (word === 'refuse') throw new DeliveryError('refused', '403', 'Blocked by the user.')
    if (word === 'unknown') throw new DeliveryError('unknown', 'ECONNRESET', 'The connection broke.')
    if (word === 'bug') throw new TypeError('a bug')
    if (word === 'twice' && times < 3) throw new DeliveryError('retry', '429', 'Too fast.')
    if (word === 'patience' && times === 1)
      throw new DeliveryError('retry', '429', 'Too fast.', { retryAfterMs: 400 })
    if (word === 'hold') await new Promise<void>((resolve) => telegram.release.set(message.body, resolve))
    if (word === 'late') {
      await new Promise<void>((resolve) => telegram.release.set(message.body, resolve))
      throw new DeliveryError('retry', '429', 'Too fast.')
    }
    return { externalId: `tg-${message.id}` }
  },
}

/** Five seconds outside the tests. */
const SETTLE_MS = 1_500
const timing = { backoffMinMs: 20, backoffMaxMs: 100, sendTimeoutMs: 4_000 }
const { call, ctxOf, database, db, deps, make, seal, app, worker } = await startApp({
  // Only what delivery needs of a channel.
  channels: { telegram: telegram as never },
  worker: timing,
  deps: { settleMs: SETTLE_MS },
})
const smtp = await startSmtp()
after(smtp.stop)
const workspace = await make.workspace({ name: 'Northwind' })
const ctx = ctxOf(workspace.id)

const emailAccount = (smtpUrl = smtp.url) =>
  addChannelAccount(
    { ...ctx, seal, publicUrl: 'http://foyer.test' },
    { channel: 'email', fields: { address: 'support@northwind.example', smtpUrl } },
  )
await emailAccount()

let people = 0
const createByEmail = async (extra: object = {}) => {
  const email = `person${people++}@example.com`
  const { body } = await call(workspace.token, 'POST', '/conversations', { email, name: 'Maria', ...extra })
  return { email, ...body }
}

const send = async (conversationId: string, body: string) => {
  const answer = await call(workspace.token, 'POST', `/conversations/${conversationId}/messages`, { body })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.message
}

const messageRow = (id: string) =>
  db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const deliveryRow = (messageId: string) =>
  db.selectFrom('deliveries').selectAll().where('message_id', '=', messageId).executeTakeFirstOrThrow()
const statusIs = (id: string, status: string) =>
  until(async () => (await messageRow(id)).status === status, `message ${id} to be ${status}`)
const callsFor = (id: string) => telegram.calls.filter((message) => message.id === id).length

// Email -----------------------------------------------------------------------------------------------------------

test('an email is sent with our own Message-ID, and the response says sent', async () => {
  const { email, conversation, message } = await createByEmail({
    subject: 'Your repair\r\nBcc: everybody@example.com',
    message: 'Hello <b>Maria</b>\n\nIt is ready.\nCome by.',
  })
  assert.equal(message.status, 'sent')
  const [mail] = smtp.mailsTo(email)
  assert.ok(mail)
  assert.deepEqual(mail.recipients, [email])
  assert.match(
    mail.text,
    new RegExp(`^Message-ID:\\s+<${message.id}\\.[a-z2-7]{16}@northwind.example>\r$`, 'm'),
  )
  assert.match(mail.text, /^From: Northwind <support@northwind.example>\r$/m)
  assert.match(mail.text, new RegExp(`^To: Maria <${email}>\r$`, 'm'))
  assert.match(mail.text, /^Subject: Your repair Bcc: everybody@example.com\r$/m)
  assert.doesNotMatch(mail.text, /^Bcc:/m)
  assert.match(mail.text, /Hello <b>Maria<\/b>\r\n\r\nIt is ready\.\r\nCome by\./)
  assert.doesNotMatch(mail.text, /text\/html|multipart/)
  assert.equal((await messageRow(message.id)).external_id, /^Message-ID:\s+(.*)\r$/m.exec(mail.text)?.[1])
  assert.equal((await deliveryRow(message.id)).state, 'accepted')
  const list = await db
    .selectFrom('conversations')
    .select('last_message_status')
    .where('id', '=', conversation.id)
    .executeTakeFirstOrThrow()
  assert.equal(list.last_message_status, 'sent')
})

test('a message that a mail server defers is retried until it is accepted', async () => {
  const { email, conversation } = await createByEmail()
  smtp.answer(email, { code: 451, times: 2 })
  const message = await send(conversation.id, 'Greylisted')
  assert.equal(message.status, 'sent')
  assert.equal((await deliveryRow(message.id)).tries, 3)
  assert.equal(smtp.mailsTo(email).length, 1)
})

test('a rejection by the mail server fails the message with its reason, and the next one is sent', async () => {
  const { email, conversation } = await createByEmail()
  smtp.answer(email, { code: 550, times: 1 })
  const message = await send(conversation.id, 'Nobody')
  assert.equal(message.status, 'failed')
  assert.equal(message.metadata.error.code, 'SMTP_550')
  assert.match(message.metadata.error.message, /550/)
  assert.equal((await send(conversation.id, 'Somebody')).status, 'sent')
})

test('a message whose connection broke before the response is retried with the same Message-ID', async () => {
  const { email, conversation } = await createByEmail()
  smtp.answer(email, { breaks: true, times: 1 })
  const message = await send(conversation.id, 'Broken')
  await statusIs(message.id, 'sent')
  const ids = smtp.attemptsTo(email).map(({ text }) => /^Message-ID:\s+(.*)\r$/m.exec(text)?.[1])
  assert.deepEqual(ids, [ids[0], ids[0]])
})

test('if the mail server hangs, the request returns queued after the waiting time', async () => {
  const { email, conversation } = await createByEmail()
  smtp.answer(email, { hangs: true, times: 1 })
  const startMs = performance.now()
  const message = await send(conversation.id, 'Hanging')
  const elapsedMs = performance.now() - startMs
  assert.equal(message.status, 'queued')
  assert.ok(elapsedMs > SETTLE_MS - 100, `${elapsedMs} ms`)
  await statusIs(message.id, 'sent')
})

test('while the mail server is unreachable, messages wait, and are sent in order once it is back', async () => {
  const down = await startSmtp()
  await down.stop()
  const elsewhere = await make.workspace()
  await addChannelAccount(
    { ...ctxOf(elsewhere.id), seal, publicUrl: 'http://foyer.test' },
    { channel: 'email', fields: { address: 'help@elsewhere.example', smtpUrl: down.url } },
  )
  const created = await call(elsewhere.token, 'POST', '/conversations', { email: 'ola@example.com' })
  const path = `/conversations/${created.body.conversation.id}/messages`
  const sending = ['one', 'two', 'three'].map((body) => call(elsewhere.token, 'POST', path, { body }))
  await until(async () => {
    const rows = await db
      .selectFrom('deliveries')
      .select('tries')
      .where('workspace_id', '=', elsewhere.id)
      .execute()
    return rows.length === 3 && rows.some(({ tries }) => tries > 1)
  }, 'a try that failed')
  const back = await startSmtp({ port: down.port })
  after(back.stop)
  const answers = await Promise.all(sending)
  for (const { body } of answers) await statusIs(body.message.id, 'sent')
  const inOrder = answers.map(({ body }) => body.message).sort((a, b) => (a.id < b.id ? -1 : 1))
  assert.deepEqual(
    back.mailsTo('ola@example.com').map(({ text }) => /^Message-ID:\s+<(c\w+)\./m.exec(text)?.[1]),
    inOrder.map(({ id }) => id),
  )
})

test('more concurrent messages than mail server connections are all sent, each once', async () => {
  const created = await Promise.all(Array.from({ length: 15 }, () => createByEmail()))
  await Promise.all(created.map(({ conversation }) => send(conversation.id, 'Many')))
  for (const { email } of created) {
    await until(() => smtp.mailsTo(email).length > 0, `the mail to ${email}`)
    assert.equal(smtp.attemptsTo(email).length, 1)
  }
})

// A provider that may have sent it -----------------------------------------------------------------------------------

const telegramConversation = async () => {
  const contact = await make.contact(workspace.id)
  return make.conversation(workspace.id, { contactId: contact.id, channel: 'telegram' })
}

test('thirty messages of one conversation are sent in the order in which they were accepted', async () => {
  const { id } = await telegramConversation()
  const messages = await Promise.all(Array.from({ length: 30 }, (_, index) => send(id, `No. ${index}`)))
  const inOrder = messages.map((message) => message.id).sort()
  await statusIs(inOrder.at(-1)!, 'sent')
  const left = telegram.calls
    .filter(({ conversationId }) => conversationId === id)
    .map((message) => message.id)
  assert.deepEqual(left, inOrder)
})

test('a rate-limited message is retried after the delay the provider asks for', async () => {
  const { id } = await telegramConversation()
  const twice = await send(id, 'twice')
  assert.equal(twice.status, 'sent')
  assert.equal(callsFor(twice.id), 3)
  const startMs = performance.now()
  const patience = await send(id, 'patience')
  assert.equal(patience.status, 'sent')
  assert.ok(performance.now() - startMs >= 400)
})

test('a rejection fails the message, and the next one is sent', async () => {
  const { id } = await telegramConversation()
  const refused = await send(id, 'refuse')
  assert.equal(refused.status, 'failed')
  assert.deepEqual(refused.metadata, { error: { code: '403', message: 'Blocked by the user.' } })
  assert.equal((await send(id, 'fine')).status, 'sent')
})

const sweepLater = (ms: number) =>
  sweepDeliveries(
    {
      db,
      searchDb: deps.searchDb,
      channels: deps.channels,
      stream: deps.stream,
      seal,
      files: deps.files,
      publicUrl: deps.publicUrl,
      log: app.log,
      now: () => new Date(Date.now() + ms),
      timing: DELIVERY_TIMING,
      isStopping: () => false,
    },
    {},
  )

test('a message with an unknown outcome is never resent, blocks no others, fails after ten minutes, and a later report corrects it', async () => {
  const { id } = await telegramConversation()
  const bodies = ['unknown', 'bug', 'behind']
  // The first two take the full timeout, so they run concurrently.
  const [unknown, bug, behind] = await Promise.all(bodies.map((body) => send(id, body)))
  assert.deepEqual([unknown.status, bug.status, behind.status], ['queued', 'queued', 'sent'])
  assert.equal((await deliveryRow(unknown.id)).state, 'unconfirmed')
  await sweepLater(9 * 60_000)
  assert.equal((await messageRow(unknown.id)).status, 'queued')
  await sweepLater(10 * 60_000 + 1_000)
  const failed = await messageRow(unknown.id)
  assert.equal(failed.status, 'failed')
  assert.equal((await deliveryRow(unknown.id)).error_code, 'DELIVERY_UNCONFIRMED')
  assert.match(JSON.stringify(failed.metadata), /"code":"DELIVERY_UNCONFIRMED"/)
  await advanceStatus(ctx, [unknown.id], 'sent')
  assert.equal((await messageRow(unknown.id)).status, 'sent')
  assert.equal((await deliveryRow(unknown.id)).state, 'accepted')
  assert.equal(callsFor(unknown.id), 1)
  assert.equal(callsFor(bug.id), 1)
})

test('a status that arrives before the response to the send counts, and the response does not undo it', async () => {
  const { id } = await telegramConversation()
  const sending = send(id, 'hold early')
  await until(() => telegram.release.has('hold early'), 'the call')
  const message = telegram.calls.find(({ body }) => body === 'hold early')!
  await advanceStatus(ctx, [message.id], 'delivered')
  assert.equal((await sending).status, 'delivered')
  telegram.release.get('hold early')!()
  await until(async () => (await deliveryRow(message.id)).state === 'accepted', 'the outcome')
  assert.equal((await messageRow(message.id)).status, 'delivered')
})

test('a message whose worker died while sending has an unknown outcome and is not resent', async () => {
  const { id } = await telegramConversation()
  const sending = send(id, 'hold dead')
  await until(() => telegram.release.has('hold dead'), 'the call')
  const message = telegram.calls.find(({ body }) => body === 'hold dead')!
  await sweepLater(24_000)
  assert.equal((await deliveryRow(message.id)).state, 'sending')
  await sweepLater(26_000)
  assert.equal((await deliveryRow(message.id)).state, 'unconfirmed')
  // The worker was slow, not dead: its result still counts.
  telegram.release.get('hold dead')!()
  assert.equal((await sending).status, 'sent')
  assert.equal((await deliveryRow(message.id)).state, 'accepted')
  assert.equal(callsFor(message.id), 1)
})

test('a status that arrives before an abandoned claim is released stays: only messages without any report fail', async () => {
  const { id } = await telegramConversation()
  const sending = send(id, 'hold heard')
  await until(() => telegram.release.has('hold heard'), 'the call')
  const message = telegram.calls.find(({ body }) => body === 'hold heard')!
  await advanceStatus(ctx, [message.id], 'sent')
  await sweepLater(26_000)
  assert.equal((await deliveryRow(message.id)).state, 'accepted')
  await sweepLater(10 * 60_000 + 1_000)
  assert.equal((await messageRow(message.id)).status, 'sent')
  const silence = { code: 'DELIVERY_UNCONFIRMED', message: 'nothing was heard' }
  assert.deepEqual(await advanceStatus(ctx, [message.id], 'failed', silence), [])
  assert.equal((await deliveryRow(message.id)).state, 'accepted')
  telegram.release.get('hold heard')!()
  assert.equal((await sending).status, 'sent')
})

test("a message that can't be sent for a day fails", async () => {
  const { id } = await telegramConversation()
  const sending = send(id, 'late')
  await until(() => telegram.release.has('late'), 'the call')
  const { id: messageId } = telegram.calls.find(({ body }) => body === 'late')!
  const aDayAgo = Date.now() - 24 * 3_600_000
  await db
    .updateTable('deliveries')
    .set({ created_at: new Date(aDayAgo) })
    .where('message_id', '=', messageId)
    .execute()
  // The running attempt uses the delivery as it was; the next one uses the changed row.
  telegram.release.get('late')!()
  await until(() => callsFor(messageId) === 2, 'the second try')
  telegram.release.get('late')!()
  const message = await sending
  assert.equal(message.status, 'failed')
  assert.equal(message.metadata.error.code, '429')
})

test('two concurrent workers send everything once and in order', async (t) => {
  const jobs = {
    db,
    searchDb: deps.searchDb,
    channels: deps.channels,
    stream: deps.stream,
    seal,
    files: deps.files,
    publicUrl: deps.publicUrl,
    log: app.log,
  }
  const second = await startWorker({
    connectionString: database.connectionString,
    deps: { ...jobs, now: () => new Date() },
    timing,
  })
  t.after(second.stop)
  const conversations = await Promise.all(Array.from({ length: 12 }, telegramConversation))
  const messages: string[] = []
  // All at once would be refused by a busy machine.
  for (let at = 0; at < conversations.length; at += 3)
    for (const { id } of await Promise.all(
      conversations
        .slice(at, at + 3)
        .flatMap(({ id }) => Array.from({ length: 8 }, (_, index) => send(id, `No. ${index}`))),
    ))
      messages.push(id)
  for (const id of messages) await statusIs(id, 'sent')
  assert.deepEqual(
    messages.map(callsFor),
    messages.map(() => 1),
  )
  for (const { id } of conversations) {
    const left = telegram.calls.filter(({ conversationId }) => conversationId === id).map((call) => call.id)
    assert.deepEqual(left, left.toSorted())
  }
})

test('a job queue that lost its database connections recovers', async () => {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
    .execute(db)
    .catch(() => {})
  const { id } = await telegramConversation()
  const message = await send(id, 'afterwards')
  await statusIs(message.id, 'sent')
})

test('a stopping worker finishes the running call and starts no others', async () => {
  const { id } = await telegramConversation()
  const sending = [send(id, 'hold stop'), send(id, 'after stop')]
  await until(() => telegram.release.has('hold stop'), 'the call')
  let isStopped = false
  const stopping = worker!.stop().then(() => {
    isStopped = true
  })
  // Enough time to stop if there were nothing to wait for.
  for (let turn = 0; turn < 20; turn++) await sql`select 1`.execute(db)
  assert.equal(isStopped, false)
  telegram.release.get('hold stop')!()
  await stopping
  const [first, second] = await Promise.all(sending)
  const statuses = [first, second].map(({ body, status }) => [body, status])
  assert.ok(statuses.some(([body, status]) => body === 'hold stop' && status === 'sent'))
  // Either may have been accepted first; the other waits for the next worker.
  if (telegram.calls.every(({ body }) => body !== 'after stop')) assert.equal(second.status, 'queued')
})
