import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp, type TestApp } from '../../../test/app.ts'
import { callConsole, signIn, startSession } from '../../../test/console.ts'
import { startSmtp } from '../../../test/smtp.ts'
import { until } from '../../../test/until.ts'
import { newId } from '../../db/id.ts'
import { sweepOldRows } from '../../jobs/sweep-old-rows.ts'
import { makeMailer } from '../../mail.ts'
import { createSignInLink } from './create-sign-in-link.ts'

const DAY_MS = 24 * 3_600_000
const MINUTE_MS = 60_000

const smtp = await startSmtp()
const mailer = makeMailer(smtp.url, 'http://foyer.test')
const app = await startApp({ worker: true, mail: mailer, deps: { console: { sendsMail: true } } })
const { clock, db, make } = app
after(async () => {
  mailer.close()
  await smtp.stop()
})

const workspace = await make.workspace({ name: 'Hollow & Kiln' })
let count = 0
const newMember = () => make.agent(workspace.id, { email: `member${++count}@kiln.example` })

type Answer = Awaited<ReturnType<typeof callConsole>>

/** The cookies of an answer, by name. */
const cookiesOf = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries(
    [headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1)[0]!.split('=') as [string, string]),
  )

const post = (path: string, body: unknown, cookies: Record<string, string> = {}, on: TestApp = app) =>
  callConsole(on, null, 'POST', path, body, {
    headers: {
      cookie: Object.entries(cookies)
        .map(([name, value]) => `${name}=${value}`)
        .join('; '),
    },
  })

/** Asks for a code as a new browser, and reads it in the mail. */
const askForCode = async (email: string) => {
  const before = smtp.mailsTo(email).length
  const answer = await post('/sign-in/code', { email })
  assert.equal(answer.status, 200, answer.text)
  await until(() => smtp.mailsTo(email).length > before, 'the mail with the code')
  const code = /^Subject: (\d{6}) is your Foyer code/m.exec(smtp.mailsTo(email).at(-1)!.text)![1]!
  return { code, cookies: cookiesOf(answer) }
}

const wrong = (code: string, step = 1): string => String((Number(code) + step) % 1_000_000).padStart(6, '0')

test('a code by mail signs in once, and the session knows what its person may do', async () => {
  const { email, id, nickname } = await newMember()
  const { code, cookies } = await askForCode(email)
  const answer = await post(
    '/sign-in',
    { email: email.toUpperCase(), code: `${code.slice(0, 3)} ${code.slice(3)}` },
    cookies,
  )
  assert.equal(answer.status, 200, answer.text)
  const session = {
    account: { id, email, nickname },
    workspaces: [
      { id: workspace.id, name: 'Hollow & Kiln', role: 'agent', roleName: 'Agent', permissions: [] },
    ],
    isDemo: false,
    sandboxUrl: null,
  }
  assert.deepEqual(answer.body, session)
  const [cookie] = [answer.headers['set-cookie'] ?? []].flat()
  assert.match(String(cookie), /^foyer_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/)
  assert.equal(answer.headers['cache-control'], 'no-store')
  const { foyer_session: secret } = cookiesOf(answer)
  assert.deepEqual((await callConsole(app, secret!, 'GET', '/session')).body, session)

  const again = await post('/sign-in', { email, code }, cookies)
  assert.equal(again.status, 401)
  assert.equal(again.body.error.code, 'SIGN_IN_REFUSED')

  const stored = JSON.stringify([
    (await app.database.pool.query('select * from sessions')).rows,
    (await app.database.pool.query("select *, encode(browser_hash, 'escape') from sign_in_codes")).rows,
    (await app.database.pool.query('select payload from graphile_worker._private_jobs')).rows,
  ])
  for (const kept of [code, secret!, cookies.foyer_sign_in!]) assert.ok(!stored.includes(kept))
})

