// Console sign-in through an identity provider, which the sandbox plays, as a browser goes through it.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, test } from 'node:test'
import { configureOutbound } from '../../../../channels/protocol/outbound.ts'
import type { OidcFaultInput } from '../../../../sandbox/oidc/faults.ts'
import { startSandbox } from '../../../../sandbox/sandbox.ts'
import { startApp } from '../../../../test/app.ts'
import { callConsole } from '../../../../test/console.ts'
import { sweepOldRows } from '../../../jobs/sweep-old-rows.ts'
import { createSignInLink } from '../create-sign-in-link.ts'
import { makeOidcProvider, type OidcProvider } from './provider.ts'
import type { OidcSettings } from './settings.ts'
import { unlinkOidc } from './unlink-oidc.ts'

const MINUTE_MS = 60_000
const CALLBACK = '/console/api/sign-in/oidc/callback'

const sandbox = await startSandbox({ oidc: { redirectUri: `http://foyer.test${CALLBACK}` } })
const { control } = sandbox

/** Where the tests may change the settings, and what is behind them. */
const settings: OidcSettings = {
  issuer: `${sandbox.url}/oidc`,
  clientId: 'foyer',
  clientSecret: 'sandbox-client-secret',
  name: 'Sandbox',
  allowedDomains: [],
  trustsEmails: false,
  isOnly: false,
}
const limits: { timeoutMs?: number } = {}
let provider: OidcProvider
const oidc: OidcProvider = {
  ...settings,
  authorizationUrl: (keys) => provider.authorizationUrl(keys),
  identify: (parameters, keys) => provider.identify(parameters, keys),
}
const app = await startApp({ deps: { console: { sendsMail: true, oidc } } })
const { clock, db, make } = app
/** Requests to another address than the provider's. */
let strays = 0
const elsewhere = createServer((_request, response) => {
  strays++
  response.end('{"keys": []}')
})
await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
const elsewhereUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
after(async () => {
  elsewhere.close()
  elsewhere.closeAllConnections()
  await sandbox.stop()
})

const { now: databaseNow } = clock
beforeEach(() => {
  clock.now = databaseNow
  // The provider is reached although the operator lists nothing.
  configureOutbound({ allow: [] })
  control.clearOidcFaults()
  Object.assign(oidc, settings)
  delete limits.timeoutMs
  provider = makeOidcProvider(settings, {
    publicUrl: 'http://foyer.test',
    now: () => clock.now(),
    get timeoutMs() {
      return limits.timeoutMs
    },
  })
})

let count = 0
/** A member with an account at the provider. */
const newMember = async (email = `member${++count}@kiln.example`) => {
  const agent = await make.agent(workspace.id, { email: email.toLowerCase() })
  return { ...agent, personId: personAt(email) }
}
const personAt = (email: string): string => control.addPerson({ name: email.split('@')[0]!, email })!.id

type Cookies = Record<string, string>
const headerOf = (cookies: Cookies): string =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
const cookiesOf = (headers: Record<string, unknown>): Cookies =>
  Object.fromEntries(
    [headers['set-cookie'] ?? []]
      .flat()
      .map((line) => String(line).split(';', 1)[0]!.split('=') as [string, string]),
  )

const start = async (to?: string) => {
  const answer = await callConsole(app, null, 'POST', '/sign-in/oidc', { ...(to !== undefined && { to }) })
  assert.equal(answer.status, 200, answer.text)
  return { url: answer.body.url as string, cookies: cookiesOf(answer.headers), headers: answer.headers }
}

/** Chooses a person on the provider's page, or cancels, and returns where the browser is sent. */
const choose = async (url: string, personId: string | null): Promise<string> => {
  const page = await (await fetch(url)).text()
  const request = /name="request" value="([\w-]+)"/.exec(page)?.[1]
  assert.ok(request, page)
  const answer = await fetch(`${sandbox.url}/oidc/authorize`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ request, ...(personId !== null && { person: personId }) }),
  })
  assert.equal(answer.status, 303)
  return answer.headers.get('location')!
}

