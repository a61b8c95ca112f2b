// Emails that people write: recipients, quotes, formatted text, and whom they reached.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { simpleParser } from 'mailparser'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { startSmtp } from '../../../test/smtp.ts'
import { until } from '../../../test/until.ts'
import { receiveEmail } from '../../inbound/email/receive-email.ts'
import { connectMailbox, dsn, MAILBOX, written } from '../../inbound/email/testing/mails.ts'
import { makeHeldSender } from '../../jobs/send-held.ts'
import { storeUpload } from '../attachments/store-attachment.ts'
import { EMAIL_BODY_MAX, RECIPIENTS_MAX } from './schema.ts'

const app = await startApp({ worker: true, deps: { settleMs: 10_000 } })
const smtp = await startSmtp()
after(smtp.stop)
const { call, clock, db, deps, make } = app
const { id: w, token } = await make.workspace()
const channelId = await connectMailbox(app, w, { smtpUrl: smtp.url })
const jane = await signIn(app, w, (await make.agent(w, { nickname: 'Jane', role: 'admin' })).id)
const account = { id: channelId, address: MAILBOX, authenticationServers: [] }
const receive = (raw: string) => receiveEmail(app.ctxOf(w), account, Buffer.from(raw))

let count = 0
/** A conversation that somebody has begun by email, and what they wrote. */
const begun = async (mail: Parameters<typeof written>[0] = {}) => {
  const address = `customer${++count}@example.com`
  const { messageId } = await receive(written({ from: `Ines Moreau <${address}>`, ...mail }))
  const { conversation_id: id } = await db
    .selectFrom('messages')
    .select('conversation_id')
    .where('id', '=', messageId!)
    .executeTakeFirstOrThrow()
  return { id, address, messageId: messageId! }
}
const send = (conversationId: string, body: object) =>
  jane.call('POST', `/conversations/${conversationId}/messages`, body)
