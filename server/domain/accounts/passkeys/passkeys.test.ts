// Passkeys as the second factor of console sign-in, with an authenticator in software.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../../../test/app.ts'
import { callConsole, signIn, startSession } from '../../../../test/console.ts'
import { startSmtp } from '../../../../test/smtp.ts'
import { until } from '../../../../test/until.ts'
import { sweepOldRows } from '../../../jobs/sweep-old-rows.ts'
import { newId } from '../../../platform/db/id.ts'
import { makeMailer } from '../../../platform/mail.ts'
import { createSignInLink, insertSignInLink } from '../create-sign-in-link.ts'
import { startSession as startRealSession } from '../sign-in.ts'
import { obstacleOf, relyingPartyOf } from './relying-party.ts'
import { resetPasskeys } from './remove-passkeys.ts'
import {
  type Authenticator,
  type CreationOptions,
  makeAuthenticator,
  type RequestOptions,
} from './testing/authenticator.ts'

const MINUTE_MS = 60_000
const ORIGIN = 'http://localhost:8080'

const smtp = await startSmtp()
const mailer = makeMailer(smtp.url, ORIGIN)
const oidc = { name: 'Kiln ID', isOnly: false } as never
const app = await startApp({
  worker: true,
  mail: mailer,
  deps: { publicUrl: ORIGIN, console: { sendsMail: true, oidc } },
})
const { clock, db, make } = app
const { now: databaseNow } = clock
const { id: w } = await make.workspace({ name: 'Hollow & Kiln' })
const { id: elsewhere } = await make.workspace({ name: 'Elsewhere' })
after(async () => {
  mailer.close()
  await smtp.stop()
})

type Cookies = Record<string, string>
type Answer = Awaited<ReturnType<typeof callConsole>>

const cookiesOf = ({ headers }: Answer): Cookies =>
  Object.fromEntries(
    [headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1)[0]!.split('=') as [string, string]),
  )
const post = (path: string, body: unknown, cookies: Cookies = {}) =>
  callConsole(app, null, 'POST', path, body, {
    headers: {
      cookie: Object.entries(cookies)
        .map(([name, value]) => `${name}=${value}`)
        .join('; '),
    },
  })
const codeOf = ({ status, body }: Answer) => [status, body.error?.code]
const later = (ms: number): void => {
  clock.now = () => new Date(databaseNow().getTime() + ms)
}
const onTime = (): void => {
  clock.now = databaseNow
}

let count = 0
const newMember = () => make.agent(w, { email: `passkeys${++count}@kiln.example` })
const mailsAbout = (email: string, subject: string) =>
  smtp.mailsTo(email).filter(({ text }) => text.includes(`Subject: ${subject}`)).length

/** Adds a passkey with a session, and returns the response. */
const add = async (secret: string, device: Authenticator, name = 'Laptop') => {
  const asked = await callConsole(app, secret, 'POST', '/passkeys/options')
  assert.equal(asked.status, 200, asked.text)
  const registration = device.create(asked.body.options as CreationOptions)
  return callConsole(app, secret, 'POST', '/passkeys', { name, registration })
}

/** A member who has a passkey, with their session and recovery codes. */
const newOwner = async (device = makeAuthenticator(ORIGIN)) => {
  const member = await newMember()
  const secret = await startSession(app, member.id)
  const answer = await add(secret, device)
  assert.equal(answer.status, 200, answer.text)
  return { ...member, secret, device, codes: answer.body.recoveryCodes as string[] }
}

/** The code of the newest mail that has one. */
const mailedCode = async (email: string, ask: () => Promise<Answer>) => {
  const mails = () => smtp.mailsTo(email).filter(({ text }) => /^Subject: \d{6} is/m.test(text))
  const { length: before } = mails()
  const asked = await ask()
  await until(() => mails().length > before, 'the mail with the code')
  const mail = mails().at(-1)!.text
  return { code: /^Subject: (\d{6})/m.exec(mail)![1]!, mail, cookies: cookiesOf(asked) }
}
/** Signs in with a mailed code, up to where the second factor is asked for. */
const passCode = async ({ email }: { email: string }) => {
  const { code, mail, cookies } = await mailedCode(email, () => post('/sign-in/code', { email }))
  const answer = await post('/sign-in', { email, code }, cookies)
  return { answer, cookies: cookiesOf(answer), mail }
}
/** The same with the mail's link, without waiting for the mail. */
const begin = async ({ id }: { id: string }): Promise<Cookies> => {
  const { url } = await insertSignInLink({ db, now: () => clock.now(), publicUrl: ORIGIN }, id, 'mail')
  const answer = await post('/sign-in', { secret: url.split('#')[1] })
  assert.equal(answer.status, 202, answer.text)
  return cookiesOf(answer)
}
const optionsFor = async (cookies: Cookies): Promise<RequestOptions> => {
  const answer = await post('/sign-in/passkey-options', undefined, cookies)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.options
}
const finish = (cookies: Cookies, body: unknown) => post('/sign-in/second-factor', body, cookies)
const sessionsOf = (accountId: string) =>
  db
    .selectFrom('sessions')
    .select(['method', 'second_factor as secondFactor'])
    .where('account_id', '=', accountId)
    .where('method', 'is not', null)
    .execute()