const visit = async (url: string, cookies: Cookies) => {
  const { pathname, search } = new URL(url)
  const answer = await app.app.inject({
    method: 'GET',
    url: pathname + search,
    headers: { cookie: headerOf(cookies), 'user-agent': 'Browser' },
  })
  assert.equal(answer.statusCode, 303, answer.body)
  const to = new URL(answer.headers.location as string, 'http://foyer.test')
  const { foyer_session: session } = cookiesOf(answer.headers)
  return {
    at: to.pathname + to.search,
    problem: to.searchParams.get('problem'),
    session: session === undefined ? null : session,
    cookies: answer.headers['set-cookie'] as unknown as string[],
    headers: answer.headers,
  }
}

const signIn = async (personId: string | null, to?: string) => {
  const { url, cookies } = await start(to)
  return visit(await choose(url, personId), cookies)
}

/** Whose session it is. */
const emailOf = async (session: string | null): Promise<string> =>
  (await callConsole(app, session, 'GET', '/session')).body.account.email

const assertRefused = async (personId: string, problem: string): Promise<void> => {
  const sessions = async () => (await db.selectFrom('sessions').select('hash').execute()).length
  const before = await sessions()
  const { session, ...refused } = await signIn(personId)
  assert.deepEqual([refused.problem, session, await sessions()], [problem, null, before])
}

const entriesAbout = (accountId: string) =>
  db
    .selectFrom('audit_log')
    .select(['action', 'actor', 'changes', 'user_agent'])
    .where('target_id', '=', accountId)
    .orderBy('id')
    .execute()