const sent = async (conversationId: string, body: object) => {
  const answer = await send(conversationId, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.message
}
const messageOf = (id: string) =>
  db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const mailTo = async (address: string) => {
  const [mail, ...more] = smtp.mailsTo(address)
  assert.equal(more.length, 0)
  assert.ok(mail, address)
  return { ...mail, parsed: await simpleParser(mail.text, { keepCidLinks: true }) }
}
const upload = async (name: string, mimeType: string, content: Buffer): Promise<string> => {
  const ctx = {
    ...app.ctxOf(w),
    actor: {
      ...{ type: 'agent' as const, accountId: jane.accountId },
      ...{ role: 'admin' as const, permissions: [] },
    },
  }
  const { id } = await storeUpload(ctx, { name, mimeType, stream: Readable.from([content]) })
  return id
}
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('everyone in To, Cc and Bcc gets it once, and nobody sees who is in Bcc', async () => {
  const { id, address } = await begun()
  const [cc, bcc] = [`cc${count}@firm.example`, `bcc${count}@firm.example`]
  const message = await sent(id, {
    body: 'Yes, we do.',
    email: {
      to: [{ name: 'Ines', address: address.toUpperCase() }],
      cc: [{ name: 'Cara, Ltd.', address: cc }, { address }],
      bcc: [{ address: bcc }, { address: cc.toUpperCase() }],
      subject: 'Re: Green bikes',
    },
  })
  const { recipients, text, parsed } = await mailTo(address)
  assert.deepEqual(recipients, [address, cc, bcc])
  assert.doesNotMatch(text, /bcc/i)
  assert.equal(parsed.subject, 'Re: Green bikes')
  assert.match(text, new RegExp(`^To: Ines <${address}>\r$`, 'm'))
  assert.match(text, new RegExp(`^Cc: "Cara, Ltd." <${cc}>\r$`, 'm'))
  assert.deepEqual(message.metadata.bcc, [{ name: '', address: bcc }])
  assert.equal(message.metadata.from.address, MAILBOX)
})

test('text without formatting is sent as plain text only, and formatted text as both', async () => {
  const plain = await begun()
  await sent(plain.id, { body: 'Plain.', email: { to: [{ address: plain.address }] } })
  const one = await mailTo(plain.address)
  assert.match(one.text, /^Content-Type: text\/plain/m)
  assert.doesNotMatch(one.text, /text\/html|multipart/)

  const { id, address } = await begun()
  const message = await sent(id, {
    body: 'ignored',
    email: {
      to: [{ address }],
      html: '<p>It is <b>green</b>, see <a href="https://northwind.example/bikes">our list</a>.</p><ul><li>One</li></ul>',
    },
  })
  const { parsed } = await mailTo(address)
  assert.equal(parsed.text?.trim(), 'It is green, see our list <https://northwind.example/bikes>.\n\n- One')
  assert.match(String(parsed.html), /<b>green<\/b>/)
  assert.equal(message.body, parsed.text?.trim())
  assert.equal(message.metadata.hasHtml, true)
  const content = await jane.call('GET', `/messages/${message.id}/email`)
  assert.match(content.body.html, /<b>green<\/b>/)
})

test('what a person sends runs nothing at its readers and can’t pose as a quote', async () => {
  const { id, address } = await begun()
  const message = await sent(id, {
    body: 'x',
    email: {
      to: [{ address }],
      html: '<p onclick="alert(1)">Hi<script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a></p><div class="gmail_quote" data-quote="">shown</div>',
    },
  })
  const { parsed } = await mailTo(address)
  const { body } = await jane.call('GET', `/messages/${message.id}/email`)
  for (const html of [String(parsed.html), body.html])
    assert.doesNotMatch(html, /script|onclick|onerror|javascript|quote/)
})

test('no recipient, subject or name can add a header or another recipient', async () => {
  const { id, address } = await begun()
  for (const bad of [
    'a@b.example\r\nBcc: c@d.example',
    'a@b.example, c@d.example',
    'a@b.example> <c@d.example',
    'not an address',
    '',
  ]) {
    const refused = await send(id, { body: 'Hello', email: { to: [{ address }], cc: [{ address: bad }] } })
    assert.deepEqual([refused.status, refused.body.error.details[0].field], [400, 'email.cc[0].address'], bad)
  }
  await sent(id, {
    body: 'Hello',
    email: {
      to: [{ name: 'x\r\nBcc: thief@evil.example', address }],
      subject: 'Hi\r\nBcc: thief@evil.example\u2028X-Evil: 1',
    },
  })
  const { recipients, text } = await mailTo(address)
  assert.deepEqual(recipients, [address])
  assert.doesNotMatch(text, /^(Bcc|X-Evil):/im)
})

test('an email has at most 50 recipients and 50,000 characters; other channels keep 2,000', async () => {
  const { id, address } = await begun()
  const many = Array.from({ length: RECIPIENTS_MAX }, (_, at) => ({ address: `p${at}@many.example` }))
  const refused = await send(id, { body: 'x', email: { to: [{ address }], cc: many } })
  assert.deepEqual([refused.status, refused.body.error.details[0].field], [400, 'email.to'])
  const to = [{ address }]
  assert.equal((await send(id, { body: 'x'.repeat(EMAIL_BODY_MAX + 1), email: { to } })).status, 400)
  const long = 'x'.repeat(EMAIL_BODY_MAX - 1)
  assert.equal((await sent(id, { body: long, email: { to } })).body, long)

  const telegram = await make.conversation(w, {
    channel: 'telegram',
    channelAccountId: await make.channelAccount(w, 'telegram'),
  })
  const other = await send(telegram.id, { body: 'x'.repeat(2_001) })
  assert.deepEqual([other.status, other.body.error.details[0].field], [400, 'body'])
  const misplaced = await send(telegram.id, { body: 'x', email: { to } })
  assert.deepEqual([misplaced.status, misplaced.body.error.details[0].field], [400, 'email'])
  const api = await call(token, 'POST', `/conversations/${id}/messages`, { body: 'x'.repeat(2_001) })
  assert.equal(api.status, 400)
})

test('a reply quotes what it answers, and comes back with the quote recognised', async () => {
  const { id, address, messageId } = await begun({ text: 'Do you have it in green?\r\n\r\n> An older line' })
  const message = await sent(id, {
    body: 'Yes, we do.',
    email: { to: [{ address }], quote: { messageId, as: 'reply' } },
  })
  assert.equal(message.body, 'Yes, we do.')
  const { parsed } = await mailTo(address)
  const quote = [
    `On 12 March 2024 at 09:15 UTC, Ines Moreau <${address}> wrote:`,
    '> Do you have it in green?',
    '>',
    '>> An older line',
  ].join('\n')
  assert.equal(parsed.text?.trim(), `Yes, we do.\n\n${quote}`)
  assert.ok(!parsed.html)
  const shown = await jane.call('GET', `/messages/${message.id}/email`)
  assert.equal(shown.body.text, `Yes, we do.\n\n${quote}`)
  const back = await app.ctxOf(w).channels.email.parseMail(Buffer.from(smtp.mailsTo(address)[0]!.text))
  assert.equal(back.visible.trim(), 'Yes, we do.')

  // Formatted: quoted as HTML, which mail programs fold.
  await sent(id, {
    body: 'x',
    email: { to: [{ address: `b${address}` }], html: '<p><b>Yes</b></p>', quote: { messageId, as: 'reply' } },
  })
  const formatted = await mailTo(`b${address}`)
  assert.match(String(formatted.parsed.html), /<div class="gmail_quote">.*<blockquote type="cite"/s)
  const read = await app.ctxOf(w).channels.email.parseMail(Buffer.from(formatted.text))
  assert.equal(read.visible.trim(), 'Yes')

  const elsewhere = await begun()
  for (const quoted of [elsewhere.messageId, 'nothing']) {
    const refused = await send(id, {
      body: 'x',
      email: { to: [{ address }], quote: { messageId: quoted, as: 'reply' } },
    })
    assert.deepEqual([refused.status, refused.body.error.details[0].field], [400, 'email.quote.messageId'])
  }
})

const RICH = [
  'Content-Type: multipart/mixed; boundary="M"',
  '',
  '--M',
  'Content-Type: multipart/related; boundary="R"',
  '',
  '--R',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>See <img src="cid:logo@x" alt="Logo"> and <img src="https://web.example/p.png">.</p>',
  '--R',
  'Content-Type: image/png; name=logo.png',
  'Content-ID: <logo@x>',
  'Content-Disposition: inline; filename=logo.png',
  'Content-Transfer-Encoding: base64',
  '',
  PIXEL.toString('base64'),
  '--R--',
  '--M',
  'Content-Type: application/pdf; name=invoice.pdf',
  'Content-Disposition: attachment; filename=invoice.pdf',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('the invoice').toString('base64'),
  '--M--',
  '',
].join('\r\n')

test('a forwarded email goes to somebody else with its layout, images and files; the customer still waits', async () => {
  const address = `customer${++count}@example.com`
  const raw = written({ from: `Ines <${address}>`, subject: 'My invoice' })
  const [head] = raw.split('\r\nContent-Type:')
  const { messageId } = await receive(`${head}\r\n${RICH}`)
  const { conversation_id: id } = await messageOf(messageId!)
  const files = await db.selectFrom('attachments').selectAll().where('message_id', '=', messageId!).execute()
  const pdf = files.find(({ name }) => name === 'invoice.pdf')!
  const to = `books${count}@firm.example`
  const message = await sent(id, {
    email: {
      to: [{ address: to }],
      subject: 'Fwd: My invoice',
      quote: { messageId: messageId!, as: 'forward', fileIds: files.map(({ id }) => id) },
    },
  })
  const { parsed, text, recipients } = await mailTo(to)
  assert.deepEqual(recipients, [to])
  assert.match(parsed.text ?? '', /^---------- Forwarded message ---------\nFrom: Ines </)
  assert.match(parsed.text ?? '', /Subject: My invoice/)
  assert.deepEqual(
    parsed.attachments.map(({ filename, content, related }) => [filename, content.length, related ?? false]),
    [
      ['logo.png', PIXEL.length, true],
      ['invoice.pdf', 11, false],
    ],
  )
  const cid = /src="cid:([^"]+)"/.exec(String(parsed.html))?.[1]
  assert.equal(parsed.attachments[0]!.cid, cid)
  assert.match(String(parsed.html), /src="https:\/\/web\.example\/p\.png"/)
  // A thread of its own, which shows nothing of ours with the customer.
  assert.doesNotMatch(text, /^(In-Reply-To|References):/im)
  assert.equal(message.body, 'Fwd: My invoice')
  const conversation = await db
    .selectFrom('conversations')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  assert.notEqual(conversation!.waiting_since, null)
  // The next reply is to the customer's email, not to what was forwarded.
  await sent(id, { body: 'Thank you.', email: { to: [{ address }] } })
  const reply = await mailTo(address)
  assert.equal(reply.parsed.inReplyTo, (await messageOf(messageId!)).external_id)

  const other = await begun()
  const stolen = await send(other.id, {
    email: { to: [{ address: to }], quote: { messageId: other.messageId, as: 'forward', fileIds: [pdf.id] } },
  })
  assert.deepEqual([stolen.status, stolen.body.error.details[0].field], [400, 'email.quote.fileIds[0]'])
})