const entriesAbout = (accountId: string, prefix: string) =>
  db
    .selectFrom('audit_log')
    .select(['workspace_id as workspaceId', 'action', 'actor', 'changes'])
    .where('target_id', '=', accountId)
    .where('action', 'like', `${prefix}%`)
    .orderBy('id')
    .execute()

test('a passkey is added with ten recovery codes, which are shown once, recorded and mailed', async () => {
  const { id, email } = await newMember()
  await db
    .insertInto('memberships')
    .values({ workspace_id: elsewhere, account_id: id, role: 'agent', created_at: clock.now() })
    .execute()
  const secret = await startSession(app, id)
  const { body: options } = await callConsole(app, secret, 'POST', '/passkeys/options')
  const { rp, user, attestation, authenticatorSelection, excludeCredentials } =
    options.options as CreationOptions
  assert.deepEqual(
    [rp.id, user.name, attestation, authenticatorSelection.residentKey, excludeCredentials],
    ['localhost', email, 'none', 'preferred', []],
  )
  assert.equal(authenticatorSelection.userVerification, 'preferred')
  assert.ok(!Buffer.from(user.id, 'base64url').toString().includes(id))
  const device = makeAuthenticator(ORIGIN)
  const first = await add(secret, device, ' Laptop ')
  assert.equal(first.status, 200, first.text)
  const codes: string[] = first.body.recoveryCodes
  assert.equal(new Set(codes).size, 10)
  for (const code of codes) assert.match(code, /^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/)
  const stored = JSON.stringify((await app.database.pool.query('select * from recovery_codes')).rows)
  for (const code of codes) assert.ok(!stored.includes(code) && !stored.includes(code.replace('-', '')))

  const again = await callConsole(app, secret, 'POST', '/passkeys/options')
  assert.deepEqual(
    again.body.options.excludeCredentials.map(({ id }: { id: string }) => id),
    [device.id],
  )
  assert.equal(again.body.options.user.id, user.id)
  assert.deepEqual(codeOf(await add(secret, device)), [409, 'PASSKEY_EXISTS'])
  const second = await add(secret, makeAuthenticator(ORIGIN), 'Phone')
  assert.deepEqual([second.status, second.body.recoveryCodes], [200, null])

  const { body: list } = await callConsole(app, secret, 'GET', '/passkeys')
  assert.deepEqual(
    list.passkeys.map(({ name, lastUsedAt }: { name: string; lastUsedAt: unknown }) => [name, lastUsedAt]),
    [
      ['Laptop', null],
      ['Phone', null],
    ],
  )
  assert.deepEqual(
    { ...list, passkeys: [] },
    {
      passkeys: [],
      recoveryCodesLeft: 10,
      isConfirmed: true,
      canMailCode: false,
      obstacle: null,
      origin: ORIGIN,
      providerName: 'Kiln ID',
    },
  )
  const entries = await entriesAbout(id, 'passkey.')
  const added = (name: string, workspaceId: string) => ({
    workspaceId,
    action: 'passkey.added',
    actor: `agent:${id}`,
    changes: { passkey: { to: name } },
  })
  for (const workspaceId of [w, elsewhere])
    assert.deepEqual(
      entries.filter((entry) => entry.workspaceId === workspaceId),
      [added('Laptop', workspaceId), added('Phone', workspaceId)],
    )
  await until(() => mailsAbout(email, 'A passkey was added') === 2, 'both mails')
})