test("the answer is the same for an email that is nobody's, and nobody is written to", async () => {
  const { email } = await newMember()
  const removed = await newMember()
  await db
    .updateTable('memberships')
    .set({ removed_at: new Date() })
    .where('account_id', '=', removed.id)
    .execute()
  const known = await post('/sign-in/code', { email })
  for (const other of ['nobody@kiln.example', removed.email, 'ai@agents.invalid']) {
    const answer = await post('/sign-in/code', { email: other })
    assert.equal(answer.text, known.text)
    assert.deepEqual(Object.keys(answer.headers), Object.keys(known.headers))
    const { status, text } = await post('/sign-in', { email: other, code: '123456' }, cookiesOf(answer))
    assert.equal(status, 401)
    assert.equal(text, (await post('/sign-in', { email, code: '123456' }, cookiesOf(answer))).text)
  }
  await until(() => smtp.mailsTo(email).length === 1, 'the mail of the one who is known')
  await until(
    async () =>
      (await app.database.pool.query('select from graphile_worker._private_jobs')).rows.length === 0,
    'all jobs to be done',
  )
  assert.deepEqual(
    smtp.taken
      .flatMap(({ recipients }) => recipients)
      .filter((to) => to.includes('nobody') || to === removed.email),
    [],
  )
})

test('five tries are all there are, however many are made at once', async () => {
  const { email } = await newMember()
  const { code, cookies } = await askForCode(email)
  const guesses = await Promise.all(
    Array.from({ length: 40 }, (_, step) =>
      post('/sign-in', { email, code: wrong(code, step + 1) }, cookies),
    ),
  )
  assert.deepEqual([...new Set(guesses.map(({ status }) => status))], [401])
  assert.equal((await post('/sign-in', { email, code }, cookies)).status, 401)
  const row = await db
    .selectFrom('sign_in_codes')
    .select('tries')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  assert.equal(row.tries, 5)
})

test('four wrong tries leave one, and of two right ones at once one signs in', async () => {
  const { email, id } = await newMember()
  const { code, cookies } = await askForCode(email)
  for (let step = 1; step <= 3; step++)
    assert.equal((await post('/sign-in', { email, code: wrong(code, step) }, cookies)).status, 401)
  const both = await Promise.all([
    post('/sign-in', { email, code }, cookies),
    post('/sign-in', { email, code }, cookies),
  ])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
  const sessions = await db.selectFrom('sessions').select('hash').where('account_id', '=', id).execute()
  assert.equal(sessions.length, 1)
})

test('a code is good in the browser that asked for it, for its email, for ten minutes', async () => {
  const { email } = await newMember()
  const other = await newMember()
  const { code, cookies } = await askForCode(email)
  const { cookies: elsewhere } = await askForCode(other.email)
  for (const [body, jar] of [
    [{ email, code }, {}],
    [{ email, code }, elsewhere],
    [{ email, code }, { foyer_sign_in: 'x' }],
    [{ email: other.email, code }, cookies],
  ] as const)
    assert.equal((await post('/sign-in', body, jar)).body.error.code, 'SIGN_IN_REFUSED')
  const { now } = clock
  clock.now = () => new Date(Date.now() + 10 * MINUTE_MS)
  assert.equal((await post('/sign-in', { email, code }, cookies)).status, 401)
  clock.now = now
  assert.equal((await post('/sign-in', { email, code }, cookies)).status, 200)
})

test('an email may ask for five codes in ten minutes, known or not, whoever asks', async () => {
  const { email } = await newMember()
  for (const one of [email, 'stranger@kiln.example']) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('/sign-in/code', { email: one })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 429, 429, 429])
    const refused = answers.find(({ status }) => status === 429)!
    assert.equal(refused.headers['retry-after'], '600')
  }
})

test('an address may ask and try only so often', async () => {
  const limited = await startApp({ rateLimits: true, deps: { console: { sendsMail: true } } })
  const codes = await Promise.all(
    Array.from({ length: 11 }, (_, n) => post('/sign-in/code', { email: `n${n}@kiln.example` }, {}, limited)),
  )
  assert.equal(codes.filter(({ status }) => status === 429).length, 1)
  const tries = await Promise.all(
    Array.from({ length: 21 }, () =>
      post('/sign-in', { email: 'n@kiln.example', code: '123456' }, {}, limited),
    ),
  )
  assert.equal(tries.filter(({ status }) => status === 429).length, 1)
})