test('a pasted image is sent within the text', async () => {
  const { id, address } = await begun()
  const imageId = await upload('pasted.png', 'image/png', PIXEL)
  const message = await sent(id, {
    body: 'Look',
    attachmentIds: [imageId],
    email: { to: [{ address }], html: `<p>Look: <img src="cid:${imageId}" alt="A bike"></p>` },
  })
  const { parsed } = await mailTo(address)
  const cid = /src="cid:([^"]+)"/.exec(String(parsed.html))?.[1]
  assert.deepEqual(
    parsed.attachments.map(({ cid, content }) => [cid, content.length]),
    [[cid, PIXEL.length]],
  )
  assert.deepEqual(message.metadata.inlineIds, [imageId])
  const shown = await jane.call('GET', `/messages/${message.id}/email`)
  assert.match(shown.body.html, new RegExp(`data-attachment="${imageId}"`))
  assert.ok(shown.body.images[imageId])
})

test('undoing gives recipients, subject, formatting and quote back; sending later keeps them', async () => {
  const { id, address, messageId } = await begun()
  const email = {
    to: [{ name: 'Ines', address }],
    bcc: [{ address: `hidden${count}@firm.example` }],
    subject: 'Re: Green',
    html: '<p><i>Yes</i></p>',
    quote: { messageId, as: 'reply' },
  }
  const first = await send(id, { body: 'Yes', email, undoSeconds: 5 })
  const undone = await jane.call('POST', `/outbox/${first.body.held.id}/undo`)
  assert.deepEqual(undone.body.held.email, email)
  assert.equal(smtp.mailsTo(address).length, 0)

  await send(id, { body: 'Yes', email, undoSeconds: 5 })
  const { now } = clock
  clock.now = () => new Date(now().getTime() + 6_000)
  await makeHeldSender({ ...deps, log: app.app.log }).sendDue()
  clock.now = now
  await until(() => smtp.mailsTo(address).length === 1, 'the email')
  const { recipients, parsed } = await mailTo(address)
  assert.deepEqual(recipients, [address, email.bcc[0]!.address])
  assert.equal(parsed.subject, 'Re: Green')
  assert.match(String(parsed.html), /<i>Yes<\/i>.*wrote:/s)
})

