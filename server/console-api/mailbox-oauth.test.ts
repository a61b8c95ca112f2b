// Mailboxes that are connected by signing in at their provider, which the sandbox plays.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { startApp } from '../../test/app.ts'
import { callConsole, signIn } from '../../test/console.ts'
import { until } from '../../test/until.ts'
import { MAILBOX_OAUTH_PATH, makeMailOauth } from '../domain/channel-accounts/mailbox-oauth/provider.ts'
import { findChannelAccount, openSecrets } from '../domain/channel-accounts/queries.ts'

const PUBLIC_URL = 'http://foyer.test'
const sandbox = await startSandbox({ smtpPort: 0 })
after(() => sandbox.stop())
const client = {
  issuer: `${sandbox.url}/oidc`,
  clientId: 'foyer',
  clientSecret: 'sandbox-client-secret',
  smtpUrl: sandbox.smtpUrl!,
  imapUrl: null,
}
const now = (): Date => new Date()
const mailOauth = (['google', 'microsoft'] as const).map((name) =>
  makeMailOauth({ ...client, name }, { publicUrl: PUBLIC_URL, now }),
)
const app = await startApp({ worker: true, deps: { console: { mailOauth } } })
const { db, make } = app
const { id: w } = await make.workspace()
const admin = await signIn(app, w, (await make.agent(w, { role: 'admin' })).id)
const added = (email: string): { id: string; email: string } => {
  const { id } = sandbox.control.addPerson({ name: email, email })
  return { id, email }
}
const mailbox = added('support@kiln.example')
const other = added('sales@kiln.example')

type Browser = { cookie: string; search: string }

/** Begins in the console, and signs in at the provider as a person; null declines. */
const signInAs = async (personId: string | null, body: object): Promise<Browser> => {
  const started = await admin.call('POST', '/mailbox-sign-in', body)
  assert.equal(started.status, 200, started.text)
  const cookie = String([started.headers['set-cookie']].flat()[0]).split(';')[0]!
  const { url } = started.body
  const asked = new URL(url)
  assert.equal(asked.searchParams.get('redirect_uri'), `${PUBLIC_URL}${MAILBOX_OAUTH_PATH}`)
  assert.equal(asked.searchParams.get('code_challenge_method'), 'S256')
  const page = await (await fetch(url)).text()
  const request = /name="request" value="([^"]+)"/.exec(page)?.[1]
  assert.ok(request, page)
  const decided = await fetch(`${sandbox.url}/oidc/authorize`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ request, ...(personId && { person: personId }) }),
  })
  const { search } = new URL(decided.headers.get('location')!)
  return { cookie, search: search.slice(1) }
}
const finish = ({ cookie, search }: Browser, workspaceId = w, secret = admin.secret) =>
  callConsole(
    app,
    null,
    'POST',
    `/workspaces/${workspaceId}/mailbox-sign-in/finish`,
    { search },
    {
      headers: { cookie: `foyer_session=${secret}; ${cookie}` },
    },
  )

test('a mailbox is connected by signing in, sends with access tokens, and nobody types a server', async () => {
  const { providers } = (await admin.call('GET', '/mailbox-sign-in')).body
  assert.deepEqual(providers, [
    { name: 'google', label: 'Google' },
    { name: 'microsoft', label: 'Microsoft 365' },
  ])
  const answer = await finish(await signInAs(mailbox.id, { provider: 'google' }))
  assert.equal(answer.status, 200, answer.text)
  const { channel, checks } = answer.body
  assert.deepEqual([channel.channel, channel.address], ['email', mailbox.email])
  assert.ok(checks.every(({ ok }: { ok: boolean }) => ok))
  const account = await findChannelAccount(app.ctxOf(w), channel.id)
  const secrets = openSecrets(app.ctxOf(w).seal, account!) as Record<string, string>
  assert.match(secrets.oauthRefreshToken!, /^\S{20,}$/)
  assert.equal(answer.text.includes(secrets.oauthRefreshToken!), false)
  const stored = await db.selectFrom('channel_accounts').selectAll().where('id', '=', channel.id).execute()
  assert.equal(JSON.stringify(stored).includes(secrets.oauthRefreshToken!), false)

  const started = await admin.call('POST', '/new-conversation', {
    channelId: channel.id,
    body: 'Hello',
    email: { to: [{ address: other.email }] },
  })
  assert.equal(started.status, 200, started.text)
  const statusOf = async () =>
    (
      await db
        .selectFrom('messages')
        .select('status')
        .where('conversation_id', '=', started.body.conversationId)
        .where('sender_type', '=', 'agent')
        .executeTakeFirst()
    )?.status
  await until(async () => (await statusOf()) === 'sent', 'the email to be sent')
})

test('access that is withdrawn makes the channel fail, and reconnecting mends it, for the same mailbox only', async () => {
  const row = await db
    .selectFrom('channel_accounts')
    .select('id')
    .where('address', '=', mailbox.email)
    .executeTakeFirstOrThrow()
  sandbox.control.revokeOidc()
  const { forgetAccessToken } = await import('../../channels/email/access-token.ts')
  const account = await findChannelAccount(app.ctxOf(w), row.id)
  forgetAccessToken(openSecrets(app.ctxOf(w).seal, account!) as Record<string, string>)
  await admin.call('POST', `/channels/${row.id}/check`)
  const shown = async () =>
    (await admin.call('GET', '/channels')).body.channels.find(({ id }: { id: string }) => id === row.id)
  const { problem } = await shown()
  assert.match(problem.message, /sign-in could not be renewed: invalid_grant/)
  assert.match(problem.advice, /Reconnect/)

  const wrong = await finish(await signInAs(other.id, { provider: 'google', channelId: row.id }))
  assert.deepEqual([wrong.status, wrong.body.error.details[0].field], [400, 'address'])
  assert.ok((await shown()).problem)
  const right = await finish(await signInAs(mailbox.id, { provider: 'google', channelId: row.id }))
  assert.equal(right.status, 200, right.text)
  assert.equal((await shown()).problem, null)
})

test('a sign-in ends once, in the browser and the workspace in which it began, and not if it was declined', async () => {
  const declined = await finish(await signInAs(null, { provider: 'microsoft' }))
  assert.equal(declined.body.error.message, 'You didn’t give access to the mailbox.')

  const begun = await signInAs(other.id, { provider: 'microsoft' })
  const count = async () =>
    (await db.selectFrom('channel_accounts').select('id').where('workspace_id', '=', w).execute()).length
  const before = await count()
  const { id: elsewhere } = await make.workspace()
  const theirs = await signIn(app, elsewhere, (await make.agent(elsewhere, { role: 'admin' })).id)
  for (const refused of [
    await finish({ ...begun, cookie: 'x=y' }),
    await finish({ ...begun, search: begun.search.replace(/state=[^&]+/, 'state=other') }),
    await finish(begun, elsewhere, theirs.secret),
  ])
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'MAILBOX_SIGN_IN_FAILED'])
  assert.equal(await count(), before)
  assert.equal((await finish(begun)).status, 200)
  assert.equal((await finish(begun)).body.error.code, 'MAILBOX_SIGN_IN_FAILED')
  const plain = await make.agent(w, { role: 'agent' })
  const agent = await signIn(app, w, plain.id)
  assert.equal((await agent.call('POST', '/mailbox-sign-in', { provider: 'google' })).status, 403)
  assert.equal(
    (await admin.call('POST', '/mailbox-sign-in', { provider: 'google', channelId: 'nothing' })).status,
    404,
  )
})