test('after a code, a session begins only with the passkey, and the list of sign-ins says so', async () => {
  const owner = await newOwner()
  const { answer, cookies } = await passCode(owner)
  assert.deepEqual(
    [answer.status, answer.body],
    [202, { needs: 'second_factor', obstacle: null, origin: ORIGIN }],
  )
  assert.deepEqual(Object.keys(cookies), ['foyer_second_factor'])
  assert.match(
    String(answer.headers['set-cookie']),
    /; Max-Age=600; Path=\/console\/api\/sign-in; HttpOnly; SameSite=Strict$/,
  )
  assert.deepEqual(await sessionsOf(owner.id), [])
  const options = await optionsFor(cookies)
  assert.deepEqual(
    options.allowCredentials.map(({ id }) => id),
    [owner.device.id],
  )
  assert.equal(options.userVerification, 'preferred')
  const done = await finish(cookies, { passkey: owner.device.get(options) })
  assert.deepEqual([done.status, done.body.account?.id], [200, owner.id], done.text)
  assert.deepEqual(await sessionsOf(owner.id), [{ method: 'code', secondFactor: 'passkey' }])
  const { body } = await callConsole(app, cookiesOf(done).foyer_session!, 'GET', '/sessions')
  assert.deepEqual([body.sessions[0].method, body.sessions[0].secondFactor], ['code', 'passkey'])
  const [entry] = await entriesAbout(owner.id, 'sign_in.succeeded')
  assert.deepEqual(entry!.changes, { method: { to: 'code' }, secondFactor: { to: 'passkey' } })
  const { body: own } = await callConsole(app, owner.secret, 'GET', '/passkeys')
  assert.notEqual(own.passkeys[0].lastUsedAt, null)
  assert.deepEqual(codeOf(await finish(cookies, { recoveryCode: owner.codes[0] })), [401, 'SIGN_IN_REFUSED'])
})

test('a wrong code answers alike with and without passkeys', async () => {
  const [owner, other] = [await newOwner(), await newMember()]
  const answers = []
  for (const { email } of [owner, other]) {
    const asked = await post('/sign-in/code', { email })
    assert.equal(asked.text, '{"sent":true}')
    const answer = await post('/sign-in', { email, code: '000000' }, cookiesOf(asked))
    answers.push([answer.status, answer.text, Object.keys(answer.headers).sort()])
  }
  assert.deepEqual(answers[0], answers[1])
})

test('an operator’s link goes past the second factor, a mailed one doesn’t', async () => {
  const owner = await newOwner()
  const { mail } = await passCode(owner)
  const mailed = /sign-in#([\w-]{43})/.exec(mail.replaceAll('=\r\n', ''))![1]!
  const halfway = await post('/sign-in', { secret: mailed })
  assert.equal(halfway.status, 202, halfway.text)
  assert.equal((await post('/sign-in', { secret: mailed })).status, 401)
  assert.deepEqual(await sessionsOf(owner.id), [])
  const platform = { db, now: () => clock.now(), newId: () => newId(), publicUrl: ORIGIN }
  const { url } = await createSignInLink(platform, { email: owner.email })
  const done = await post('/sign-in', { secret: url.split('#')[1] })
  assert.equal(done.status, 200, done.text)
  assert.deepEqual(await sessionsOf(owner.id), [{ method: 'link', secondFactor: null }])
})

test('signing in through the identity provider asks for no passkey', async () => {
  const owner = await newOwner()
  const { secret } = await startRealSession(app.ctxOf(w), { accountId: owner.id, method: 'oidc' })
  assert.equal((await callConsole(app, secret, 'GET', '/session')).status, 200)
})

test('what is wrong with a passkey’s response refuses it, and the right one still signs in', async () => {
  const owner = await newOwner()
  const stranger = await newOwner()
  const cookies = await begin(owner)
  const tries: ((options: RequestOptions) => object)[] = [
    (options) => owner.device.get(options, { origin: 'https://evil.example' }),
    (options) => owner.device.get(options, { rpId: 'evil.example' }),
    (options) => owner.device.get(options, { type: 'webauthn.create' }),
    (options) => ({ ...owner.device.get(options), signature: stranger.device.get(options).signature }),
  ]
  for (const bend of tries)
    assert.deepEqual(codeOf(await finish(cookies, { passkey: bend(await optionsFor(cookies)) })), [
      401,
      'SECOND_FACTOR_REFUSED',
    ])
  const done = await finish(cookies, { passkey: owner.device.get(await optionsFor(cookies)) })
  assert.equal(done.status, 200, done.text)
  const failed = await entriesAbout(owner.id, 'sign_in.failed')
  assert.deepEqual(
    failed.map(({ actor, changes }) => ({ actor, changes })),
    Array(4).fill({
      actor: 'unknown',
      changes: { method: { to: 'link' }, secondFactor: { to: 'passkey' } },
    }),
  )
})

