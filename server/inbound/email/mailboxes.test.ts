// Email over real servers, Dovecot and Postfix, where they are installed.
import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import nodemailer from 'nodemailer'
import { startApp } from '../../../test/app.ts'
import { noMailServers, OUR_DOMAIN, startMailServers, THEIR_DOMAIN } from '../../../test/mail-servers.ts'
import { until } from '../../../test/until.ts'
import { addChannelAccount } from '../../domain/channel-accounts/add-channel-account.ts'
import { updateChannelAccount } from '../../domain/channel-accounts/update-channel-account.ts'
import { startMailboxes } from './mailboxes.ts'

const skip = noMailServers()
const SUPPORT = `support@${OUR_DOMAIN}`
const SALES = `sales@${OUR_DOMAIN}`
const OFFICE = `office@${OUR_DOMAIN}`
const MARIA = `maria@${THEIR_DOMAIN}`
const TOKEN = 'ya29.good'

/** An OAuth server: issues access tokens for one refresh token, and validates them for Dovecot. */
const startSignInServer = async () => {
  const seen = { renewals: 0, isRevoked: false }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const form = new URLSearchParams(body)
    const answer = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (request.url === '/introspect')
      return answer(200, { active: form.get('token') === TOKEN, username: OFFICE })
    seen.renewals += 1
    if (seen.isRevoked || form.get('refresh_token') !== 'refresh-1')
      return answer(400, { error: 'invalid_grant' })
    answer(200, { access_token: TOKEN, expires_in: 3600, token_type: 'Bearer' })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

test('email over IMAP and SMTP', { skip, timeout: 120_000 }, async (t) => {
  const signIn = await startSignInServer()
  const servers = await startMailServers({
    mailboxes: [SUPPORT, SALES, OFFICE, MARIA],
    introspectionUrl: `${signIn.url}/introspect`,
  })
  after(servers.stop)
  const { app, call, ctxOf, database, db, deps, make, seal } = await startApp({ worker: true })
  const workspace = await make.workspace({ name: 'Shop' })
  const ctx = { ...ctxOf(workspace.id), seal, publicUrl: 'http://foyer.test' }
  const connect = (address: string, fields: Record<string, string>) =>
    addChannelAccount(ctx, { channel: 'email', fields: { address, smtpUrl: servers.smtpUrl, ...fields } })
  const support = await connect(SUPPORT, { imapUrl: servers.imapUrl(SUPPORT) })
  const mailboxes = startMailboxes({
    ...deps,
    log: app.log,
    connectionString: database.connectionString,
    lookEveryMs: 100,
  })
  after(mailboxes.stop)

  const customer = nodemailer.createTransport(servers.smtpUrl)
  const write = (to: string, mail: Record<string, unknown>) =>
    customer.sendMail({ from: `Maria <${MARIA}>`, to, ...mail })
  const inbound = async (): Promise<{ id: string; body: string; conversationId: string }[]> => {
    const { body } = await call(workspace.token, 'GET', '/messages?limit=100')
    return body.messages
  }
  const arrived = async (text: string) => {
    await until(
      async () => (await inbound()).some(({ body }) => body === text),
      `"${text}" to arrive`,
      20_000,
    )
    return (await inbound()).find(({ body }) => body === text)!
  }
  const count = async (text: string) => (await inbound()).filter(({ body }) => body === text).length

  let conversationId = ''

  await t.test(
    'a mail comes in as it arrives, and the answer comes back into the same conversation',
    async () => {
      await write(SUPPORT, {
        subject: 'My order',
        text: 'Where is my order?',
        messageId: `<first@${THEIR_DOMAIN}>`,
      })
      ;({ conversationId } = await arrived('Where is my order?'))
      const answer = await call(workspace.token, 'POST', `/conversations/${conversationId}/messages`, {
        body: 'On its way.',
      })
      assert.equal(answer.body.message.status, 'sent')
      const folder = join(servers.maildir(MARIA), 'new')
      await until(() => readdirSync(folder).length === 1, 'the answer in her mailbox')
      const { messageId } = await db
        .selectFrom('messages')
        .select('external_id as messageId')
        .where('id', '=', answer.body.message.id)
        .executeTakeFirstOrThrow()
      await write(SUPPORT, {
        subject: 'Re: My order',
        inReplyTo: messageId,
        text: `Thank you!\n\nOn Saturday, Shop <${SUPPORT}> wrote:\n> On its way.`,
      })
      const thanks = await arrived('Thank you!')
      assert.equal(thanks.conversationId, conversationId)
    },
  )

  await t.test('an undeliverable email fails with the reason', async () => {
    const { body } = await call(workspace.token, 'POST', '/conversations', {
      email: `nobody@${THEIR_DOMAIN}`,
      message: 'Are you there?',
    })
    const failed = async () => {
      const thread = await call(workspace.token, 'GET', `/conversations/${body.conversation.id}/messages`)
      return thread.body.messages.find((message: { status: string }) => message.status === 'failed')
    }
    await until(async () => (await failed()) !== undefined, 'the bounce', 20_000)
    assert.equal((await failed()).metadata.error.code, '5.1.1')
  })

  await t.test('a recreated folder stores nothing twice, and new emails once', async () => {
    const before = (await inbound()).length
    await servers.stopImap()
    await write(SUPPORT, { subject: 'While away', text: 'Sent while the server was away.' })
    for (const file of readdirSync(servers.maildir(SUPPORT)))
      if (file.startsWith('dovecot')) rmSync(join(servers.maildir(SUPPORT), file), { recursive: true })
    await servers.startImap()
    await arrived('Sent while the server was away.')
    await write(SUPPORT, { subject: 'Afterwards', text: 'Sent afterwards.' })
    await arrived('Sent afterwards.')
    assert.equal((await inbound()).length, before + 2)
    assert.equal(await count('Where is my order?'), 1)
  })

  const problem = async (id: string) =>
    (await db.selectFrom('channel_accounts').select('problem').where('id', '=', id).executeTakeFirstOrThrow())
      .problem

  await t.test('a wrong password is shown, delays no other mailbox, and is cleared once fixed', async () => {
    const sales = await connect(SALES, { imapUrl: servers.imapUrl(SALES, 'wrong') })
    await until(async () => (await problem(sales.id)) !== null, 'the problem', 20_000)
    assert.equal((await problem(sales.id))?.code, 'MAILBOX_CREDENTIALS')
    await write(SALES, { subject: 'Bulk', text: 'A hundred bowls, please.' })
    await write(SUPPORT, { subject: 'Other', text: 'Not held up.' })
    await arrived('Not held up.')
    assert.equal(await count('A hundred bowls, please.'), 0)
    assert.equal(await problem(support.id), null)
    await updateChannelAccount(ctx, { channelId: sales.id, changes: { imapUrl: servers.imapUrl(SALES) } })
    await arrived('A hundred bowls, please.')
    await until(async () => (await problem(sales.id)) === null, 'the problem to be over')
  })

  await t.test('a mailbox that requires OAuth is read with a token that is renewed', async () => {
    await write(OFFICE, { subject: 'Token', text: 'Read with a token.' })
    const imap = new URL(servers.imapUrl(OFFICE))
    imap.password = ''
    const fields = {
      imapUrl: imap.toString(),
      oauthTokenUrl: `${signIn.url}/token`,
      oauthClientId: 'foyer',
      oauthRefreshToken: 'refresh-1',
    }
    const office = await connect(OFFICE, fields)
    await arrived('Read with a token.')
    assert.equal(signIn.seen.renewals, 1)
    signIn.seen.isRevoked = true
    await updateChannelAccount(ctx, { channelId: office.id, changes: { oauthRefreshToken: 'refresh-2' } })
    await until(async () => (await problem(office.id)) !== null, 'the problem', 20_000)
    assert.match((await problem(office.id))?.message ?? '', /invalid_grant/)
  })
})
