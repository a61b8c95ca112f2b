import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { startSmtp } from '../../../test/smtp.ts'
import { findEmailContent } from '../../domain/emails/queries.ts'
import { prepareEmail, receiveEmail, storeEmails } from './receive-email.ts'
import { OPENED_MAX } from './receive-mail.ts'
import { connectMailbox, deliverMail, dsn, INBOUND_SECRET, MAILBOX, written } from './testing/mails.ts'

const app = await startApp({ worker: true, deps: { settleMs: 10_000 } })
const smtp = await startSmtp()
after(smtp.stop)
const { call, db, make } = app

/** A separate workspace with a mailbox. */
const fresh = async (fields: Record<string, string> = {}) => {
  const workspace = await make.workspace()
  const channelId = await connectMailbox(app, workspace.id, { smtpUrl: smtp.url, ...fields })
  const servers = fields.authservId ? [fields.authservId] : []
  const account = { id: channelId, address: MAILBOX, authenticationServers: servers }
  const ctx = app.ctxOf(workspace.id)
  return {
    workspace,
    channelId,
    account,
    ctx,
    receive: (raw: string | Buffer) => receiveEmail(ctx, account, Buffer.from(raw)),
    deliver: (raw: string | Buffer) => deliverMail(app, channelId, raw),
    conversations: async () =>
      (await call(workspace.token, 'GET', '/conversations?sort=created')).body.conversations.reverse(),
    thread: async (id: string) =>
      (await call(workspace.token, 'GET', `/conversations/${id}/messages`)).body.messages.reverse(),
    contacts: async () => (await call(workspace.token, 'GET', '/contacts?sort=created')).body.contacts,
    leftovers: () =>
      db.selectFrom('webhook_leftovers').selectAll().where('workspace_id', '=', workspace.id).execute(),
    answer: async (conversationId: string, body = 'Yes, we do.') =>
      (await call(workspace.token, 'POST', `/conversations/${conversationId}/messages`, { body })).body
        .message,
    close: (id: string) => call(workspace.token, 'POST', `/conversations/${id}/close`),
  }
}

