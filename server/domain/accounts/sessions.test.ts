import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp, type TestApp } from '../../../test/app.ts'
import { callConsole, signIn, startSession } from '../../../test/console.ts'
import { startSmtp } from '../../../test/smtp.ts'
import { until } from '../../../test/until.ts'
import { sweepOldRows } from '../../jobs/sweep-old-rows.ts'
import { newId } from '../../platform/db/id.ts'
import { makeMailer } from '../../platform/mail.ts'
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

/** The cookies of a response, by name. */
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

/** Requests a code as a new browser, and reads it from the mail. */
const askForCode = async (email: string) => {
  const before = smtp.mailsTo(email).length
  const answer = await post('/sign-in/code', { email })
  assert.equal(answer.status, 200, answer.text)
  await until(() => smtp.mailsTo(email).length > before, 'the mail with the code')
  const code = /^Subject: (\d{6}) is your Foyer code/m.exec(smtp.mailsTo(email).at(-1)!.text)![1]!
  return { code, cookies: cookiesOf(answer) }
}

const wrong = (code: string, step = 1): string => String((Number(code) + step) % 1_000_000).padStart(6, '0')

test('a wrong code is in the audit log of the member’s workspace, and one for an unknown email is not', async () => {
  const { email, id, nickname } = await newMember()
  const { code, cookies } = await askForCode(email)
  assert.equal((await post('/sign-in', { email, code: wrong(code) }, cookies)).status, 401)
  const stranger = cookiesOf(await post('/sign-in/code', { email: 'stranger@kiln.example' }))
  const refused = await post('/sign-in', { email: 'stranger@kiln.example', code: '123456' }, stranger)
  assert.equal(refused.status, 401)
  assert.equal((await post('/sign-in', { email, code }, cookies)).status, 200)
  const rows = await db
    .selectFrom('audit_log')
    .select(['workspace_id', 'action', 'actor', 'target_id', 'target_name', 'changes'])
    .orderBy('id')
    .execute()
  const entry = {
    workspace_id: workspace.id,
    target_id: id,
    target_name: nickname,
    changes: { method: { to: 'code' } },
  }
  assert.deepEqual(rows, [
    { ...entry, action: 'sign_in.failed', actor: 'unknown' },
    { ...entry, action: 'sign_in.succeeded', actor: `agent:${id}` },
  ])
})

