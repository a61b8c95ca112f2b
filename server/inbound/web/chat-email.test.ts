import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SignJWT } from 'jose'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { startSmtp } from '../../../test/smtp.ts'
import { findContext } from '../../domain/ai/turn/known/context-queries.ts'
import { CHAT_LANGUAGES } from '../../domain/chat-boxes/schema.ts'
import { UNPROVEN_MAX } from '../../domain/chat-emails/prepare-mail.ts'
import { mailWords } from '../../domain/chat-emails/words.ts'
import { lockConversation } from '../../domain/conversations/queries.ts'
import { sendIn } from '../../domain/messages/send-message.ts'
import { DELIVERY_TIMING } from '../../jobs/delivery-timing.ts'
import { markReplies } from '../../jobs/mark-replies.ts'
import { prepareChatEmails, sendChatEmail } from '../../jobs/send-chat-emails.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { connectMailbox, deliverMail, dsn, MAILBOX, written } from '../email/testing/mails.ts'
import { makePage } from './testing/visitor.ts'

const started = await startApp({ stream: true })
const { app, call, clock, ctxOf, db, make } = started
const smtp = await startSmtp()
after(smtp.stop)
const jobs = { ...started.deps, log: app.log, timing: DELIVERY_TIMING, isStopping: () => false }
const MINUTE_MS = 60_000
const SHOP = 'https://shop.example'
let base = ''
let people = 0

before(async () => {
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})

const pass = (minutes: number) => {
  const now = clock.now().getTime() + minutes * MINUTE_MS
  clock.now = () => new Date(now)
}