test('a passkey must be present: touched, and of this account', async () => {
  const [owner, stranger] = [await newOwner(), await newOwner()]
  const cookies = await begin(owner)
  const untouched = owner.device.get(await optionsFor(cookies), { flags: 0 })
  assert.deepEqual(codeOf(await finish(cookies, { passkey: untouched })), [401, 'SECOND_FACTOR_REFUSED'])
  const foreign = stranger.device.get(await optionsFor(cookies))
  assert.deepEqual(codeOf(await finish(cookies, { passkey: foreign })), [401, 'SECOND_FACTOR_REFUSED'])
  assert.deepEqual(codeOf(await finish(cookies, { recoveryCode: stranger.codes[0] })), [
    401,
    'SECOND_FACTOR_REFUSED',
  ])
  assert.deepEqual([await sessionsOf(owner.id), await sessionsOf(stranger.id)], [[], []])
})

test('a challenge works once, for five minutes, in the browser that asked for it', async () => {
  const owner = await newOwner(makeAuthenticator(ORIGIN, { counts: false }))
  const cookies = await begin(owner)
  const passkey = owner.device.get(await optionsFor(cookies))
  const elsewhere = await begin(owner)
  await optionsFor(elsewhere)
  assert.deepEqual(codeOf(await finish(elsewhere, { passkey })), [401, 'SECOND_FACTOR_REFUSED'])
  const both = await Promise.all([finish(cookies, { passkey }), finish(cookies, { passkey })])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
  assert.equal((await sessionsOf(owner.id)).length, 1)
  // The same response again, for another sign-in of the same person.
  const replay = await begin(owner)
  await optionsFor(replay)
  assert.deepEqual(codeOf(await finish(replay, { passkey })), [401, 'SECOND_FACTOR_REFUSED'])
  const late = owner.device.get(await optionsFor(replay))
  later(5 * MINUTE_MS + 1_000)
  assert.deepEqual(codeOf(await finish(replay, { passkey: late })), [401, 'SECOND_FACTOR_REFUSED'])
  onTime()
  const done = await finish(replay, { passkey: owner.device.get(await optionsFor(replay)) })
  assert.equal(done.status, 200, done.text)
})

test('a pending sign-in takes five tries and ten minutes, and only its own signed cookie', async () => {
  const owner = await newOwner()
  const cookies = await begin(owner)
  const [name, value] = Object.entries(cookies)[0]!
  for (const forged of [{}, { [name]: `x${value}` }, { [name]: value.split('.')[0]! }, { [name]: 'x.y' }]) {
    assert.deepEqual(codeOf(await post('/sign-in/passkey-options', undefined, forged)), [
      401,
      'SIGN_IN_REFUSED',
    ])
    assert.deepEqual(codeOf(await finish(forged, { recoveryCode: owner.codes[0] })), [401, 'SIGN_IN_REFUSED'])
  }
  const wrong = await Promise.all(Array.from({ length: 8 }, () => finish(cookies, { recoveryCode: 'wrong' })))
  assert.deepEqual(wrong.map(({ body }) => body.error.code).sort(), [
    ...Array(5).fill('SECOND_FACTOR_REFUSED'),
    ...Array(3).fill('SIGN_IN_REFUSED'),
  ])
  assert.deepEqual(codeOf(await finish(cookies, { recoveryCode: owner.codes[0] })), [401, 'SIGN_IN_REFUSED'])
  assert.deepEqual(codeOf(await post('/sign-in/passkey-options', undefined, cookies)), [
    401,
    'SIGN_IN_REFUSED',
  ])

  const late = await begin(owner)
  later(10 * MINUTE_MS + 1_000)
  assert.deepEqual(codeOf(await finish(late, { recoveryCode: owner.codes[0] })), [401, 'SIGN_IN_REFUSED'])
  await sweepOldRows({ db, now: () => clock.now(), isStopping: () => false })
  onTime()
  for (const table of ['pending_sign_ins', 'passkey_challenges'] as const)
    assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [])
  assert.deepEqual(codeOf(await finish(late, {})), [400, 'VALIDATION_ERROR'])
})

