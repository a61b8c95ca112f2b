// Conversations that people start from the console.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { startSmtp } from '../../../test/smtp.ts'
import { until } from '../../../test/until.ts'
import { receiveEmail } from '../../inbound/email/receive-email.ts'
import { connectMailbox, written } from '../../inbound/email/testing/mails.ts'

const app = await startApp({ worker: true })
const smtp = await startSmtp()
after(smtp.stop)
const { call, db, make } = app
const { id: w, token } = await make.workspace()
const mailbox = await connectMailbox(app, w, { smtpUrl: smtp.url })
const number = await make.channelAccount(w, 'sms')
const jane = await signIn(app, w, (await make.agent(w, { nickname: 'Jane', role: 'admin' })).id)

const start = (body: object) => jane.call('POST', '/new-conversation', body)
const conversationOf = (id: string) =>
  db.selectFrom('conversations').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('a new email is a thread of its own, assigned to whoever writes it, and replies join it', async () => {
  const ids: string[] = []
  for (const subject of ['Your order', 'Something else']) {
    const answer = await start({
      channelId: mailbox,
      body: `About ${subject}`,
      email: {
        to: [{ name: 'Ines Moreau', address: 'Ines@Example.com' }],
        cc: [{ address: 'colin@example.com' }],
        subject,
      },
    })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.created, true)
    ids.push(answer.body.conversationId)
  }
  assert.notEqual(ids[0], ids[1])
  const conversation = await conversationOf(ids[0]!)
  assert.deepEqual([conversation.subject, conversation.agent_id], ['Your order', jane.accountId])
  const { name } = await db
    .selectFrom('contacts')
    .select('name')
    .where('id', '=', conversation.contact_id)
    .executeTakeFirstOrThrow()
  assert.equal(name, 'Ines Moreau')
  await until(() => smtp.mailsTo('ines@example.com').length === 2, 'both emails')
  const [first] = smtp.mailsTo('ines@example.com')
  assert.deepEqual(first!.recipients, ['ines@example.com', 'colin@example.com'])
  assert.match(first!.text, /^Subject: Your order\r$/m)
  assert.doesNotMatch(first!.text, /^In-Reply-To:/m)
  const messageId = /^Message-ID:\s*(<[^>]+>)/im.exec(first!.text)?.[1]
  await receiveEmail(
    app.ctxOf(w),
    { id: mailbox, address: 'support@northwind.example', authenticationServers: [] },
    Buffer.from(written({ from: 'Ines <ines@example.com>', headers: [`In-Reply-To: ${messageId}`] })),
  )
  const { messages } = (await call(token, 'GET', `/conversations/${ids[0]}/messages`)).body
  assert.equal(messages[0].senderType, 'customer')
})

test('a new email can be undone before anybody gets it, and leaves no open conversation until it is sent after all', async () => {
  const { body } = await start({
    ...{ channelId: mailbox, body: 'Too early', undoSeconds: 20 },
    email: { to: [{ address: 'early@example.com' }], subject: 'Early' },
  })
  const { held } = (await jane.call('GET', '/outbox')).body
  const [one] = held.filter(
    ({ conversationId }: { conversationId: string }) => conversationId === body.conversationId,
  )
  const undone = await jane.call('POST', `/outbox/${one.id}/undo`)
  assert.deepEqual([undone.body.held.body, undone.body.held.email.subject], ['Too early', 'Early'])
  assert.equal(smtp.mailsTo('early@example.com').length, 0)
  const { conversationId } = body
  assert.equal((await conversationOf(conversationId)).status, 'closed')
  const email = { to: [{ address: 'early@example.com' }], subject: 'Early' }
  const again = { body: 'Now', undoSeconds: 20, email }
  const held2 = await jane.call('POST', `/conversations/${conversationId}/messages`, again)
  assert.equal(held2.status, 200, held2.text)
  assert.equal((await conversationOf(conversationId)).status, 'open')
  // With a note in it, there is something to keep open.
  await jane.call('POST', '/notes', { conversationId, body: 'Ask Colin first' })
  await jane.call('POST', `/outbox/${held2.body.held.id}/undo`)
  assert.equal((await conversationOf(conversationId)).status, 'open')
  const sent = await jane.call('POST', `/conversations/${conversationId}/messages`, {
    ...again,
    undoSeconds: 0,
  })
  assert.equal(sent.status, 200, sent.text)
  await until(() => smtp.mailsTo('early@example.com').length === 1, 'the email')
})

test('an SMS goes into the conversation that the number has, which is reopened, and else opens one', async () => {
  const first = await start({ channelId: number, phone: '+1 415 555 0123', name: 'Sam', body: 'Hello' })
  assert.equal(first.status, 200, first.text)
  const { conversationId } = first.body
  assert.equal((await conversationOf(conversationId)).channel, 'sms')
  await call(token, 'POST', `/conversations/${conversationId}/close`)
  const again = await start({ channelId: number, phone: '+14155550123', body: 'Again' })
  assert.deepEqual(again.body, { conversationId, created: false })
  assert.equal((await conversationOf(conversationId)).status, 'open')
  // The API doesn't send SMS.
  const api = await call(token, 'POST', `/conversations/${conversationId}/messages`, { body: 'No' })
  assert.equal(api.body.error.code, 'CHANNEL_NOT_SUPPORTED')
})

test('what can’t be sent starts nothing', async () => {
  const count = async (): Promise<number> =>
    (await db.selectFrom('conversations').select('id').where('workspace_id', '=', w).execute()).length
  const before = await count()
  const email = { to: [{ address: 'nobody@example.com' }] }
  const elsewhere = await connectMailbox(app, (await make.workspace()).id, { smtpUrl: smtp.url })
  const cases: [object, number, string][] = [
    [{ channelId: elsewhere, body: 'x', email }, 404, 'CHANNEL_NOT_FOUND'],
    [{ channelId: 'nothing', body: 'x', email }, 404, 'CHANNEL_NOT_FOUND'],
    [{ channelId: number, body: 'x', email }, 400, 'VALIDATION_ERROR'],
    [{ channelId: mailbox, body: 'x', phone: '+14155550123' }, 400, 'VALIDATION_ERROR'],
    [{ channelId: mailbox, body: '', email }, 400, 'VALIDATION_ERROR'],
    [{ channelId: number, body: 'x', phone: '12' }, 400, 'VALIDATION_ERROR'],
    [{ channelId: number, body: '', phone: '+14155550124' }, 400, 'VALIDATION_ERROR'],
    [{ channelId: mailbox, body: 'x' }, 400, 'VALIDATION_ERROR'],
    [{ channelId: mailbox, body: 'x', email: { to: [] } }, 400, 'VALIDATION_ERROR'],
  ]
  for (const [body, status, code] of cases) {
    const answer = await start(body)
    assert.deepEqual([answer.status, answer.body.error.code], [status, code], JSON.stringify(body))
  }
  assert.equal(await count(), before)
})

test('the senders are the workspace’s mailboxes and numbers, without anything secret', async () => {
  await make.channelAccount(w, 'web')
  const { senders } = (await jane.call('GET', '/new-conversation/senders')).body
  assert.deepEqual(
    senders.map(({ id, channel }: { id: string; channel: string }) => [id, channel]),
    [
      [mailbox, 'email'],
      [number, 'sms'],
    ],
  )
  assert.deepEqual(Object.keys(senders[0]).sort(), ['address', 'channel', 'id', 'name'])
})