/** A site with a mailbox, whose visitors write and whose team replies. */
const newSite = async ({ allowedOrigins = [SHOP] }: { allowedOrigins?: string[] } = {}) => {
  const workspace = await make.workspace({ name: 'Northwind' })
  const admin = await signIn(started, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
  const channelId = await make.channelAccount(workspace.id, 'web', { settings: { allowedOrigins } })
  const mailboxId = await connectMailbox(started, workspace.id, { smtpUrl: smtp.url })
  const page = makePage(() => base, channelId)
  const ctx = ctxOf(workspace.id)

  /** What the relay does with each reply. */
  const settle = (conversationId: string, senderType = 'agent') =>
    markReplies(db, [
      {
        ...{ type: 'message.created', data: { senderType }, workspaceId: workspace.id, conversationId },
        ...{ createdAt: clock.now().toISOString(), contactId: null, requestId: null, actor: 'system' },
        ...{ tx: '1', id: 1 },
      } as never,
    ])
  const mails = () =>
    db.selectFrom('chat_mails').selectAll().where('workspace_id', '=', workspace.id).orderBy('id').execute()
  const prepare = () => prepareChatEmails(jobs)
  const sendQueued = async () => {
    for (const { id, state } of await mails())
      if (state === 'queued') await sendChatEmail(jobs, { workspaceId: workspace.id, mailId: id })
  }
  const arrive = async ({ email = `p${++people}@visitors.example`, claims = {} } = {}) => {
    const { token, visitor } = await page.session({
      page: `${SHOP}/pots?secret=1`,
      locale: 'en-GB',
      ...claims,
    })
    const { conversationId } = await page.say(token, 'Is the blue one in stock?')
    const leave = (address: string | null, language = 'en') =>
      page.ask('/email', { email: address, language }, { token })
    const reply = async (body: string) => {
      const answer = await call(workspace.token, 'POST', `/conversations/${conversationId}/messages`, {
        body,
      })
      assert.equal(answer.status, 200)
      await settle(conversationId)
      return answer.body.message
    }
    return {
      token,
      visitorId: visitor.id,
      conversationId,
      email,
      leave,
      reply,
      mails: () => smtp.mailsTo(email),
    }
  }
  const thread = async (id: string) =>
    (await call(workspace.token, 'GET', `/conversations/${id}/messages`)).body.messages.reverse()
  const lines = async (id: string): Promise<string[]> =>
    (
      await db
        .selectFrom('messages')
        .select('body')
        .where('conversation_id', '=', id)
        .where('sender_type', '=', 'system')
        .orderBy('id')
        .execute()
    ).map(({ body }) => body)
  const mailIn = (raw: string) => deliverMail(started, mailboxId, raw)
  const round = async () => {
    pass(6)
    await prepare()
    await sendQueued()
  }
  return {
    workspace,
    admin,
    channelId,
    mailboxId,
    page,
    ctx,
    arrive,
    prepare,
    sendQueued,
    round,
    mails,
    thread,
    lines,
    mailIn,
    settle,
  }
}

const headerOf = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}:((?:.*\r\n[ \t])*.*)`, 'im')
    .exec(text)?.[1]
    ?.replace(/\r\n\s*/g, ' ')
    .trim()
const bodyOf = (text: string): string =>
  text.slice(text.indexOf('\r\n\r\n')).replace(/=\r\n/g, '').replaceAll('=3D', '=')

test('replies that were not seen are emailed once, the answer comes back into the chat, and the next reply follows by email', async () => {
  const site = await newSite()
  const visit = await site.arrive()
  assert.equal((await visit.leave(visit.email.toUpperCase())).status, 200)
  await visit.reply('Yes, three left.')
  await visit.reply('Shall we keep one?')
  await site.prepare()
  assert.equal((await site.mails()).length, 0)

  // Two processes look at the same moment, and each tries to send what it finds.
  pass(6)
  await Promise.all([site.prepare(), site.prepare()])
  await Promise.all([site.sendQueued(), site.sendQueued()])
  await site.round()
  const ids = new Set(visit.mails().map(({ text }) => headerOf(text, 'Message-ID')))
  assert.equal(ids.size, 1)
  const [mail] = visit.mails()
  const body = bodyOf(mail!.text)
  assert.match(body, /Yes, three left\.[\s\S]*Shall we keep one\?/)
  assert.doesNotMatch(body, /Is the blue one|secret/)
  const link = /https:\/\/shop\.example\/pots#foyer-email=([\w.-]+)/.exec(body)![1]!
  const stop = headerOf(mail!.text, 'List-Unsubscribe')!.slice(1, -1)
  assert.ok(body.includes(stop))
  assert.equal(headerOf(mail!.text, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
  assert.equal(headerOf(mail!.text, 'Auto-Submitted'), undefined)

  const ours = headerOf(mail!.text, 'Message-ID')!
  const raw = written({
    ...{ id: '<answer.1@mail.example>', from: `Ines <${visit.email}>`, subject: 'Re: Chat' },
    headers: [`In-Reply-To: ${ours}`, `References: ${ours}`],
    text: 'Please keep it. Ines, +44 20 7946 0000',
  })
  assert.equal((await site.mailIn(raw)).status, 200)
  assert.equal((await site.mailIn(raw)).status, 200)
  const answers = (await site.thread(visit.conversationId)).filter(
    ({ senderType }: { senderType: string }) => senderType === 'customer',
  )
  assert.deepEqual(
    answers.map(({ body }: { body: string }) => body),
    ['Is the blue one in stock?', 'Please keep it. Ines, +44 20 7946 0000'],
  )
  const { metadata } = answers[1]
  assert.equal(metadata.viaEmail, true)
  assert.equal(metadata.from.address, visit.email)
  assert.equal(metadata.senderVerification, undefined)
  const { body: listed } = await call(site.workspace.token, 'GET', '/conversations')
  assert.equal(listed.conversations.length, 1)

  // Whoever holds the browser has not shown that the mailbox is theirs.
  const shown = async () =>
    (await site.page.session({ token: visit.token })).messages.at(-1) as unknown as {
      body: string
      byEmail: string
    }
  assert.deepEqual([(await shown()).body, (await shown()).byEmail], ['', 'hidden'])
  const stranger = await site.arrive()
  assert.equal((await site.page.ask('/email/link', { token: link }, { token: stranger.token })).status, 400)
  assert.equal((await shown()).byEmail, 'hidden')
  assert.equal(
    (await site.page.ask('/email/link', { token: `${link.slice(0, -1)}x` }, { token: visit.token })).status,
    400,
  )
  assert.equal((await site.page.ask('/email/link', { token: link }, { token: visit.token })).status, 200)
  assert.deepEqual(
    [(await shown()).body, (await shown()).byEmail],
    ['Please keep it. Ines, +44 20 7946 0000', 'shown'],
  )
  const { body: profile } = await call(site.workspace.token, 'GET', `/conversations/${visit.conversationId}`)
  const { body: known } = await call(
    site.workspace.token,
    'GET',
    `/contacts/${profile.conversation.contact.id}`,
  )
  assert.ok(known.contact.identities.some(({ value }: { value: string }) => value === visit.email))

  await visit.reply('Kept.')
  await site.round()
  const next = visit.mails().at(-1)!
  assert.match(bodyOf(next.text), /Kept\./)
  assert.doesNotMatch(bodyOf(next.text), /three left/)
  assert.equal(headerOf(next.text, 'In-Reply-To'), '<answer.1@mail.example>')
  assert.deepEqual(
    (await site.lines(visit.conversationId)).filter((line) => line.includes('email')),
    [
      `2 replies had not been seen in the chat and were emailed to ${visit.email}`,
      `The reply had not been seen in the chat and was emailed to ${visit.email}`,
    ],
  )
})

test('who has seen the reply, come back, or wants none gets no email', async () => {
  const site = await newSite()
  const [reader, back, later, stopped, silent, asked] = await Promise.all(
    Array.from({ length: 6 }, () => site.arrive()),
  )
  for (const visit of [reader, back, later, stopped]) await visit!.leave(visit!.email)
  await silent!.leave(null)
  const replies = await Promise.all(
    [reader, back, later, stopped, silent, asked].map((visit) => visit!.reply('Yes.')),
  )
  await site.page.ask('/read', { messageId: replies[0].id }, { token: reader!.token })
  pass(4)
  // Whoever comes back gets the time to open the chat.
  await site.page.session({ token: back!.token, page: `${SHOP}/other` })
  pass(2)
  await site.prepare()
  const queued = await site.mails()
  assert.deepEqual(
    queued.map(({ conversation_id }) => conversation_id).sort(),
    [later!, stopped!].map(({ conversationId }) => conversationId).sort(),
  )
  // Between the decision and the sending.
  await site.page.ask('/read', { messageId: replies[2].id }, { token: later!.token })
  const hash = queued.find(({ conversation_id }) => conversation_id === stopped!.conversationId)!.address_hash
  await db
    .insertInto('chat_email_stops')
    .values({ workspace_id: site.workspace.id, address_hash: hash, stopped_at: clock.now() })
    .execute()
  await site.sendQueued()
  for (const visit of [reader, later, stopped, silent, asked]) assert.equal(visit!.mails().length, 0)
  await site.round()
  assert.equal(back!.mails().length, 1)
})

test('a stranger whose address was typed gets few emails, none steered by who typed it, and stops them with one click', async () => {
  const site = await newSite({ allowedOrigins: [] })
  const stranger = `stranger${++people}@elsewhere.example`
  const visits = []
  for (let at = 0; at < UNPROVEN_MAX + 2; at++) {
    const visit = await site.arrive({
      email: stranger,
      claims: { page: 'https://evil.example/login', name: 'WIN A PRIZE' },
    })
    assert.equal((await visit.leave(stranger)).status, 200)
    visits.push(visit)
  }
  // What a flow or the AI agent says can be steered from the chat.
  const automated = visits[0]!
  await inTransaction({ ...site.ctx, actor: { type: 'flow', flowId: 'f', runId: 'r' } }, async (ctx) =>
    sendIn(ctx, (await lockConversation(ctx, automated.conversationId))!, { body: 'Hello WIN A PRIZE' }),
  )
  await site.settle(automated.conversationId, 'automation')
  await site.round()
  assert.equal(smtp.mailsTo(stranger).length, 0)

  for (const visit of visits) {
    await visit.reply('Yes, three left.')
    await site.round()
  }
  const sent = smtp.mailsTo(stranger)
  assert.equal(sent.length, UNPROVEN_MAX)
  for (const { text } of sent) assert.doesNotMatch(text, /evil|PRIZE/)
  assert.match((await site.lines(visits.at(-1)!.conversationId)).join(), /Not emailed/)

  const stop = headerOf(sent[0]!.text, 'List-Unsubscribe')!.slice(1, -1).replace('http://foyer.test', '')
  const page = await app.inject(stop)
  assert.equal(page.statusCode, 200)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
  assert.match(page.body, /<form method="post">/)
  assert.equal(
    (
      await db
        .selectFrom('chat_email_stops')
        .selectAll()
        .where('workspace_id', '=', site.workspace.id)
        .execute()
    ).length,
    0,
  )
  // A mail program posts a form in either encoding, and says or sends what it likes besides.
  const form = '--B\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--B--\r\n'
  for (const [type, payload] of [
    ['multipart/form-data; boundary=B', form],
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    ['application/json', '{'],
    ['nonsense', 'x'],
    [undefined, 'x'],
    [undefined, undefined],
  ]) {
    const headers = type === undefined ? {} : { 'content-type': type }
    const { statusCode } = await app.inject({
      method: 'POST',
      url: stop,
      headers,
      ...(payload && { payload }),
    })
    assert.equal(statusCode, 200, type)
  }
  const long = await app.inject({ method: 'POST', url: stop, payload: 'x'.repeat(10_000) })
  assert.equal(long.statusCode, 413)
  assert.equal(
    (await app.inject({ method: 'POST', url: `${stop.slice(0, 40)}x${stop.slice(41)}` })).statusCode,
    404,
  )
  assert.equal(
    (await site.lines(visits[0]!.conversationId)).filter((line) => line.includes('doesn’t want')).length,
    1,
  )
})

test('an answer from another address, without our signature, or from a blocked visitor is an email like any other', async () => {
  const site = await newSite()
  const holder = await make.contact(site.workspace.id, {
    name: 'Real Owner',
    email: 'owner@elsewhere.example',
  })
  const visit = await site.arrive({ email: 'owner@elsewhere.example' })
  await visit.leave(visit.email)
  await visit.reply('Yes.')
  await site.round()
  const ours = headerOf(visit.mails()[0]!.text, 'Message-ID')!
  const forged = ours.replace(/\.[a-z2-7]{16}@/, `.${'a'.repeat(16)}@`)
  const count = async () => (await site.thread(visit.conversationId)).length
  const before = await count()
  await site.mailIn(written({ from: 'colleague@elsewhere.example', headers: [`In-Reply-To: ${ours}`] }))
  await site.mailIn(written({ from: visit.email, headers: [`In-Reply-To: ${forged}`] }))
  await site.mailIn(written({ from: visit.email }))
  assert.equal(await count(), before)
  // Signed, from the address: it continues, and the contact who holds the address stays as they are.
  await site.mailIn(written({ from: visit.email, headers: [`References: ${ours}`], text: 'Who is this?' }))
  assert.equal(await count(), before + 1)
  const { body } = await call(site.workspace.token, 'GET', `/contacts/${holder.id}`)
  assert.equal(body.contact.name, 'Real Owner')
  const { body: chat } = await call(site.workspace.token, 'GET', `/conversations/${visit.conversationId}`)
  assert.notEqual(chat.conversation.contact.id, holder.id)
  // The other workspace has other signatures.
  const other = await newSite()
  await other.mailIn(written({ from: visit.email, headers: [`In-Reply-To: ${ours}`] }))
  assert.equal(await count(), before + 1)
  await db
    .insertInto('visitor_blocks')
    .values({
      workspace_id: site.workspace.id,
      kind: 'contact',
      value: chat.conversation.contact.id,
      contact_id: chat.conversation.contact.id,
      blocked_by: 'x',
      created_at: clock.now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const blocked = await count()
  await site.mailIn(written({ from: visit.email, headers: [`In-Reply-To: ${ours}`], text: 'And now?' }))
  assert.equal(await count(), blocked)
})

test('an answer by email is shown only where its own address was proven, wherever the chat goes on afterwards', async () => {
  const site = await newSite()
  const { body: identity } = await site.admin.call('POST', `/channels/${site.channelId}/identity-secret`, {
    overlapHours: 0,
  })
  const vouch = (email: string) =>
    new SignJWT({
      ...{ sub: `user-${++people}`, aud: site.channelId, email, email_verified: true },
      exp: Math.floor(clock.now().getTime() / 1_000) + 3_600,
    })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(identity.secret))
  /** The chat goes on at an address, from which an email with a file is answered; returns the link in the last email. */
  const goOn = async (visit: Awaited<ReturnType<typeof site.arrive>>, address: string, text?: string) => {
    assert.equal((await visit.leave(address)).status, 200)
    await visit.reply('Yes.')
    await site.round()
    const mail = smtp.mailsTo(address).at(-1)!.text
    if (text !== undefined) {
      const parts = [
        '',
        text,
        '--M',
        'Content-Disposition: attachment; filename=card.txt',
        '',
        'Home',
        '--M--',
      ]
      const raw = written({
        from: address,
        headers: [`In-Reply-To: ${headerOf(mail, 'Message-ID')}`],
        text: ['--M', 'Content-Type: text/plain', ...parts].join('\r\n'),
      }).replace('text/plain; charset=utf-8', 'multipart/mixed; boundary=M')
      assert.equal((await site.mailIn(raw)).status, 200)
    }
    return /#foyer-email=([\w.-]+)/.exec(bodyOf(mail))![1]!
  }
  const link = async (token: string, by: string) =>
    (await site.page.ask('/email/link', { token }, { token: by })).status
  type Answer = { body: string; byEmail: string | null; attachments: object[] }
  const told = ({ body, byEmail, attachments }: Answer) => [body, byEmail, attachments.length]
  const answers = async (token: string, claims: object = {}) =>
    ((await site.page.session({ token, ...claims })).messages as unknown as Answer[])
      .filter(({ byEmail }) => byEmail !== null)
      .map(told)
  const HIDDEN = ['', 'hidden', 0]

  const [theirs, own] = [`victim${++people}@elsewhere.example`, `own${++people}@visitors.example`]
  const visit = await site.arrive()
  const stream = await site.page.follow(visit.token)
  const old = await goOn(visit, theirs, 'Who is this? 5 Elm Road')
  const streamed = async () =>
    told((await stream.next('message', ({ data }) => data.message.byEmail !== null)).data.message)
  assert.deepEqual(await streamed(), HIDDEN)
  assert.deepEqual(await answers(visit.token), [HIDDEN])
  // Nor is it told to the AI agent, which would say it to whoever asks in the chat.
  const stored = await db
    .selectFrom('messages')
    .select(['workspace_id', 'conversation_id'])
    .where('body', 'like', '%5 Elm Road%')
    .executeTakeFirstOrThrow()
  const context = await findContext(ctxOf(stored.workspace_id), stored.conversation_id)
  assert.ok(context && !JSON.stringify(context).includes('Elm Road'))
  assert.equal(await link(await goOn(visit, own, 'It is me.'), visit.token), 200)
  assert.deepEqual(await streamed(), HIDDEN)
  assert.deepEqual(await answers(visit.token), [HIDDEN, ['It is me.', 'shown', 1]])
  await goOn(visit, own, 'Still me.')
  assert.deepEqual(await streamed(), ['Still me.', 'shown', 1])
  assert.equal(await link(old, visit.token), 400)
  // What was proven stays shown, and nothing else is shown by it, once the chat goes on elsewhere.
  const again = await goOn(visit, theirs, 'Stop it.')
  assert.deepEqual(await streamed(), HIDDEN)
  stream.close()
  const mine = [
    ['It is me.', 'shown', 1],
    ['Still me.', 'shown', 1],
  ]
  assert.deepEqual(await answers(visit.token), [HIDDEN, ...mine, HIDDEN])
  assert.equal(await link(again, visit.token), 200)
  assert.deepEqual(await answers(visit.token), [
    ['Who is this? 5 Elm Road', 'shown', 1],
    ...mine,
    ['Stop it.', 'shown', 1],
  ])

  // An address that the site vouches for shows nothing of another either.
  const signed = await site.arrive()
  await goOn(signed, `victim${++people}@elsewhere.example`, 'And this?')
  const vouched = `vouched${++people}@visitors.example`
  assert.deepEqual(await answers(signed.token, { identity: await vouch(vouched) }), [HIDDEN])
  await site.page.say(signed.token, 'Hello again')
  assert.deepEqual(await answers(signed.token), [HIDDEN])
  await goOn(signed, vouched, 'Vouched for.')
  assert.deepEqual(await answers(signed.token), [HIDDEN, ['Vouched for.', 'shown', 1]])
  // Whose address it was is not known of a message from before that was kept.
  await sql`update messages set metadata = metadata - 'addressHash'
    where conversation_id = ${signed.conversationId} and metadata ? 'viaEmail'`.execute(db)
  assert.deepEqual(await answers(signed.token), [HIDDEN, HIDDEN])
})

test('an email that came back ends emailing there, and an automatic answer proves nothing', async () => {
  const site = await newSite()
  const visit = await site.arrive()
  await visit.leave(visit.email)
  await visit.reply('Yes.')
  await site.round()
  const ours = headerOf(visit.mails()[0]!.text, 'Message-ID')!
  await site.mailIn(
    written({
      from: visit.email,
      headers: [`In-Reply-To: ${ours}`, 'Auto-Submitted: auto-replied'],
      text: 'I am away.',
    }),
  )
  const row = () =>
    db
      .selectFrom('chat_emails')
      .selectAll()
      .where('conversation_id', '=', visit.conversationId)
      .executeTakeFirstOrThrow()
  assert.equal((await row()).proven_at, null)
  await site.mailIn(dsn({ recipient: visit.email, originalId: ours }))
  assert.notEqual((await row()).failed_at, null)
  await visit.reply('Still there?')
  await site.round()
  assert.equal(visit.mails().length, 1)
  assert.match((await site.lines(visit.conversationId)).join(), /could not be delivered/)
})

test('the address is asked for where there is a mailbox and an admin wants it, from whoever has written', async () => {
  const site = await newSite()
  const config = async () => JSON.parse((await app.inject(`/widget/${site.channelId}/config`)).body)
  assert.deepEqual([(await config()).asksEmail, (await config()).askAfterMinutes], [true, 5])
  const path = `/channels/${site.channelId}/chat-box`
  const change = (body: object) => site.admin.call('PATCH', path, body)
  for (const wrong of [
    { askAfterMinutes: 0 },
    { emailAfterMinutes: 121 },
    { mailboxId: site.channelId },
    { mailboxId: 'x' },
  ])
    assert.equal((await change(wrong)).status, 400)
  assert.equal((await change({ mailboxId: site.mailboxId, emailAfterMinutes: 1 })).status, 200)
  const { token } = await site.page.session()
  const ask = (email: unknown, by = token) => site.page.ask('/email', { email }, { token: by })
  assert.equal((await ask('a@b.example')).status, 400)
  const visit = await site.arrive()
  for (const wrong of ['nobody', '', 'a@b.example\r\nBcc: c@d.example', 5])
    assert.equal((await ask(wrong, visit.token)).status, 400)
  assert.equal((await site.page.ask('/email', { email: 'a@b.example' })).status, 401)
  const session = () =>
    site.page.session({ token: visit.token }) as Promise<unknown> as Promise<{
      email: unknown
      visitor: { email: unknown }
    }>
  assert.equal((await session()).email, null)
  await ask(null, visit.token)
  assert.deepEqual((await session()).email, { address: null })
  await ask('A@b.example', visit.token)
  assert.deepEqual((await session()).email, { address: 'a@b.example' })
  // A claim of the page is a claim, and an address that the site vouches for is proven.
  const claimed = await site.arrive({ claims: { email: 'claimed@b.example' } })
  const row = await db
    .selectFrom('chat_emails')
    .selectAll()
    .where('conversation_id', '=', claimed.conversationId)
    .executeTakeFirstOrThrow()
  assert.deepEqual([row.address, row.proven_at], ['claimed@b.example', null])
  pass(1)
  await change({ asksEmail: false })
  assert.equal((await ask('a@b.example', visit.token)).status, 400)
  assert.equal((await config()).asksEmail, false)
  await visit.reply('Yes.')
  await site.round()
  assert.equal(smtp.mailsTo('a@b.example').length, 0)
})

for (const language of CHAT_LANGUAGES)
  test(`the words of emails in ${language} are complete, with every value`, () => {
    const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()
    const [words, english] = [mailWords(language), mailWords('en')]
    assert.deepEqual(Object.keys(words), Object.keys(english))
    for (const [name, text] of Object.entries(words)) {
      assert.notEqual(text.trim(), '', name)
      assert.deepEqual(places(text), places(english[name as keyof typeof english]), name)
      if (language !== 'en') assert.notEqual(text, english[name as keyof typeof english], name)
    }
  })

test('each email goes out from the mailbox’s address, in the visitor’s language', async () => {
  const site = await newSite()
  const visit = await site.arrive()
  await visit.leave(visit.email, 'de')
  await visit.reply('Ja.')
  await site.round()
  const [mail] = visit.mails()
  assert.match(headerOf(mail!.text, 'From')!, new RegExp(MAILBOX))
  assert.match(headerOf(mail!.text, 'Subject')!, /Northwind hat auf Ihren Chat geantwortet/)
})