test('a counter that goes backwards is refused and recorded', async () => {
  const owner = await newOwner()
  const cookies = await begin(owner)
  for (const counter of [1, 0])
    assert.deepEqual(
      codeOf(await finish(cookies, { passkey: owner.device.get(await optionsFor(cookies), { counter }) })),
      [401, 'SECOND_FACTOR_REFUSED'],
    )
  const entries = await entriesAbout(owner.id, 'passkey.refused')
  assert.deepEqual(
    entries.map(({ actor, changes }) => ({ actor, changes })),
    Array(2).fill({
      actor: 'unknown',
      changes: { passkey: { to: 'Laptop' }, reason: { to: 'its counter went backwards' } },
    }),
  )
  const counter = 4_294_967_295
  const done = await finish(cookies, { passkey: owner.device.get(await optionsFor(cookies), { counter }) })
  assert.equal(done.status, 200, done.text)
})

test('a recovery code signs in once, however it is typed, and of two at once one', async () => {
  const owner = await newOwner()
  const [one, two] = [await begin(owner), await begin(owner)]
  const [code, other] = owner.codes as [string, string]
  const both = await Promise.all([one, two].map((cookies) => finish(cookies, { recoveryCode: code })))
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
  assert.deepEqual(await sessionsOf(owner.id), [{ method: 'link', secondFactor: 'recovery_code' }])
  const typed = other.toUpperCase().replace('-', '  ').replaceAll('0', 'O').replaceAll('1', 'l')
  const done = await finish(await begin(owner), { recoveryCode: typed })
  assert.equal(done.status, 200, done.text)
  const { body } = await callConsole(app, owner.secret, 'GET', '/passkeys')
  assert.equal(body.recoveryCodesLeft, 8)
  assert.equal((await entriesAbout(owner.id, 'recovery_codes.used')).length, 2)

  const fresh = await callConsole(app, owner.secret, 'POST', '/passkeys/recovery-codes')
  assert.equal(fresh.body.recoveryCodes.length, 10)
  const cookies = await begin(owner)
  assert.equal((await finish(cookies, { recoveryCode: owner.codes[2] })).status, 401)
  assert.equal((await finish(cookies, { recoveryCode: fresh.body.recoveryCodes[0] })).status, 200)
  assert.equal((await entriesAbout(owner.id, 'recovery_codes.created')).length, 1)
})

test('adding refuses a response for another site, challenge or session', async () => {
  const { id } = await newMember()
  const [secret, other] = [await startSession(app, id), await startSession(app, id)]
  const device = makeAuthenticator(ORIGIN)
  const ask = async (session = secret): Promise<CreationOptions> =>
    (await callConsole(app, session, 'POST', '/passkeys/options')).body.options
  const give = (registration: unknown) =>
    callConsole(app, secret, 'POST', '/passkeys', { name: 'Laptop', registration })
  for (const bent of [{ origin: 'https://evil.example' }, { rpId: 'evil.example' }, { type: 'webauthn.get' }])
    assert.deepEqual(codeOf(await give(device.create(await ask(), bent))), [400, 'PASSKEY_REFUSED'])
  const used = device.create(await ask())
  await ask()
  assert.deepEqual(codeOf(await give(used)), [400, 'PASSKEY_REFUSED'])
  assert.deepEqual(codeOf(await give(device.create(await ask(other)))), [400, 'PASSKEY_REFUSED'])
  const late = device.create(await ask())
  later(5 * MINUTE_MS + 1_000)
  assert.deepEqual(codeOf(await give(late)), [400, 'PASSKEY_REFUSED'])
  onTime()
  const right = device.create(await ask())
  const both = await Promise.all([give(right), give(right)])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400])
  // Another person's credential can't be claimed.
  const thief = await startSession(app, (await newMember()).id)
  assert.deepEqual(codeOf(await add(thief, device)), [409, 'PASSKEY_EXISTS'])
})