test('an emailed code signs in once, and the session includes the permissions', async () => {
  const { email, id, nickname } = await newMember()
  const { code, cookies } = await askForCode(email)
  const answer = await post(
    '/sign-in',
    { email: email.toUpperCase(), code: `${code.slice(0, 3)} ${code.slice(3)}` },
    cookies,
  )
  assert.equal(answer.status, 200, answer.text)
  const session = {
    account: { id, email, nickname, undoSeconds: 0, language: null },
    workspaces: [
      {
        id: workspace.id,
        name: 'Hollow & Kiln',
        role: 'agent',
        roleName: 'Agent',
        permissions: [],
        isNew: false,
        addedBy: null,
      },
    ],
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
  for (const kept of [code, secret!, cookies.foyer_sign_in!]) assert.ok(!stored.includes(kept.split('.')[0]!))
})

test('the response is the same for an unknown email, and no mail is sent', async () => {
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

test('a code allows five attempts, however many are made concurrently', async () => {
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

test('four wrong attempts leave one, and of two concurrent correct ones one signs in', async () => {
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

test('a code is valid for ten minutes, for its email, in the browser that requested it', async () => {
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

/** As a browser at some address. */
const from = (address: string, path: string, body: unknown, cookies: Record<string, string> = {}) =>
  callConsole(app, null, 'POST', path, body, {
    headers: {
      'x-forwarded-for': address,
      cookie: Object.entries(cookies)
        .map(([name, value]) => `${name}=${value}`)
        .join('; '),
    },
  })
const codeIn = (text: string) => /^Subject: (\d{6}) is your Foyer code/m.exec(text)?.[1]
const linkIn = (text: string) => /\/sign-in#([\w-]{43})/.exec(text.replaceAll('=\r\n', ''))?.[1]

/** Requests a code, and waits for the mails that are due. */
const askFrom = async (address: string, email: string, cookies: Record<string, string> = {}) => {
  const answer = await from(address, '/sign-in/code', { email }, cookies)
  await until(
    async () =>
      (await app.database.pool.query('select from graphile_worker._private_jobs')).rows.length === 0,
    'the mail',
  )
  return answer
}

test('requests and wrong attempts by strangers never lock the owner out or reveal that the email is known', async () => {
  const { email } = await newMember()
  const stranger = await askFrom('198.51.100.1', email)
  for (let tries = 0; tries < 8; tries++)
    await from('198.51.100.1', '/sign-in', { email, code: '000000' }, cookiesOf(stranger))
  for (let more = 0; more < 5; more++) assert.equal((await askFrom('198.51.100.1', email)).status, 200)

  // The owner at an address of their own, in a new browser: the code works.
  const owner = await askFrom('203.0.113.1', email)
  const code = codeIn(smtp.mailsTo(email).at(-1)!.text)
  const signedIn = await from('203.0.113.1', '/sign-in', { email, code }, cookiesOf(owner))
  assert.equal(signedIn.status, 200, signedIn.text)
  const { foyer_browser: known } = cookiesOf(signedIn)

  // A hundred addresses at once: no further mail, the same response, and the link of the last mail works in any
  // browser.
  const before = smtp.mailsTo(email).length
  const answers: { status: number; text: string }[] = []
  for (let n = 0; n < 100; n++) answers.push(await askFrom(`192.0.2.${n}`, email))
  for (let n = 0; n < 30; n++) answers.push(await askFrom(`192.0.2.${n}`, 'stranger@kiln.example'))
  const told = new Set(answers.map(({ status, text }) => `${status} ${text}`))
  assert.deepEqual([...told], ['200 {"sent":true}'])
  assert.ok(smtp.mailsTo(email).length <= 20, `${smtp.mailsTo(email).length} mails`)
  assert.ok(smtp.mailsTo(email).length > before)
  assert.equal((await askFrom('203.0.113.2', email)).status, 200)
  const secret = linkIn(smtp.mailsTo(email).at(-1)!.text)
  assert.equal((await from('203.0.113.2', '/sign-in', { secret })).status, 200)

  // A browser that has signed in here before has an allowance that nobody else uses up.
  const back = await askFrom('192.0.2.5', email, { foyer_browser: known! })
  const own = codeIn(smtp.mailsTo(email).at(-1)!.text)
  assert.equal((await from('192.0.2.5', '/sign-in', { email, code: own }, cookiesOf(back))).status, 200)
})

test('a browser that signed in before may request five codes in ten minutes, for that email only', async () => {
  const { email } = await newMember()
  const other = await newMember()
  const asked = await askFrom('203.0.113.9', email)
  const code = codeIn(smtp.mailsTo(email).at(-1)!.text)
  const { foyer_browser: known } = cookiesOf(
    await from('203.0.113.9', '/sign-in', { email, code }, cookiesOf(asked)),
  )
  const cookies = { foyer_browser: known! }
  for (let n = 0; n < 5; n++) assert.equal((await askFrom('203.0.113.9', email, cookies)).status, 200)
  const refused = await askFrom('203.0.113.9', email, cookies)
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '600'])
  for (let n = 0; n < 7; n++) assert.equal((await askFrom('203.0.113.9', other.email, cookies)).status, 200)
  const forged = { foyer_browser: `${'A'.repeat(43)}.${'A'.repeat(43)}` }
  assert.equal((await askFrom('203.0.113.9', email, forged)).status, 200)
})

test('a day allows at most 200 guesses at a code, from any number of addresses', async () => {
  const { email } = await newMember()
  const { now } = clock
  const startMs = Date.now()
  const dayAfter = DAY_MS - 15 * MINUTE_MS
  try {
    for (let atMs = 0; atMs < dayAfter; atMs += 12 * MINUTE_MS) {
      clock.now = () => new Date(startMs + atMs)
      for (const network of ['198.51.100', '203.0.113'])
        assert.equal((await from(`${network}.${atMs % 251}`, '/sign-in/code', { email })).status, 200)
    }
    const { codes, mails } = await db
      .selectFrom('sign_in_codes')
      .select((eb) => [
        eb.fn.countAll<number>().as('mails'),
        eb.fn.countAll<number>().filterWhere('has_code', '=', true).as('codes'),
      ])
      .where('email', '=', email)
      .executeTakeFirstOrThrow()
    assert.deepEqual([codes, mails <= 100 + 144], [40, true], `${mails} mails`)
    // Beyond that, mails have only a link, which cannot be guessed.
    clock.now = () => new Date(startMs + dayAfter + 12 * MINUTE_MS)
    await askFrom('192.0.2.250', email)
  } finally {
    clock.now = now
  }
  const last = smtp.mailsTo(email).find(({ text }) => text.includes('Subject: Your link to sign in to Foyer'))
  assert.ok(last)
  assert.deepEqual([codeIn(last.text), linkIn(last.text)?.length], [undefined, 43])
})

test('requests and attempts are limited by address', async () => {
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

test('the sign-in page’s first request and signing out are limited by address', async () => {
  const limited = await startApp({ rateLimits: true })
  const call = (method: 'GET' | 'POST', path: string) =>
    limited.app.inject({
      method,
      url: `/console/api${path}`,
      headers: { 'x-foyer-console': '1' },
      ...(method === 'POST' && { payload: {} }),
    })
  for (const [method, path] of [
    ['GET', '/about'],
    ['POST', '/sign-out'],
  ] as const) {
    const statuses = []
    for (let count = 0; count <= 120; count++) statuses.push((await call(method, path)).statusCode)
    assert.deepEqual(statuses, [...Array<number>(120).fill(200), 429], path)
  }
})

test('an attempt counts before its body is read, so invalid bodies are limited too', async () => {
  const limited = await startApp({ rateLimits: true, deps: { console: { sendsMail: true } } })
  for (const [path, limit] of [
    ['/sign-in/code', 10],
    ['/sign-in', 20],
    ['/sign-in/second-factor', 20],
  ] as const) {
    const statuses = []
    for (let count = 0; count <= limit; count++)
      statuses.push((await post(path, count % 2 ? { email: 1 } : { email: '\0' }, {}, limited)).status)
    assert.deepEqual(statuses, [...Array<number>(limit).fill(400), 429], path)
  }
})

test("an operator's link signs in once, until it expires", async () => {
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

test('signing in creates a new session, so a planted one is never used', async () => {
  const { email } = await newMember()
  const planted = 'A'.repeat(43)
  const { code, cookies } = await askForCode(email)
  const answer = await post('/sign-in', { email, code }, { ...cookies, foyer_session: planted })
  assert.equal(answer.status, 200)
  assert.notEqual(cookiesOf(answer).foyer_session, planted)
  assert.equal((await callConsole(app, planted, 'GET', '/session')).status, 401)
})

test('a write must come from the console', async () => {
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

test('no page of another site gets CORS permission', async () => {
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
  // Signing out again, or without a session, is not an error.
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
    // Their last-seen time was updated by a statement that the request does not wait for.
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

test('using the console shows an agent as online for a minute', async () => {
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

test('without a mail server every request for a code gets the same error', async () => {
  const silent = await startApp()
  const home = await silent.make.workspace()
  const { email } = await silent.make.agent(home.id)
  const known = await post('/sign-in/code', { email }, {}, silent)
  const unknown = await post('/sign-in/code', { email: 'nobody@kiln.example' }, {}, silent)
  assert.equal(known.body.error.code, 'SIGN_IN_CODES_OFF')
  assert.equal(known.text, unknown.text)
})