test('a recipient whom the mail server refuses is named, and trying again writes to them only', async () => {
  const { id, address } = await begun()
  const cc = `gone${count}@firm.example`
  smtp.refuse(cc, 550)
  const message = await sent(id, { body: 'Hello', email: { to: [{ address }], cc: [{ address: cc }] } })
  assert.equal(message.status, 'sent')
  const { undelivered } = (await messageOf(message.id)).metadata as { undelivered: { address: string }[] }
  assert.deepEqual(undelivered, [{ address: cc, code: 'SMTP_550', message: '550 No such mailbox' }])
  smtp.refuse(cc)
  assert.equal((await jane.call('POST', `/messages/${message.id}/retry`)).status, 200)
  await until(() => smtp.mailsTo(cc).length === 1, 'the second try')
  assert.deepEqual((await mailTo(cc)).recipients, [cc])
  await until(async () => (await messageOf(message.id)).status === 'sent', 'it to be sent')
  assert.equal((await messageOf(message.id)).metadata?.undelivered, undefined)
  assert.equal(smtp.mailsTo(address).length, 1)
})

test('a bounce names its recipient; the message fails once nobody in To has it', async () => {
  const { id, address } = await begun()
  const cc = `away${count}@firm.example`
  const message = await sent(id, { body: 'Hello', email: { to: [{ address }], cc: [{ address: cc }] } })
  const originalId = (await messageOf(message.id)).external_id!
  await receive(dsn({ recipient: cc, originalId }))
  const partly = await messageOf(message.id)
  assert.equal(partly.status, 'sent')
  const { undelivered } = partly.metadata as { undelivered: { address: string; code: string }[] }
  assert.deepEqual(
    undelivered.map(({ address, code }) => [address, code]),
    [[cc, '5.1.1']],
  )
  // About somebody who never got it.
  await receive(dsn({ recipient: 'stranger@firm.example', originalId }))
  await receive(dsn({ recipient: address, originalId }))
  const failed = await messageOf(message.id)
  assert.equal(failed.status, 'failed')
  assert.equal((failed.metadata as { undelivered: unknown[] }).undelivered.length, 2)
})

test('somebody in Cc who replies gets a conversation of their own that leads to this one', async () => {
  const { id, address } = await begun()
  const cc = `colleague${count}@firm.example`
  const message = await sent(id, { body: 'Hello', email: { to: [{ address }], cc: [{ address: cc }] } })
  const { messageId } = await receive(
    written({
      from: `Colin <${cc}>`,
      headers: [`In-Reply-To: ${(await messageOf(message.id)).external_id}`],
      text: 'I can help.',
    }),
  )
  const theirs = await messageOf(messageId!)
  assert.notEqual(theirs.conversation_id, id)
  assert.equal(theirs.metadata?.relatedConversationId, id)
})

test('writing to the Reply-To of another domain chooses it for later replies', async () => {
  const { id, address } = await begun({ headers: ['Reply-To: desk@other.example'] })
  await sent(id, { body: 'One', email: { to: [{ address }] } })
  await sent(id, { body: 'Two', email: { to: [{ address: 'desk@other.example' }] } })
  await call(token, 'POST', `/conversations/${id}/messages`, { body: 'Three' })
  assert.equal(smtp.mailsTo('desk@other.example').length, 2)
  assert.equal(smtp.mailsTo(address).length, 1)
})