const headerOf = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}:((?:.*\r\n[ \t])*.*)`, 'im').exec(text)?.[1]?.replace(/\r\n/g, '').trim()

// The route --------------------------------------------------------------------------------------------------------

test('an email without the right secret is 401 and stores nothing', async () => {
  const { channelId, conversations, leftovers } = await fresh()
  for (const authorization of ['', 'Bearer ', 'Bearer wrong', INBOUND_SECRET, `Basic ${INBOUND_SECRET}`])
    assert.equal((await deliverMail(app, channelId, written(), { authorization })).status, 401)
  const silent = await fresh({ inboundSecret: '' }).catch(() => undefined)
  if (silent) assert.equal((await silent.deliver(written())).status, 401)
  assert.deepEqual([await conversations(), await leftovers()], [[], []])
})

test('an unknown mailbox or a channel of another type is 404; another method is 405', async () => {
  const { workspace, channelId } = await fresh()
  const web = await make.channelAccount(workspace.id, 'web')
  for (const id of [web, 'nothing', 'c'.padEnd(25, '0')])
    assert.equal((await deliverMail(app, id, written())).status, 404)
  assert.equal((await app.app.inject(`/webhooks/email/${channelId}`)).statusCode, 405)
})

test('an email over 35 MiB is 413, and an empty body 400', async () => {
  const { channelId, deliver } = await fresh()
  const { status, body } = await deliver(Buffer.alloc(35 * 1024 * 1024 + 1, 'a'))
  assert.equal(status, 413)
  assert.match(body, /"The body is larger than 35 MiB\."/)
  assert.equal((await deliverMail(app, channelId, Buffer.alloc(0))).status, 400)
})

test('an email creates a contact, a conversation and a message; a repeat changes nothing', async () => {
  const { deliver, conversations, contacts, thread } = await fresh()
  const raw = written({ text: 'Do you have it in green?\r\n\r\n-- \r\nInes' })
  assert.deepEqual((await deliver(raw)).status, 200)
  assert.deepEqual((await deliver(raw)).status, 200)
  const [conversation, ...more] = await conversations()
  assert.equal(more.length, 0)
  assert.equal(conversation.channel, 'email')
  assert.equal(conversation.subject, 'A question')
  const [contact] = await contacts()
  assert.deepEqual([contact.name, contact.email], ['Ines Moreau', 'ines@example.com'])
  const messages = await thread(conversation.id)
  assert.equal(messages.length, 1)
  assert.equal(messages[0].body, 'Do you have it in green?')
  assert.equal(messages[0].senderType, 'customer')
  assert.equal(messages[0].metadata.from.address, 'ines@example.com')
  assert.equal(messages[0].metadata.subject, 'A question')
})

test('a hundred concurrent emails are all stored', async () => {
  const { deliver, workspace } = await fresh()
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => deliver(written({ from: `p${at}@many.example` }))),
  )
  assert.ok(answers.every(({ status }) => status === 200))
  const { rows } = await app.database.pool.query(
    'select count(*)::int as count from messages where workspace_id = $1',
    [workspace.id],
  )
  assert.equal(rows[0].count, 100)
})

test('senders that disconnect midway free their slots', async () => {
  const { channelId, deliver } = await fresh()
  const { connect } = await import('node:net')
  const address = await app.app.listen({ port: 0, host: '127.0.0.1' })
  const broken = Array.from({ length: 30 }, async () => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    socket.on('error', () => {})
    const written = new Promise<void>((resolve) => socket.once('connect', () => resolve()))
    socket.write(
      `POST /webhooks/email/${channelId} HTTP/1.1\r\nHost: x\r\nContent-Type: message/rfc822\r\nAuthorization: Bearer ${INBOUND_SECRET}\r\nContent-Length: 1000\r\n\r\nFrom: a@b`,
    )
    await written
    await new Promise((resolve) => setImmediate(resolve))
    socket.destroy()
  })
  await Promise.all(broken)
  assert.equal((await deliver(written())).status, 200)
})

test('a repeat of an email without a Message-ID is recognized by its content, and replies use its subject', async () => {
  const { receive, conversations, answer } = await fresh()
  const email = 'without-id@example.com'
  const raw = written({ id: '', from: email })
  assert.equal((await receive(raw)).is, 'stored')
  const [conversation] = await conversations()
  await answer(conversation.id)
  const [mail] = smtp.mailsTo(email)
  assert.equal(headerOf(mail!.text, 'Subject'), 'Re: A question')
  assert.equal(headerOf(mail!.text, 'In-Reply-To'), undefined)
  // Servers on the way add headers.
  assert.equal(
    (await receive(`Received: from a by b; Tue, 12 Mar 2024 10:15:00 +0100\r\n${raw}`)).is,
    'repeat',
  )
  assert.equal((await receive(written({ id: '', text: 'Another one' }))).is, 'stored')
})

test('the same email twenty times concurrently is stored once', async () => {
  const { receive, conversations, thread } = await fresh()
  const raw = written()
  const results = await Promise.all(Array.from({ length: 20 }, () => receive(raw)))
  assert.equal(results.filter(({ is }) => is === 'stored').length, 1)
  assert.equal(results.filter(({ is }) => is === 'repeat').length, 19)
  const [conversation, ...more] = await conversations()
  assert.equal(more.length, 0)
  assert.equal((await thread(conversation.id)).length, 1)
})

test('no email is lost if a program gives all of them the same id', async () => {
  const { receive } = await fresh()
  const raw = (date: string) => written({ id: '<form@shop.example>' }).replace(/^Date: .*$/m, `Date: ${date}`)
  assert.equal((await receive(raw('Tue, 12 Mar 2024 10:00:00 +0000'))).is, 'stored')
  assert.equal((await receive(raw('Tue, 12 Mar 2024 11:00:00 +0000'))).is, 'stored')
  assert.equal((await receive(raw('Tue, 12 Mar 2024 11:00:00 +0000'))).is, 'repeat')
})

// Threads ----------------------------------------------------------------------------------------------------------

test("a reply has its thread's headers, and the customer's answer returns to the thread", async () => {
  const { receive, conversations, thread, answer } = await fresh()
  const id = '<first.1@mail.example.com>'
  const email = 'thread1@example.com'
  await receive(written({ id, from: `Ines <${email}>`, headers: ['References: <older@mail.example.com>'] }))
  const [conversation] = await conversations()
  const sent = await answer(conversation.id)
  assert.equal(sent.status, 'sent')
  const [mail] = smtp.mailsTo(email)
  assert.equal(headerOf(mail!.text, 'In-Reply-To'), id)
  assert.equal(headerOf(mail!.text, 'References'), `<older@mail.example.com> ${id}`)
  assert.equal(headerOf(mail!.text, 'Subject'), 'Re: A question')
  assert.equal(headerOf(mail!.text, 'Auto-Submitted'), undefined)
  assert.equal(headerOf(mail!.text, 'Reply-To'), undefined)
  const ours = headerOf(mail!.text, 'Message-ID')!
  assert.match(ours, new RegExp(`^<${sent.id}\\.[a-z2-7]{16}@northwind\\.example>$`))

  await receive(
    written({
      from: `Ines <${email}>`,
      subject: 'Something else altogether',
      headers: [`In-Reply-To: ${ours}`],
      text: 'Then I take two.\r\n\r\nOn Tue, Mar 12, 2024 at 11:00 AM Northwind <support@northwind.example> wrote:\r\n> Yes, we do.',
    }),
  )
  assert.equal((await conversations()).length, 1)
  const messages = await thread(conversation.id)
  assert.deepEqual(
    messages.map(({ body }: { body: string }) => body),
    ['Do you have it in green?', 'Yes, we do.', 'Then I take two.'],
  )
  const content = await findEmailContent(app.ctxOf((await ws(conversation.id))!), messages[2].id)
  assert.match(content!.text!, /Yes, we do/)
  await answer(conversation.id, 'Two it is.')
  assert.equal(headerOf(smtp.mailsTo(email)[1]!.text, 'Subject'), 'Re: Something else altogether')
})

const ws = async (conversationId: string): Promise<string | undefined> =>
  (
    await db
      .selectFrom('conversations')
      .select('workspace_id')
      .where('id', '=', conversationId)
      .executeTakeFirst()
  )?.workspace_id

test('an email that refers to one in the same mailbox joins its thread by References, oldest to newest', async () => {
  const { receive, conversations } = await fresh()
  await receive(written({ id: '<a@x.example>' }))
  await receive(written({ headers: ['References: <lost@x.example> <a@x.example> <unknown@x.example>'] }))
  assert.equal((await conversations()).length, 1)
})

test('the same subject alone starts another conversation', async () => {
  const { receive, conversations } = await fresh()
  await receive(written())
  await receive(written({ subject: 'Re: A question' }))
  assert.equal((await conversations()).length, 2)
})

test('threads of another mailbox or workspace are not matched', async () => {
  const [one, other] = [await fresh(), await fresh()]
  await one.receive(written({ id: '<known@x.example>' }))
  await other.receive(written({ headers: ['In-Reply-To: <known@x.example>'] }))
  assert.equal((await other.conversations()).length, 1)
  const [conversation] = await one.conversations()
  const sent = await one.answer(conversation.id)
  const stored = await db
    .selectFrom('messages')
    .select('external_id')
    .where('id', '=', sent.id)
    .executeTakeFirst()
  await other.receive(
    written({ from: 'Ines <ines@example.com>', headers: [`In-Reply-To: ${stored!.external_id}`] }),
  )
  assert.equal((await one.thread(conversation.id)).length, 2)
  assert.equal((await other.conversations()).length, 2)
})

test("a stranger who knows a thread's ids gets a separate conversation that links to it", async () => {
  const { receive, conversations, thread, answer } = await fresh()
  await receive(written({ id: '<private@x.example>' }))
  const [conversation] = await conversations()
  const sent = await answer(conversation.id)
  const ours = (await db
    .selectFrom('messages')
    .select('external_id')
    .where('id', '=', sent.id)
    .executeTakeFirst())!.external_id!
  for (const id of ['<private@x.example>', ours])
    await receive(written({ from: 'Mallory <mallory@evil.example>', headers: [`In-Reply-To: ${id}`] }))
  assert.equal((await thread(conversation.id)).length, 2)
  const [, stranger] = await conversations()
  assert.equal(stranger.contact.email, 'mallory@evil.example')
  const [message] = await thread(stranger.id)
  assert.equal(message.metadata.relatedConversationId, conversation.id)
})

test("a forged sender that failed the receiving server's checks joins no thread and verifies nothing", async () => {
  const { receive, conversations, thread } = await fresh()
  await receive(written({ id: '<private2@x.example>' }))
  await receive(
    written({
      headers: [
        'In-Reply-To: <private2@x.example>',
        'Authentication-Results: mx.northwind.example; spf=fail; dkim=none; dmarc=fail header.from=example.com',
      ],
    }),
  )
  const all = await conversations()
  assert.equal(all.length, 2)
  const [message] = await thread(all[1].id)
  assert.deepEqual([message.metadata.unproven, message.metadata.senderVerification], [true, 'failed'])
})

test('an email address is verified only once an email from it has passed, and its sender can be found before that', async () => {
  const { workspace, deliver, conversations } = await fresh({ authservId: 'mx.northwind.example' })
  const ours = 'Authentication-Results: mx.northwind.example;'
  const verifiedAfter = async (headers: string[]) => {
    await deliver(written({ headers }))
    const people = [
      ...new Set((await conversations()).map(({ contact }: { contact: { id: string } }) => contact.id)),
    ]
    assert.equal(people.length, 1)
    return (await call(workspace.token, 'GET', `/contacts/${people[0]}`)).body.contact.emailVerified
  }
  assert.equal(await verifiedAfter([]), false)
  assert.equal(await verifiedAfter([`${ours} dmarc=none`]), false)
  assert.equal(await verifiedAfter([`${ours} dmarc=fail header.from=example.com`]), false)
  assert.equal(await verifiedAfter([`${ours} dmarc=pass header.from=example.com`]), true)
  assert.equal(await verifiedAfter([]), true)
})

test('a forged result in a value, a comment or a second header gives no access to a thread', async () => {
  const { deliver, conversations, thread } = await fresh({ authservId: 'mx.northwind.example' })
  await deliver(written({ id: '<private3@x.example>' }))
  const ours = 'Authentication-Results: mx.northwind.example;'
  const fail = 'dmarc=fail header.from=example.com'
  const pass = 'dmarc=pass header.from=example.com'
  for (const headers of [
    [`${ours} spf=pass smtp.mailfrom=dmarc=pass@evil.example; ${fail}`],
    [`${ours} dmarc=fail (dmarc=pass) header.from=example.com`],
    [`${ours} ${fail}`, `${ours} ${pass}`],
    [`Authentication-Results: mx.evil.example; ${pass}`, `${ours} ${fail}`],
  ])
    await deliver(written({ headers: ['In-Reply-To: <private3@x.example>', ...headers] }))
  const [first, ...others] = await conversations()
  assert.equal((await thread(first.id)).length, 1)
  for (const { id } of others) assert.equal((await thread(id))[0].metadata.senderVerification, 'failed')
  await deliver(written({ headers: ['In-Reply-To: <private3@x.example>', `${ours} ${pass}`] }))
  await deliver(written({ headers: ['In-Reply-To: <private3@x.example>'] }))
  assert.deepEqual(
    (await thread(first.id)).map(
      ({ metadata }: { metadata: { senderVerification: string } }) => metadata.senderVerification,
    ),
    ['absent', 'verified', 'absent'],
  )
})

test('a token in the address matches a reply to its thread even without headers; a forged one does not', async () => {
  const { receive, conversations, answer, thread } = await fresh({ plusAddressing: 'true' })
  const email = 'token@example.com'
  await receive(written({ from: email }))
  const [conversation] = await conversations()
  await answer(conversation.id)
  const replyTo = /<([^>]+)>/.exec(headerOf(smtp.mailsTo(email)[0]!.text, 'Reply-To')!)![1]!
  assert.match(replyTo, /^support\+c[a-z0-9]{24}\.[a-z2-7]{16}@northwind\.example$/)
  await receive(written({ from: email, to: replyTo.toUpperCase() }))
  assert.equal((await thread(conversation.id)).length, 3)
  // To an alias: only the servers on the way recorded it.
  const trace = `from a.example (a.example [192.0.2.1])\r\n\tby mx.northwind.example with ESMTPS id 1\r\n\tfor <${replyTo}>; Tue, 12 Mar 2024 10:15:00 +0100`
  await receive(`Received: ${trace}\r\n${written({ from: email, to: 'desk@northwind.example' })}`)
  assert.equal((await thread(conversation.id)).length, 4)
  const last = replyTo.indexOf('@') - 1
  const forged = `${replyTo.slice(0, last)}${replyTo[last] === 'a' ? 'b' : 'a'}${replyTo.slice(last + 1)}`
  await receive(written({ from: email, to: forged }))
  await receive(written({ from: 'Mallory <m@evil.example>', to: replyTo }))
  assert.equal((await thread(conversation.id)).length, 4)
  assert.equal((await conversations()).length, 3)
})

test('a reply to a closed thread reopens it and keeps its agent', async () => {
  const { workspace, receive, conversations, close } = await fresh()
  await receive(written({ id: '<closing@x.example>' }))
  const [conversation] = await conversations()
  const agent = await make.agent(workspace.id)
  await call(workspace.token, 'POST', `/conversations/${conversation.id}/assign`, { agentId: agent.id })
  await close(conversation.id)
  await receive(written({ headers: ['In-Reply-To: <closing@x.example>'] }))
  const [reopened, ...more] = await conversations()
  assert.equal(more.length, 0)
  assert.equal(reopened.status, 'open')
  assert.equal(reopened.assignment.agentId, agent.id)
  const contact = await db
    .selectFrom('contacts')
    .select('open_count')
    .where('workspace_id', '=', workspace.id)
    .executeTakeFirst()
  assert.equal(contact!.open_count, 1)
})

test('a reply goes to a Reply-To at another domain only if an agent chose it, and then stays there', async () => {
  const { workspace, receive, conversations, answer, thread } = await fresh()
  const first = written({
    id: '<rt@x.example>',
    from: 'Ola <ola@rt.example>',
    headers: ['Reply-To: desk@other.example'],
  })
  await receive(first)
  const [conversation] = await conversations()
  const [asking] = await thread(conversation.id)
  assert.equal(asking.metadata.replyTo.address, 'desk@other.example')
  await answer(conversation.id)
  assert.deepEqual(
    ['desk@other.example', 'ola@rt.example'].map((address) => smtp.mailsTo(address).length),
    [0, 1],
  )
  const send = (sendTo: string) =>
    call(workspace.token, 'POST', `/conversations/${conversation.id}/messages`, { body: 'Hello', sendTo })
  const refused = await send('third@evil.example')
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'VALIDATION_ERROR'])
  const chosen = await send('Desk@Other.example')
  assert.equal(chosen.body.message.metadata.sentTo, 'desk@other.example')
  await answer(conversation.id)
  assert.equal(smtp.mailsTo('desk@other.example').length, 2)
  // A later email can't redirect the thread to another domain.
  await receive(
    written({
      from: 'Ola <ola@rt.example>',
      headers: ['In-Reply-To: <rt@x.example>', 'Reply-To: <thief@evil.example>'],
    }),
  )
  assert.equal((await send('thief@evil.example')).status, 400)
  await answer(conversation.id)
  assert.equal(smtp.mailsTo('thief@evil.example').length, 0)
  assert.equal(smtp.mailsTo('ola@rt.example').length, 2)
})

test('a reply goes to a Reply-To at the sender’s own domain', async () => {
  const { receive, conversations, answer } = await fresh()
  await receive(written({ from: 'ola@same.example', headers: ['Reply-To: desk@same.example'] }))
  const [conversation] = await conversations()
  await answer(conversation.id)
  assert.equal(smtp.mailsTo('desk@same.example').length, 1)
})

test('replies join a conversation started by the API, even from a contact whose address was only claimed', async () => {
  const { workspace, receive, conversations, thread } = await fresh()
  const email = 'begun@example.com'
  const begun = await call(workspace.token, 'POST', '/conversations', {
    email,
    subject: 'Your order',
    message: 'It is on its way.',
  })
  assert.equal(begun.body.message.status, 'sent')
  const [mail] = smtp.mailsTo(email)
  assert.equal(headerOf(mail!.text, 'Subject'), 'Your order')
  assert.equal(headerOf(mail!.text, 'In-Reply-To'), undefined)
  await receive(
    written({ from: email.toUpperCase(), headers: [`References: ${headerOf(mail!.text, 'Message-ID')}`] }),
  )
  assert.equal((await conversations()).length, 1)
  assert.equal((await thread(begun.body.conversation.id)).length, 2)
})

// People -----------------------------------------------------------------------------------------------------------

test('an email takes its address from a visitor who only claimed it, and the two stay separate contacts', async () => {
  const { workspace, receive, contacts } = await fresh()
  const visitor = await make.contact(workspace.id, { name: 'Visitor', email: null })
  await db
    .insertInto('identities')
    .values({
      workspace_id: workspace.id,
      kind: 'email',
      value: 'claimed@example.com',
      contact_id: visitor.id,
      verified: false,
      created_at: new Date(),
    })
    .execute()
  await receive(written({ from: 'Real Owner <claimed@example.com>' }))
  await receive(written({ from: 'Real Owner <claimed@example.com>' }))
  assert.equal((await contacts()).length, 2)
  const identity = await db
    .selectFrom('identities')
    .selectAll()
    .where('workspace_id', '=', workspace.id)
    .where('value', '=', 'claimed@example.com')
    .executeTakeFirst()
  assert.notEqual(identity!.contact_id, visitor.id)
  assert.equal(identity!.verified, true)
})

test('two people with the same name stay separate; one address in any letter case is one contact, and gets a missing name', async () => {
  const { receive, contacts } = await fresh()
  await receive(written({ from: 'anna@one.example' }))
  await receive(written({ from: '"Anna Berg" <ANNA@One.example>' }))
  await receive(written({ from: '"Anna Berg" <anna@two.example>' }))
  assert.deepEqual(
    (await contacts()).map(({ name, email }: { name: string; email: string }) => [name, email]).sort(),
    [
      ['Anna Berg', 'anna@one.example'],
      ['Anna Berg', 'anna@two.example'],
    ],
  )
})

test('direction marks in a name do not reach the list', async () => {
  const { receive, contacts } = await fresh()
  await receive(written({ from: '"\u202eevil\u202c\u200b  Anna\u0007" <bidi@example.com>' }))
  assert.equal((await contacts())[0].name, 'evil Anna')
})

test('a form on our own website identifies the person who filled it in, unverified', async () => {
  const { receive, conversations, thread } = await fresh()
  await receive(written({ from: MAILBOX, headers: ['Reply-To: Karim <karim@example.com>'] }))
  const [conversation] = await conversations()
  assert.equal(conversation.contact.email, 'karim@example.com')
  assert.equal((await thread(conversation.id))[0].metadata.unproven, true)
})

// Programs ---------------------------------------------------------------------------------------------------------

const AWAY = ['Auto-Submitted: auto-replied', 'X-Auto-Response-Suppress: All']

test('an out-of-office reply is stored in its thread, reopens nothing and is not counted as unread', async () => {
  const { receive, conversations, thread, answer, close, workspace } = await fresh()
  await receive(written({ id: '<ooo@x.example>' }))
  const [conversation] = await conversations()
  await answer(conversation.id)
  await close(conversation.id)
  const before = await db
    .selectFrom('conversations')
    .select('unread_count')
    .where('id', '=', conversation.id)
    .executeTakeFirst()
  const { is } = await receive(
    written({
      subject: 'Automatic reply: A question',
      headers: [...AWAY, 'In-Reply-To: <ooo@x.example>'],
      text: 'I am away.',
    }),
  )
  assert.equal(is, 'auto-reply')
  // A reply to something unknown: still no new conversation.
  await receive(
    written({
      subject: 'Automatic reply: ?',
      headers: [...AWAY, 'In-Reply-To: <other@x.example>'],
      text: 'Away.',
    }),
  )
  const [after, ...more] = await conversations()
  assert.equal(more.length, 0)
  assert.equal(after.status, 'closed')
  const messages = await thread(conversation.id)
  assert.equal(messages.at(-1).metadata.autoReply, true)
  const now = await db
    .selectFrom('conversations')
    .select('unread_count')
    .where('workspace_id', '=', workspace.id)
    .executeTakeFirst()
  assert.equal(now!.unread_count, before!.unread_count)
})

test('our own emails that come back are recognized, and emails sent from our address elsewhere are kept as leftovers', async () => {
  const { receive, conversations, answer, leftovers, channelId } = await fresh()
  const email = 'loop@example.com'
  await receive(written({ from: email }))
  const [conversation] = await conversations()
  await answer(conversation.id)
  assert.equal((await receive(smtp.mailsTo(email)[0]!.text)).is, 'own')
  assert.deepEqual(await leftovers(), [])
  assert.equal((await receive(written({ from: `Us <${MAILBOX.toUpperCase()}>` }))).is, 'own')
  assert.equal((await receive(written({ headers: [`X-Loop: foyer-${channelId}`] }))).is, 'own')
  assert.equal((await leftovers()).length, 2)
  assert.equal((await conversations()).length, 1)
})

test('automatic emails are marked as such, and never reply to a program', async () => {
  const { receive, conversations, ctx } = await fresh()
  const { sendMessage } = await import('../../domain/messages/send-message.ts')
  const { until } = await import('../../../test/until.ts')
  const email = 'auto@example.com'
  await receive(written({ from: email, id: '<auto@x.example>' }))
  const [conversation] = await conversations()
  await sendMessage(ctx, { conversationId: conversation.id, body: 'We have your mail.' })
  await until(() => smtp.mailsTo(email).length === 1, 'the automatic answer')
  const { text } = smtp.mailsTo(email)[0]!
  assert.equal(headerOf(text, 'Auto-Submitted'), 'auto-replied')
  assert.match(headerOf(text, 'X-Loop')!, /^foyer-c/)
  await receive(written({ from: email, headers: [...AWAY, 'In-Reply-To: <auto@x.example>'] }))
  const { id } = await sendMessage(ctx, { conversationId: conversation.id, body: 'We have your mail.' })
  const statusOf = async () =>
    (await db.selectFrom('messages').select(['status', 'metadata']).where('id', '=', id).executeTakeFirst())!
  await until(async () => (await statusOf()).status === 'failed', 'the refusal')
  assert.equal(((await statusOf()).metadata as { error: { code: string } }).error.code, 'AUTOMATIC_SENDER')
  assert.equal(smtp.mailsTo(email).length, 1)
})

test('a flooding sender fills one conversation, and nothing is lost', async () => {
  const { receive, conversations, workspace } = await fresh()
  const count = OPENED_MAX + 5
  for (let at = 0; at < count; at++)
    await receive(written({ from: 'noisy@example.com', text: `Alarm ${at}` }))
  assert.equal((await conversations()).length, OPENED_MAX)
  const { rows } = await app.database.pool.query(
    `select count(*)::int as count, count(*) filter (where metadata ->> 'flood' = 'true')::int as flood from messages where workspace_id = $1`,
    [workspace.id],
  )
  assert.deepEqual(rows[0], { count, flood: 5 })
})

// Bounces ----------------------------------------------------------------------------------------------------------

test('a bounce fails its message, with the server’s reason', async () => {
  const { receive, workspace, thread } = await fresh()
  const email = 'gone@example.com'
  const { body } = await call(workspace.token, 'POST', '/conversations', { email, message: 'Hello' })
  const originalId = headerOf(smtp.mailsTo(email)[0]!.text, 'Message-ID')!
  const delayed = await receive(dsn({ recipient: email, originalId, action: 'delayed', status: '4.4.1' }))
  assert.equal(delayed.is, 'bounce')
  assert.equal((await thread(body.conversation.id))[0].status, 'sent')
  const report = dsn({ recipient: email, originalId })
  assert.deepEqual(await receive(report), { is: 'bounce', messageId: body.message.id })
  assert.equal((await receive(report)).is, 'bounce')
  const [message, ...more] = await thread(body.conversation.id)
  assert.equal(more.length, 0)
  assert.equal(message.status, 'failed')
  assert.equal(message.metadata.error.code, '5.1.1')
  assert.match(message.metadata.error.message, /User unknown in virtual mailbox table/)
})

test('a bounce for another recipient, another mailbox or a forged id fails nothing', async () => {
  const [one, other] = [await fresh(), await fresh()]
  const email = 'alive@example.com'
  const { body } = await call(one.workspace.token, 'POST', '/conversations', { email, message: 'Hello' })
  const originalId = headerOf(smtp.mailsTo(email)[0]!.text, 'Message-ID')!
  assert.equal((await one.receive(dsn({ recipient: 'somebody@else.example', originalId }))).is, 'kept')
  assert.equal((await other.receive(dsn({ recipient: email, originalId }))).is, 'kept')
  const forged = originalId.replace(/\.[a-z2-7]{16}@/, '.aaaaaaaaaaaaaaaa@')
  assert.equal((await one.receive(dsn({ recipient: email, originalId: forged }))).is, 'kept')
  assert.equal((await one.thread(body.conversation.id))[0].status, 'sent')
  assert.equal((await one.leftovers()).length, 2)
  assert.deepEqual(await one.conversations().then((all: { id: string }[]) => all.length), 1)
})

test('a failure reported as plain text fails the message, and a daemon or an empty return path never becomes a contact', async () => {
  const { receive, conversations, contacts, answer, thread } = await fresh()
  const email = 'words@example.com'
  await receive(written({ from: email }))
  const [conversation] = await conversations()
  const sent = await answer(conversation.id)
  const ours = headerOf(smtp.mailsTo(email)[0]!.text, 'Message-ID')!
  const failed = written({
    from: 'Mail Delivery Subsystem <mailer-daemon@mx.example.net>',
    subject: 'Returned mail',
    text: `There was an error delivering\r\nyour mail.\r\n\r\nMessage-ID: ${ours}\r\nSubject: Re: A question`,
  })
  assert.deepEqual(await receive(failed), { is: 'bounce', messageId: sent.id })
  const [message] = (await thread(conversation.id)).filter(({ id }: { id: string }) => id === sent.id)
  assert.equal(message.status, 'failed')
  const others = [
    { from: 'MAILER-DAEMON@mx.example.net', subject: 'Hello' },
    { from: 'postmaster@mx.example.net', subject: 'Undeliverable: Hello', text: 'Unknown recipient' },
    { from: 'desk@mx.example.net', subject: 'Zustellung fehlgeschlagen', headers: ['Return-Path: <>'] },
  ]
  for (const one of others) assert.equal((await receive(written(one))).is === 'stored', false)
  assert.deepEqual([(await conversations()).length, (await contacts()).length], [1, 1])
})

test('a complaint opts its sender out of broadcasts, is shown in the thread once, and starts no conversation', async () => {
  const { workspace, receive, conversations, answer, thread } = await fresh()
  const email = 'complains@example.com'
  await receive(written({ from: email }))
  const [conversation] = await conversations()
  await answer(conversation.id)
  const ours = headerOf(smtp.mailsTo(email)[0]!.text, 'Message-ID')!
  const complaint = (id: string, type = 'abuse') =>
    written({
      from: 'feedback@isp.example',
      headers: ['Content-Type: multipart/report; report-type=feedback-report; boundary="F"'],
      text: `--F\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: ${type}\r\n--F\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: ${id}\r\n\r\n--F--`,
    }).replace('Content-Type: text/plain; charset=utf-8\r\n', '')
  const optedOut = async () =>
    (
      await db
        .selectFrom('contacts')
        .select('opted_out_at')
        .where('workspace_id', '=', workspace.id)
        .where('id', '=', conversation.contact.id)
        .executeTakeFirstOrThrow()
    ).opted_out_at !== null
  // Only a recipient of the email knows its id.
  assert.equal((await receive(complaint('<guessed@northwind.example>'))).is, 'kept')
  assert.equal((await receive(complaint(ours, 'not-spam'))).is, 'kept')
  assert.equal(await optedOut(), false)
  assert.equal((await receive(complaint(ours))).is, 'complaint')
  assert.equal((await receive(complaint(ours))).is, 'complaint')
  assert.equal(await optedOut(), true)
  const lines = (await thread(conversation.id)).filter(
    ({ metadata }: { metadata: { event?: string } }) => metadata?.event === 'spam_complaint',
  )
  assert.equal(lines.length, 1)
  assert.equal((await conversations()).length, 1)
})

test('a person who writes about a bounce, or forwards one, is not mistaken for one', async () => {
  const { receive, conversations, answer, thread } = await fresh()
  const attached = dsn({ recipient: 'x@example.com', originalId: '<x@example.com>' })
    .replace('multipart/report; report-type=delivery-status;', 'multipart/mixed;')
    .replace('Return-Path: <>', 'Return-Path: <ines@example.com>')
    .replace(/^From: .*$/m, 'From: Ines <ines@example.com>')
    .replace('Auto-Submitted: auto-replied\r\n', '')
  assert.equal((await receive(attached)).is, 'stored')
  const admin = written({
    from: 'administrator@customer.example',
    subject: 'Your delivery failed',
    text: 'It could not be delivered: 550 no such user.',
  })
  assert.equal((await receive(admin)).is, 'stored')
  const [, conversation] = await conversations()
  const sent = await answer(conversation.id)
  const ours = headerOf(smtp.mailsTo('administrator@customer.example')[0]!.text, 'Message-ID')!
  for (const [from, subject] of [
    ['administrator@customer.example', 'Your delivery failed'],
    ['postmaster@customer.example', 'Re: Your delivery failed'],
  ] as const)
    await receive(written({ from, subject, headers: [`In-Reply-To: ${ours}`], text: 'Mailbox full, 550?' }))
  assert.equal(
    (await thread(conversation.id)).find(({ id }: { id: string }) => id === sent.id).status,
    'sent',
  )
  assert.equal((await conversations()).length, 3)
})

test('text hidden from a message is in metadata.hidden, and search finds it', async () => {
  const { workspace, receive, conversations, thread } = await fresh()
  await receive(
    written({
      text: 'Green, please.\r\nSent via DHL, tracking number JJD0099887766\r\n\r\n-- \r\nInes, Kingfisher Lane 7\r\n\r\nOn 12 Mar 2024, at 10:15, A <a@x.example> wrote:\r\n> Which zebrawood?',
    }),
  )
  await receive(written({ from: 'other@example.com', text: 'Nothing hidden.' }))
  const [{ id }] = await conversations()
  const [message] = await thread(id)
  assert.equal(message.body, 'Green, please.\nSent via DHL, tracking number JJD0099887766')
  assert.match(
    message.metadata.hidden,
    /^--\nInes, Kingfisher Lane 7\n\nOn 12 Mar[\s\S]*> Which zebrawood\?$/m,
  )
  for (const q of ['JJD0099887766', 'kingfisher', 'zebraw', 'zq', 'nothing hidden']) {
    const { body } = await call(
      workspace.token,
      'GET',
      `/conversations?status=all&q=${encodeURIComponent(q)}`,
    )
    const found = body.conversations.map((one: { id: string }) => one.id === id)
    assert.deepEqual(found, q === 'zq' ? [] : [q !== 'nothing hidden'], q)
  }
})

// Files ------------------------------------------------------------------------------------------------------------

test('files and images of an email are stored, and its HTML references them and runs nothing', async () => {
  const { receive, conversations, thread, ctx } = await fresh()
  await receive(
    [
      'From: Ines <files@example.com>',
      `To: ${MAILBOX}`,
      'Subject: =?utf-8?Q?Gr=C3=BCne_Sch=C3=BCssel?=',
      'Message-ID: <files@x.example>',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=M',
      '',
      '--M',
      'Content-Type: multipart/related; boundary=R',
      '',
      '--R',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p onclick="x()">See <img src="cid:one@x" alt="bowl"><img src="https://t.example/p.gif"><script>alert(1)</script></p>',
      '--R',
      'Content-Type: image/png; name=bowl.png',
      'Content-Transfer-Encoding: base64',
      'Content-ID: <one@x>',
      '',
      'iVBORw0KGgo=',
      '--R--',
      '--M',
      'Content-Type: application/pdf; name="../../etc/\u202efdp.exe"',
      'Content-Disposition: attachment',
      'Content-Transfer-Encoding: base64',
      '',
      'JVBERi0=',
      '--M--',
      '',
    ].join('\r\n'),
  )
  const [conversation] = await conversations()
  assert.equal(conversation.subject, 'Grüne Schüssel')
  const [message] = await thread(conversation.id)
  assert.equal(message.attachments.length, 2)
  assert.deepEqual(
    message.attachments.map(({ name, type, size }: { name: string; type: string; size: number }) => [
      name,
      type,
      size,
    ]),
    [
      ['bowl.png', 'image', 8],
      ['fdp.exe', 'file', 5],
    ],
  )
  const { html } = (await findEmailContent(ctx, message.id))!
  assert.ok(html?.includes(`data-attachment="${message.attachments[0].id}"`), html ?? '')
  assert.match(html!, /data-src="https:\/\/t\.example\/p\.gif"/)
  assert.doesNotMatch(html!, /script|onclick|alert|<img[^>]* src=/)
})

test('a file attached again also appears with the later message', async () => {
  const { receive, conversations, thread } = await fresh()
  const withFile = (number: number, disposition: string) =>
    [
      'From: Ines <again@example.com>',
      `To: ${MAILBOX}`,
      'Subject: Invoice',
      `Message-ID: <again${number}@x.example>`,
      ...(number > 1 ? [`In-Reply-To: <again${number - 1}@x.example>`] : []),
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=R',
      '',
      '--R',
      'Content-Type: text/html; charset=utf-8',
      '',
      `<p>Here it is, ${number}.</p>`,
      '--R',
      'Content-Type: application/pdf; name=invoice.pdf',
      `Content-Disposition: ${disposition}; filename=invoice.pdf`,
      'Content-ID: <invoice@x>',
      '',
      '%PDF-1.7',
      '--R',
      'Content-Type: image/png; name=photo.png',
      'Content-Transfer-Encoding: base64',
      `Content-Disposition: ${disposition}; filename=photo.png`,
      '',
      'iVBORw0KGgo=',
      '--R--',
      '',
    ].join('\r\n')
  await receive(withFile(1, 'attachment'))
  await receive(withFile(2, 'attachment'))
  await receive(withFile(3, 'inline'))
  const [conversation] = await conversations()
  for (const message of await thread(conversation.id))
    assert.deepEqual(
      message.attachments.map(({ name }: { name: string }) => name),
      ['invoice.pdf', 'photo.png'],
    )
})

test('an embedded image repeated in each reply is stored once, and the HTML shows the first', async () => {
  const { receive, conversations, thread, ctx } = await fresh()
  const withLogo = (number: number, extra: string[] = []) =>
    [
      'From: Ines <logo@example.com>',
      `To: ${MAILBOX}`,
      'Subject: Logo',
      `Message-ID: <logo${number}@x.example>`,
      ...(number > 1 ? [`In-Reply-To: <logo${number - 1}@x.example>`] : []),
      'MIME-Version: 1.0',
      'Content-Type: multipart/related; boundary=R',
      '',
      '--R',
      'Content-Type: text/html; charset=utf-8',
      '',
      `<p>Mail ${number}</p><img src="cid:logo@x">`,
      '--R',
      'Content-Type: image/png; name=logo.png',
      'Content-Transfer-Encoding: base64',
      'Content-ID: <logo@x>',
      '',
      'iVBORw0KGgo=',
      ...extra,
      '--R--',
      '',
    ].join('\r\n')
  await receive(withLogo(1))
  await receive(withLogo(2, ['--R', 'Content-Type: application/pdf; name=new.pdf', '', '%PDF-']))
  const [conversation, ...more] = await conversations()
  assert.equal(more.length, 0)
  const [first, second] = await thread(conversation.id)
  const [logo] = first.attachments
  assert.deepEqual(
    second.attachments.map(({ name }: { name: string }) => name),
    ['new.pdf'],
  )
  assert.match((await findEmailContent(ctx, second.id))!.html!, new RegExp(`data-attachment="${logo.id}"`))
})

test('files are sent as parts of the email', async () => {
  const { receive, conversations, ctx } = await fresh()
  const { storeUpload } = await import('../../domain/attachments/store-attachment.ts')
  const { sendMessage } = await import('../../domain/messages/send-message.ts')
  const { until } = await import('../../../test/until.ts')
  const { Readable } = await import('node:stream')
  const email = 'getsfiles@example.com'
  await receive(written({ from: email }))
  const [conversation] = await conversations()
  const { id } = await storeUpload(ctx, {
    name: 'Rechnung "März".pdf',
    mimeType: 'application/pdf',
    stream: Readable.from([Buffer.from('%PDF-1.7')]),
  })
  await sendMessage(ctx, { conversationId: conversation.id, body: 'Your invoice', attachmentIds: [id] })
  await until(() => smtp.mailsTo(email).length === 1, 'the mail with the file')
  const mail = await app.deps.channels.email.parseMail(Buffer.from(smtp.mailsTo(email)[0]!.text))
  assert.equal(mail.visible, 'Your invoice')
  assert.equal(mail.attachments[0]?.content.toString(), '%PDF-1.7')
  assert.match(mail.attachments[0]!.name, /Rechnung/)
})

// Keeping everything -----------------------------------------------------------------------------------------------

test('what is written alongside is in the same transaction, even for a repeat', async () => {
  const { ctx, account, conversations } = await fresh()
  const raw = Buffer.from(written())
  await assert.rejects(
    receiveEmail(ctx, account, raw, {
      alongside: async () => {
        throw new Error('as the test wants it')
      },
    }),
  )
  assert.deepEqual(await conversations(), [])
  let calls = 0
  const alongside = async () => {
    calls++
  }
  assert.equal((await receiveEmail(ctx, account, raw, { alongside })).is, 'stored')
  assert.equal((await receiveEmail(ctx, account, raw, { alongside })).is, 'repeat')
  assert.equal(calls, 2)
})

test('a batch is stored in order, in one transaction, and replies within it join their thread', async () => {
  const { ctx, account, conversations, thread } = await fresh()
  const raws = [
    written({ id: '<b1@x.example>', text: 'One' }),
    written({ id: '<b2@x.example>', text: 'Two', headers: ['In-Reply-To: <b1@x.example>'] }),
    written({ id: '<b1@x.example>', text: 'One' }),
    written({ id: '<b3@x.example>', text: 'Three', headers: ['In-Reply-To: <b2@x.example>'] }),
  ]
  const prepared = await Promise.all(raws.map((raw) => prepareEmail(ctx, account, Buffer.from(raw))))
  const results = await storeEmails(ctx, account, prepared)
  assert.deepEqual(
    results.map(({ is }) => is),
    ['stored', 'stored', 'repeat', 'stored'],
  )
  const [conversation, ...more] = await conversations()
  assert.equal(more.length, 0)
  assert.deepEqual(
    (await thread(conversation.id)).map(({ body }: { body: string }) => body),
    ['One', 'Two', 'Three'],
  )
})

test('an email without a sender is kept unchanged and gets a 200', async () => {
  const { deliver, leftovers, conversations } = await fresh()
  const raw = 'Subject: From nobody\r\n\r\nHello\r\n'
  assert.equal((await deliver(raw)).status, 200)
  assert.equal((await deliver('\u0000\u0001\u0002 no mail at all')).status, 200)
  const kept = await leftovers()
  assert.equal(kept.length, 2)
  assert.ok(kept.some((one) => one.raw === raw && one.reason === 'no sender'))
  assert.deepEqual(await conversations(), [])
})

test('a subject that contains a header stays a subject, in both directions', async () => {
  const { receive, conversations, answer } = await fresh()
  const email = 'inject@example.com'
  const subject = '=?utf-8?B?SGVsbG8NCkJjYzogdmljdGltQGV4YW1wbGUuY29tDQoNClJlYWxseQ==?='
  await receive(written({ from: `=?utf-8?Q?Eve=0D=0ABcc:_x@y.example?= <${email}>`, subject }))
  const [conversation] = await conversations()
  assert.doesNotMatch(conversation.subject, /[\r\n]/)
  await answer(conversation.id)
  const [mail] = smtp.mailsTo(email)
  assert.deepEqual(mail!.recipients, [email])
  assert.equal(headerOf(mail!.text, 'Bcc'), undefined)
})