test("an operator's link signs in once, in the time that it has", async () => {
  const { email, id } = await newMember()
  const platform = { db, now: () => clock.now(), newId: () => newId(), publicUrl: 'http://foyer.test' }
  const secretOf = async () => (await createSignInLink(platform, { email })).url.split('/sign-in#')[1]!
  const secret = await secretOf()
  const both = await Promise.all([post('/sign-in', { secret }), post('/sign-in', { secret })])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
  assert.equal(both.find(({ status }) => status === 200)!.body.account.id, id)
  const late = await secretOf()
  const { now } = clock
  clock.now = () => new Date(Date.now() + 16 * MINUTE_MS)
  assert.equal((await post('/sign-in', { secret: late })).status, 401)
  clock.now = now
  for (const body of [{}, { secret: late, code: '123456', email }, { code: '12345', email }])
    assert.equal((await post('/sign-in', body)).body.error.code, 'VALIDATION_ERROR')
})

test('a session that somebody planted is not taken over: signing in makes a new one', async () => {
  const { email } = await newMember()
  const planted = 'A'.repeat(43)
  const { code, cookies } = await askForCode(email)
  const answer = await post('/sign-in', { email, code }, { ...cookies, foyer_session: planted })
  assert.equal(answer.status, 200)
  assert.notEqual(cookiesOf(answer).foyer_session, planted)
  assert.equal((await callConsole(app, planted, 'GET', '/session')).status, 401)
})

test('a write proves that it comes from the console', async () => {
  const { id } = await newMember()
  const secret = await startSession(app, id)
  const write = (headers: Record<string, string | undefined>) =>
    callConsole(app, secret, 'POST', '/sign-out', undefined, {
      payload: '{}',
      headers: { 'content-type': 'application/json', 'x-foyer-console': '1', ...headers },
    })
  for (const headers of [
    { 'x-foyer-console': '' },
    { 'x-foyer-console': 'true' },
    { origin: 'https://evil.example' },
    { origin: 'http://foyer.test.evil.example' },
    { origin: 'null' },
    { origin: 'not an origin' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'x-foyer-console': '', 'content-type': 'text/plain' },
    { 'x-foyer-console': '', 'content-type': 'application/x-www-form-urlencoded' },
  ]) {
    const answer = await write(headers)
    assert.equal(answer.status, 403, JSON.stringify(headers))
    assert.equal(answer.body.error.code, 'FORBIDDEN')
  }
  assert.equal((await write({ 'content-type': 'text/plain' })).status, 415)
  assert.equal((await callConsole(app, secret, 'GET', '/session')).status, 200)
  for (const origin of ['http://foyer.test', 'http://localhost'])
    assert.equal((await write({ origin, 'sec-fetch-site': 'same-origin' })).status, 200)
  assert.equal((await callConsole(app, secret, 'GET', '/session')).status, 401)
})

test('no page of another site is told that it may call', async () => {
  const answer = await app.app.inject({
    method: 'OPTIONS',
    url: '/console/api/sign-in',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  })
  assert.equal(answer.headers['access-control-allow-origin'], undefined)
  assert.ok(answer.statusCode >= 400)
})

test("signing out ends the session, and everywhere ends them all and nobody else's", async () => {
  const { id } = await newMember()
  const bystander = await signIn(app, workspace.id, (await newMember()).id)
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => startSession(app, id)))
  const isIn = async (secret: string) => (await callConsole(app, secret, 'GET', '/session')).status === 200
  const left = await callConsole(app, first!, 'POST', '/sign-out', {})
  assert.equal(left.status, 200)
  assert.match(String(left.headers['set-cookie']), /^foyer_session=; .*Expires=Thu, 01 Jan 1970/)
  assert.deepEqual([await isIn(first!), await isIn(second!), await isIn(third!)], [false, true, true])
  assert.equal((await callConsole(app, second!, 'POST', '/sign-out', { everywhere: true })).status, 200)
  assert.deepEqual([await isIn(second!), await isIn(third!)], [false, false])
  assert.equal(await isIn(bystander.secret), true)
  // Once more, or without a session, is no mistake.
  assert.equal((await callConsole(app, second!, 'POST', '/sign-out', {})).status, 200)
})