test('of two first passkeys at once one brings recovery codes, and there are at most twenty', async () => {
  const { id } = await newMember()
  const secrets = await Promise.all([startSession(app, id), startSession(app, id)])
  const both = await Promise.all(secrets.map((secret) => add(secret, makeAuthenticator(ORIGIN))))
  assert.deepEqual(
    both.map(({ body }) => body.recoveryCodes?.length ?? 0).sort((one, two) => one - two),
    [0, 10],
  )
  for (let index = 2; index < 20; index++)
    assert.equal((await add(secrets[0]!, makeAuthenticator(ORIGIN))).status, 200)
  assert.deepEqual(codeOf(await add(secrets[0]!, makeAuthenticator(ORIGIN))), [409, 'PASSKEY_LIMIT_REACHED'])
})

test('changing passkeys takes a recent sign-in, or confirming it with a passkey', async () => {
  const owner = await newOwner()
  const call = (method: 'POST' | 'DELETE', path: string, body?: unknown) =>
    callConsole(app, owner.secret, method, path, body)
  const { body } = await callConsole(app, owner.secret, 'GET', '/passkeys')
  const path = `/passkeys/${body.passkeys[0].id}`
  later(10 * MINUTE_MS)
  for (const refused of [
    await call('POST', '/passkeys/options'),
    await call('POST', '/passkeys', {
      name: 'x',
      registration: owner.device.create({ challenge: 'x', rp: { id: 'x' } } as CreationOptions),
    }),
    await call('POST', '/passkeys/recovery-codes'),
    await call('DELETE', path),
  ])
    assert.deepEqual(codeOf(refused), [403, 'CONFIRMATION_REQUIRED'])
  assert.equal((await callConsole(app, owner.secret, 'PATCH', path, { name: 'Old laptop' })).status, 200)
  // A mailed code would make the second factor as weak as the first.
  assert.deepEqual(codeOf(await call('POST', '/sign-in/confirm', { code: '123456' })), [
    401,
    'SECOND_FACTOR_REFUSED',
  ])
  const ask = async () => (await call('POST', '/sign-in/confirm-options')).body.options as RequestOptions
  const stranger = await newOwner()
  assert.deepEqual(
    codeOf(await call('POST', '/sign-in/confirm', { passkey: stranger.device.get(await ask()) })),
    [401, 'SECOND_FACTOR_REFUSED'],
  )
  const passkey = owner.device.get(await ask())
  assert.equal((await call('POST', '/sign-in/confirm', { passkey })).status, 200)
  assert.deepEqual(codeOf(await call('POST', '/sign-in/confirm', { passkey })), [
    401,
    'SECOND_FACTOR_REFUSED',
  ])
  assert.equal((await call('POST', '/passkeys/recovery-codes')).status, 200)
  later(20 * MINUTE_MS + 1_000)
  assert.deepEqual(codeOf(await call('DELETE', path)), [403, 'CONFIRMATION_REQUIRED'])
  onTime()
})

test('someone without a passkey confirms it with a new code, of their own', async () => {
  const { id, email } = await newMember()
  const stranger = await newMember()
  const secret = await startSession(app, id)
  later(11 * MINUTE_MS)
  assert.equal((await callConsole(app, secret, 'GET', '/passkeys')).body.canMailCode, true)
  const confirm = async (to: string) => {
    const { code, cookies } = await mailedCode(to, () => post('/sign-in/code', { email: to }))
    return post('/sign-in/confirm', { code }, { ...cookies, foyer_session: secret })
  }
  assert.deepEqual(codeOf(await confirm(stranger.email)), [401, 'SIGN_IN_REFUSED'])
  assert.deepEqual(codeOf(await callConsole(app, secret, 'POST', '/passkeys/options')), [
    403,
    'CONFIRMATION_REQUIRED',
  ])
  const confirmed = await confirm(email)
  assert.equal(confirmed.status, 200, confirmed.text)
  assert.equal((await add(secret, makeAuthenticator(ORIGIN))).status, 200)
  onTime()
})