test('a member signs in with their verified email, and is brought to where they were going', async () => {
  const member = await newMember()
  const begun = await start('/contacts?q=anna#top')
  assert.match(
    String(begun.headers['set-cookie']),
    /^foyer_oidc=[^;]+; Max-Age=1800; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const asked = new URL(begun.url).searchParams
  assert.equal(asked.get('redirect_uri'), `http://foyer.test${CALLBACK}`)
  assert.deepEqual([asked.get('code_challenge_method'), asked.get('scope')], ['S256', 'openid email'])
  const { at, session, cookies, headers } = await visit(
    await choose(begun.url, member.personId),
    begun.cookies,
  )
  assert.equal(at, '/contacts?q=anna')
  assert.match(String(headers.location), /#top$/)
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.ok(cookies.some((line) => /^foyer_oidc=; .*Expires=Thu, 01 Jan 1970/.test(line)))
  assert.match(
    cookies.join('\n'),
    /^foyer_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/m,
  )
  assert.equal(await emailOf(session), member.email)
  assert.deepEqual(await entriesAbout(member.id), [
    {
      action: 'sign_in.succeeded',
      actor: `agent:${member.id}`,
      changes: { method: { to: 'oidc' } },
      user_agent: 'Browser',
    },
  ])
})

test('the person at the provider stays the same person here when their email changes there', async () => {
  const anna = await newMember()
  const bela = await newMember()
  assert.equal(await emailOf((await signIn(anna.personId)).session), anna.email)
  control.setOidcAccount(anna.personId, { email: bela.email })
  assert.equal(await emailOf((await signIn(anna.personId)).session), anna.email)
  // Not even a verified email is needed any more.
  control.setOidcAccount(anna.personId, { email: null })
  assert.equal(await emailOf((await signIn(anna.personId)).session), anna.email)
  assert.equal(await emailOf((await signIn(bela.personId)).session), bela.email)
})

test('whoever has the email of a linked account later is refused, which its workspace’s audit log says', async () => {
  const anna = await newMember()
  await signIn(anna.personId)
  const heir = personAt('heir@kiln.example')
  control.setOidcAccount(heir, { email: anna.email })
  await assertRefused(heir, 'other_subject')
  const entries = await entriesAbout(anna.id)
  assert.deepEqual(
    entries.map(({ action, actor }) => [action, actor]),
    [
      ['sign_in.succeeded', `agent:${anna.id}`],
      ['sign_in.failed', 'unknown'],
    ],
  )
  assert.equal(await emailOf((await signIn(anna.personId)).session), anna.email)

  // Once the operator has unlinked the account, the next one is linked.
  assert.deepEqual(await unlinkOidc(app.deps, { email: anna.email.toUpperCase() }), { unlinked: 1 })
  assert.equal(await emailOf((await signIn(heir)).session), anna.email)
  await assertRefused(anna.personId, 'other_subject')
  await assert.rejects(unlinkOidc(app.deps, { email: 'nobody@kiln.example' }), { code: 'VALIDATION_ERROR' })
})

test('of two people at the provider with one email, only one is ever linked, even at the same time', async () => {
  const anna = await newMember()
  const twin = personAt('twin@kiln.example')
  control.setOidcAccount(twin, { email: anna.email })
  const both = await Promise.all([signIn(anna.personId), signIn(twin)])
  assert.deepEqual(both.map(({ problem }) => problem).sort(), ['other_subject', null].sort())
})

test('an email counts if the provider says that it is verified, or the operator trusts the provider', async () => {
  for (const emailVerified of [false, undefined, 'false', 1, null]) {
    const member = await newMember()
    control.setOidcAccount(member.personId, { emailVerified })
    await assertRefused(member.personId, 'email_unverified')
    oidc.trustsEmails = true
    assert.equal(await emailOf((await signIn(member.personId)).session), member.email)
    oidc.trustsEmails = false
  }
  const member = await newMember()
  control.setOidcAccount(member.personId, { emailVerified: 'true' })
  assert.equal(await emailOf((await signIn(member.personId)).session), member.email)
  control.setOidcAccount((await newMember()).personId, { email: null })
})

test('an email that is not in the ID token is asked for at the provider’s userinfo endpoint', async () => {
  const member = await newMember()
  control.setOidcAccount(member.personId, { emailAt: 'userinfo' })
  assert.equal(await emailOf((await signIn(member.personId)).session), member.email)
  control.addOidcFault({ kind: 'other-subject' })
  await assertRefused(member.personId, 'invalid')
  const nameless = await newMember()
  control.setOidcAccount(nameless.personId, { email: null, emailAt: 'userinfo' })
  await assertRefused(nameless.personId, 'email_unverified')
})

test('strangers, former members and the AI agent’s email are refused, and nobody becomes a member', async () => {
  const accounts = async () => (await db.selectFrom('accounts').select('id').execute()).length
  const former = await newMember()
  const linked = await newMember()
  await signIn(linked.personId)
  for (const { id } of [former, linked])
    await db
      .updateTable('memberships')
      .set({ removed_at: clock.now() })
      .where('account_id', '=', id)
      .execute()
  const before = await accounts()
  for (const personId of [
    personAt('stranger@kiln.example'),
    former.personId,
    linked.personId,
    personAt('ai@agents.invalid'),
  ])
    await assertRefused(personId, 'no_account')
  assert.equal(await accounts(), before)
  const links = await db
    .selectFrom('oidc_subjects')
    .select('issuer')
    .where('account_id', '=', former.id)
    .execute()
  assert.deepEqual(links, [])
})

test('emails are compared in lower case, and a letter that only looks the same is another', async () => {
  const member = await newMember('kim.Öz@kiln.example')
  control.setOidcAccount(member.personId, { email: ' Kim.ÖZ@KILN.example ' })
  assert.equal(await emailOf((await signIn(member.personId)).session), 'kim.öz@kiln.example')
  const twin = personAt('twin2@kiln.example')
  await newMember('kai@kiln.example')
  for (const email of [
    '\u212Aai@kiln.example',
    'k\u0430i@kiln.example',
    'kai@kiln.example\0',
    `${'k'.repeat(300)}@x.example`,
  ]) {
    control.setOidcAccount(twin, { email })
    const { problem, session } = await signIn(twin)
    assert.ok(problem === 'no_account' || problem === 'email_unverified', `${email}: ${problem}`)
    assert.equal(session, null)
  }
})

test('with allowed domains, only their emails sign in, also later', async () => {
  oidc.allowedDomains = ['kiln.example']
  const member = await newMember()
  assert.equal(await emailOf((await signIn(member.personId)).session), member.email)
  control.setOidcAccount(member.personId, { email: 'someone@elsewhere.example' })
  await assertRefused(member.personId, 'domain_not_allowed')
  control.setOidcAccount(member.personId, { email: null })
  await assertRefused(member.personId, 'email_unverified')
  const outside = await newMember('jo@shop.kiln.example')
  await assertRefused(outside.personId, 'domain_not_allowed')
})

test('a callback works once, in the browser that began, within half an hour', async () => {
  const { personId, email } = await newMember()
  const begun = await start()
  const other = await start()
  const callback = await choose(begun.url, personId)
  const forged = { foyer_oidc: begun.cookies.foyer_oidc!.replace(/^./, (char) => (char === 'A' ? 'B' : 'A')) }
  for (const cookies of [{}, other.cookies, forged, { foyer_oidc: 'x.1.y.z' }])
    assert.equal((await visit(callback, cookies)).problem, 'expired')
  for (const query of ['', 'code=x', 'error=access_denied', `state=${'A'.repeat(43)}&code=x`])
    assert.equal((await visit(`http://foyer.test${CALLBACK}?${query}`, begun.cookies)).problem, 'expired')
  clock.now = () => new Date(Date.now() + 31 * MINUTE_MS)
  assert.equal((await visit(callback, begun.cookies)).problem, 'expired')
  clock.now = databaseNow
  // None of these has used it up.
  const all = await Promise.all(Array.from({ length: 5 }, () => visit(callback, begun.cookies)))
  const [only, ...more] = all.filter(({ session }) => session !== null)
  assert.deepEqual([await emailOf(only!.session), more.length], [email, 0])
  assert.deepEqual([...new Set(all.map(({ problem }) => problem))].sort(), ['expired', null].sort())
  assert.equal((await visit(callback, begun.cookies)).problem, 'expired')
  const states = async () => (await db.selectFrom('oidc_used_states').select('hash').execute()).length
  assert.ok((await states()) > 0)
  await sweepOldRows({
    db,
    now: () => new Date(Date.now() + 90 * MINUTE_MS),
    isStopping: () => false,
    eventsKeptDays: 30,
  })
  assert.equal(await states(), 0)
})

test('a code that another browser brought, or that the provider used up, is refused', async () => {
  const { personId } = await newMember()
  const [mine, theirs] = [await start(), await start()]
  const stolen = new URL(await choose(theirs.url, personId)).searchParams.get('code')!
  const callback = new URL(await choose(mine.url, personId))
  callback.searchParams.set('code', stolen)
  // The provider compares the code with the PKCE verifier of the browser.
  assert.equal((await visit(callback.href, mine.cookies)).problem, 'expired')
})

test('a sign-in leads to a screen of the console and nowhere else', async () => {
  const { personId } = await newMember()
  for (const [to, expected] of [
    ['/settings/members', '/settings/members'],
    ['https://evil.example/', '/inbox'],
    ['//evil.example', '/inbox'],
    ['/\\evil.example', '/inbox'],
    ['/\t/evil.example', '/inbox'],
    ['/.//evil.example', '/inbox'],
    ['/a/..//evil.example', '/inbox'],
    ['javascript:alert(1)', '/inbox'],
    ['\\\\evil.example', '/inbox'],
    ['/sign-in?to=/x', '/inbox'],
    ['/console/api/session', '/inbox'],
    ['/api/v1/contacts', '/inbox'],
    ['/files/x', '/inbox'],
    [`/${'é'.repeat(900)}`, '/inbox'],
    ['http://', '/inbox'],
    ['', '/'],
  ] as const)
    assert.equal((await signIn(personId, to)).at, expected, to)
  const refused = await signIn(null, '/contacts')
  assert.equal(refused.at, '/sign-in?problem=denied&to=%2Fcontacts')
})

const WRONG_TOKENS: OidcFaultInput['kind'][] = [
  'wrong-key',
  'alg-none',
  'alg-secret',
  'expired',
  'wrong-audience',
  'wrong-issuer',
  'wrong-nonce',
  'no-nonce',
  'no-id-token',
  'odd-subject',
  'wrong-iss',
]
test('an ID token that is not the provider’s answer to this sign-in is refused', async () => {
  const { personId, email } = await newMember()
  for (const kind of WRONG_TOKENS) {
    control.addOidcFault({ kind })
    await assertRefused(personId, 'invalid')
    assert.deepEqual(control.oidcFaults(), [], kind)
  }
  control.addOidcFault({ kind: 'wrong-state' })
  await assertRefused(personId, 'expired')
  assert.equal(await emailOf((await signIn(personId)).session), email)
})

test('a clock that is off by a minute is accepted, one by ten minutes is not', async () => {
  const { personId, email } = await newMember()
  for (const seconds of [-60, 60, -360, 100]) {
    control.addOidcFault({ kind: 'clock', seconds })
    assert.equal(await emailOf((await signIn(personId)).session), email, `${seconds}`)
  }
  for (const seconds of [-600, 600]) {
    control.addOidcFault({ kind: 'clock', seconds })
    await assertRefused(personId, 'invalid')
  }
})

const failStart = async () => {
  const answer = await callConsole(app, null, 'POST', '/sign-in/oidc', {})
  assert.deepEqual([answer.status, answer.body.error.code], [503, 'SIGN_IN_PROVIDER_UNAVAILABLE'])
  assert.equal(answer.headers['set-cookie'], undefined)
}

test('a provider that is down, hangs or answers something else is told apart from a mistake, and tried again', async () => {
  const { personId, email } = await newMember()
  for (const fault of [
    { kind: 'hang' },
    { kind: 'drop' },
    { kind: 'server-error' },
    { kind: 'redirect', url: `${elsewhereUrl}/oidc` },
    { kind: 'huge' },
    { kind: 'html' },
  ] as const)
    for (const at of ['discovery', 'token', 'jwks', 'userinfo'] as const) {
      control.setOidcAccount(personId, { emailAt: 'userinfo' })
      const begun = at === 'discovery' ? null : await start()
      const callback = begun && (await choose(begun.url, personId))
      control.addOidcFault({ ...fault, at })
      if (fault.kind === 'hang') limits.timeoutMs = 300
      if (!begun) await failStart()
      else {
        const { problem, session } = await visit(callback!, begun.cookies)
        const expected = ['hang', 'drop', 'server-error'].includes(fault.kind) ? 'unavailable' : 'invalid'
        assert.deepEqual([problem, session], [expected, null], `${fault.kind} at ${at}`)
      }
      // On a busy machine, an earlier request may have taken as long.
      if (fault.kind === 'hang') control.clearOidcFaults()
      assert.deepEqual(control.oidcFaults(), [], `${fault.kind} at ${at}`)
      delete limits.timeoutMs
    }
  control.addOidcFault({ kind: 'other-issuer' })
  await failStart()
  control.addOidcFault({ kind: 'slow', at: 'token', delayMs: 200 })
  assert.equal(await emailOf((await signIn(personId)).session), email)
  assert.equal(strays, 0)
})

test('an address that the provider names is only asked if it is public or listed', async () => {
  const { personId } = await newMember()
  control.addOidcFault({ kind: 'other-keys', url: `${elsewhereUrl}/keys` })
  await assertRefused(personId, 'invalid')
  assert.equal(strays, 0)
  configureOutbound({ allow: [{ network: '127.0.0.1', prefix: 32, port: null }] })
  control.addOidcFault({ kind: 'other-keys', url: `${elsewhereUrl}/keys` })
  await assertRefused(personId, 'invalid')
  assert.equal(strays, 1)
})

test('a provider that nobody listens at is unavailable', async () => {
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  provider = makeOidcProvider(
    { ...settings, issuer: `http://127.0.0.1:${port}` },
    { publicUrl: 'http://foyer.test', now: () => clock.now() },
  )
  await failStart()
})

test('whoever cancels, and whatever else the provider says instead of a code, is told what to do', async () => {
  const { personId } = await newMember()
  assert.equal((await signIn(null)).problem, 'denied')
  for (const [error, problem] of [
    ['access_denied', 'denied'],
    ['temporarily_unavailable', 'unavailable'],
    ['server_error', 'unavailable'],
    ['invalid_scope', 'invalid'],
    ['<script>', 'invalid'],
  ] as const) {
    control.addOidcFault({ kind: 'error', error })
    await assertRefused(personId, problem)
  }
  control.setOidc({ clientSecret: 'another' })
  await assertRefused(personId, 'invalid')
  control.setOidc({ clientSecret: 'sandbox-client-secret' })
})

test('what the provider says of itself is kept for an hour, and its keys are read each time', async () => {
  const { personId, email } = await newMember()
  const asked = () => control.oidc().asked['/.well-known/openid-configuration'] ?? 0
  const before = asked()
  for (let round = 0; round < 3; round++) {
    assert.equal(await emailOf((await signIn(personId)).session), email)
    control.rotateOidcKeys()
  }
  assert.equal(asked(), before + 1)
  clock.now = () => new Date(Date.now() + 61 * MINUTE_MS)
  await Promise.all([start(), start(), start()])
  assert.equal(asked(), before + 2)
})

test('codes can be turned off; the operator’s links stay', async () => {
  const { email } = await newMember()
  const about = async () => (await callConsole(app, null, 'GET', '/about')).body.provider
  assert.deepEqual(await about(), { name: 'Sandbox', isOnly: false })
  oidc.isOnly = true
  assert.deepEqual(await about(), { name: 'Sandbox', isOnly: true })
  const asks = () => callConsole(app, null, 'POST', '/sign-in/code', { email })
  for (const answer of [
    await asks(),
    await callConsole(app, null, 'POST', '/sign-in', { email, code: '123456' }),
  ])
    assert.deepEqual([answer.status, answer.body.error.code], [400, 'SIGN_IN_BY_PROVIDER_ONLY'])
  const { url } = await createSignInLink(
    { ...app.ctxOf(workspace.id), publicUrl: 'http://foyer.test' },
    { email },
  )
  const secret = url.split('#')[1]
  assert.equal((await callConsole(app, null, 'POST', '/sign-in', { secret })).status, 200)
  oidc.isOnly = false
  assert.equal((await asks()).status, 200)
})

test('both steps are limited by address', async () => {
  const limited = await startApp({ rateLimits: true, deps: { console: { oidc } } })
  const statuses = []
  // Invalid bodies count too.
  for (let calls = 0; calls <= 60; calls++)
    statuses.push((await callConsole(limited, null, 'POST', '/sign-in/oidc', { to: 1 })).status)
  assert.deepEqual(statuses, [...Array<number>(60).fill(400), 429])
  const places = []
  for (let calls = 0; calls <= 60; calls++)
    places.push((await limited.app.inject({ method: 'GET', url: CALLBACK })).headers.location)
  const expired = '/sign-in?problem=expired'
  assert.deepEqual(places, [...Array<string>(60).fill(expired), '/sign-in?problem=too_many'])
})

test('without a provider there is no such sign-in; over https, only this host can set the cookie', async () => {
  const publicUrl = 'https://foyer.test'
  const secure = await startApp({ deps: { publicUrl, console: { oidc } } })
  const { status, headers } = await callConsole(secure, null, 'POST', '/sign-in/oidc', {})
  assert.equal(status, 200)
  assert.match(
    String(headers['set-cookie']),
    /^__Host-foyer_oidc=[^;]+; Max-Age=1800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  const bare = await startApp()
  for (const answer of [
    await callConsole(bare, null, 'POST', '/sign-in/oidc', {}),
    await callConsole(bare, null, 'GET', '/sign-in/oidc/callback'),
  ])
    assert.equal(answer.body.error.code, 'NOT_FOUND')
  assert.equal((await callConsole(bare, null, 'GET', '/about')).body.provider, null)
})

test('a sign-in must begin in the console', async () => {
  const answer = await callConsole(
    app,
    null,
    'POST',
    '/sign-in/oidc',
    {},
    { headers: { 'x-foyer-console': '' } },
  )
  assert.equal(answer.status, 403)
})