test('a session lasts while it is used, for ninety days at the most, and is swept then', async () => {
  const { id } = await newMember()
  const used = await startSession(app, id)
  const unused = await startSession(app, id)
  const { now } = clock
  const startMs = Date.now()
  const at = async (days: number, secret: string) => {
    clock.now = () => new Date(startMs + days * DAY_MS)
    const { status } = await callConsole(app, secret, 'GET', '/session')
    // It was noted that they were seen, by a statement that nobody waits for.
    if (status === 200)
      await until(async () => {
        const row = await db
          .selectFrom('accounts')
          .select('last_seen_at')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
        return Date.parse(row.last_seen_at ?? '') === clock.now().getTime()
      }, 'the session to be noted as used')
    return status
  }
  try {
    for (const days of [13, 26, 39, 52, 65, 78, 89]) assert.equal(await at(days, used), 200, `day ${days}`)
    assert.equal(await at(90.1, used), 401)
    assert.equal(await at(14.1, unused), 401)
    clock.now = () => new Date(startMs + 91 * DAY_MS)
    await sweepOldRows({ db, now: () => clock.now(), isStopping: () => false })
    assert.deepEqual(
      await db.selectFrom('sessions').select('hash').where('account_id', '=', id).execute(),
      [],
    )
    assert.deepEqual(await db.selectFrom('sign_in_codes').selectAll().execute(), [])
  } finally {
    clock.now = now
  }
})

test('whoever uses the console is online for the minute after', async () => {
  const admin = await make.agent(workspace.id, { role: 'admin' })
  const isOnline = async () =>
    (await app.call(workspace.token, 'GET', `/agents/${admin.id}`)).body.agent.isOnline as boolean
  const { call } = await signIn(app, workspace.id, admin.id)
  assert.equal(await isOnline(), false)
  const { now } = clock
  clock.now = () => new Date(Date.now() + 31_000)
  await call('GET', '/conversations')
  await until(isOnline, 'the admin to be online')
  clock.now = () => new Date(Date.now() + 31_000 + 61_000)
  assert.equal(await isOnline(), false)
  clock.now = now
})

test('over https the cookie is for https alone, and for this host', async () => {
  const secure = await startApp({ deps: { publicUrl: 'https://inbox.example.com' } })
  const home = await secure.make.workspace()
  const { email } = await secure.make.agent(home.id)
  const { url } = await createSignInLink(
    { db: secure.db, now: () => new Date(), newId: () => newId(), publicUrl: 'https://inbox.example.com' },
    { email },
  )
  const answer = await post('/sign-in', { secret: url.split('#')[1] }, {}, secure)
  const [cookie] = [answer.headers['set-cookie'] ?? []].flat()
  assert.match(
    String(cookie),
    /^__Host-foyer_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  const { '__Host-foyer_session': secret } = cookiesOf(answer)
  const status = async (name: string) =>
    (
      await callConsole(secure, null, 'GET', '/session', undefined, {
        headers: { cookie: `${name}=${secret}` },
      })
    ).status
  assert.equal(await status('__Host-foyer_session'), 200)
  assert.equal(await status('foyer_session'), 401)
})

test('without a mail server everybody is told the same: a link is the way', async () => {
  const silent = await startApp()
  const home = await silent.make.workspace()
  const { email } = await silent.make.agent(home.id)
  const known = await post('/sign-in/code', { email }, {}, silent)
  const unknown = await post('/sign-in/code', { email: 'nobody@kiln.example' }, {}, silent)
  assert.equal(known.body.error.code, 'SIGN_IN_CODES_OFF')
  assert.equal(known.text, unknown.text)
})