test('a person renames and removes only their own, and the last one takes the codes along', async () => {
  const owner = await newOwner()
  const stranger = await newOwner()
  const { body } = await callConsole(app, owner.secret, 'GET', '/passkeys')
  const path = `/passkeys/${body.passkeys[0].id}`
  for (const answer of [
    await callConsole(app, stranger.secret, 'DELETE', path),
    await callConsole(app, stranger.secret, 'PATCH', path, { name: 'Mine' }),
    await callConsole(app, owner.secret, 'DELETE', '/passkeys/x'),
  ])
    assert.deepEqual(codeOf(answer), [404, 'PASSKEY_NOT_FOUND'])
  for (const [method, route] of [
    ['GET', '/passkeys'],
    ['POST', '/passkeys/options'],
    ['PATCH', path],
    ['DELETE', path],
    ['POST', '/passkeys/recovery-codes'],
    ['POST', '/sign-in/confirm-options'],
  ] as const)
    assert.deepEqual(codeOf(await callConsole(app, null, method, route)), [401, 'SIGNED_OUT'])
  const waiting = await begin(owner)
  const twice = await Promise.all([1, 2].map(() => callConsole(app, owner.secret, 'DELETE', path)))
  assert.deepEqual(twice.map(({ status }) => status).sort(), [200, 404])
  const after = (await callConsole(app, owner.secret, 'GET', '/passkeys')).body
  assert.deepEqual([after.passkeys, after.recoveryCodesLeft], [[], 0])
  assert.equal((await finish(waiting, { recoveryCode: owner.codes[0] })).status, 401)
  assert.deepEqual(codeOf(await callConsole(app, owner.secret, 'POST', '/passkeys/recovery-codes')), [
    404,
    'PASSKEY_NOT_FOUND',
  ])
  assert.equal((await passCode(owner)).answer.status, 200)
  const removed = await entriesAbout(owner.id, 'passkey.removed')
  assert.deepEqual(
    removed.map(({ changes }) => changes),
    [{ passkey: { from: 'Laptop' } }],
  )
  await until(() => mailsAbout(owner.email, 'A passkey was removed') === 1, 'the mail')
})

test('the operator resets a person’s passkeys: codes and sign-ins go too, and nobody else’s', async () => {
  const [owner, other] = [await newOwner(), await newOwner()]
  const waiting = await begin(owner)
  const platform = { db, now: () => clock.now(), newId: () => newId() }
  assert.deepEqual(await resetPasskeys(platform, { email: owner.email.toUpperCase() }), {
    removed: 1,
    signInsEnded: 1,
  })
  assert.equal((await callConsole(app, owner.secret, 'GET', '/session')).status, 401)
  assert.equal((await finish(waiting, { recoveryCode: owner.codes[0] })).status, 401)
  assert.deepEqual(
    (await entriesAbout(owner.id, 'passkey.reset')).map(({ actor, changes }) => [actor, changes]),
    [['operator', { removed: { to: 1 } }]],
  )
  await until(() => mailsAbout(owner.email, 'Your Foyer passkeys were reset') === 1, 'the mail')
  assert.equal((await passCode(owner)).answer.status, 200)
  assert.equal((await passCode(other)).answer.status, 202)
  await assert.rejects(resetPasskeys(platform, { email: 'nobody@kiln.example' }), {
    code: 'VALIDATION_ERROR',
  })
})

test('removing a member from their last workspace leaves nothing of their passkeys', async () => {
  const owner = await newOwner()
  await db
    .insertInto('memberships')
    .values({ workspace_id: elsewhere, account_id: owner.id, role: 'agent', created_at: clock.now() })
    .execute()
  await begin(owner)
  const left = async () => {
    const rows = await Promise.all(
      (['passkeys', 'recovery_codes', 'pending_sign_ins'] as const).map((table) =>
        db.selectFrom(table).select('account_id').where('account_id', '=', owner.id).execute(),
      ),
    )
    return rows.map(({ length }) => length)
  }
  const remove = async (workspaceId: string) => {
    const admin = await signIn(app, workspaceId, (await make.agent(workspaceId, { role: 'admin' })).id)
    assert.equal((await admin.call('DELETE', `/agents/${owner.id}`)).status, 200)
  }
  await remove(elsewhere)
  assert.deepEqual(await left(), [1, 10, 1])
  await remove(w)
  assert.deepEqual(await left(), [0, 0, 0])
})

test('passkeys need a host name with https, or this machine’s', () => {
  for (const [publicUrl, obstacle] of [
    ['http://127.0.0.1:8080', 'ip_address'],
    ['https://[::1]:8080', 'ip_address'],
    ['http://inbox.kiln.example', 'not_https'],
    ['https://inbox.kiln.example', null],
    ['http://foyer.localhost:8080', null],
  ] as const) {
    assert.equal(obstacleOf({ publicUrl }), obstacle)
    if (obstacle) assert.throws(() => relyingPartyOf({ publicUrl }), { code: 'PASSKEYS_UNAVAILABLE' })
    else assert.deepEqual(relyingPartyOf({ publicUrl }).id, new URL(publicUrl).hostname)
  }
})
