import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { SignJWT, UnsecuredJWT } from 'jose'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { makePage } from './testing/visitor.ts'

const started = await startApp({ stream: true })
const { app, call, db, deps, make } = started
const workspace = await make.workspace({ name: 'Northwind' })
const channelId = await make.channelAccount(workspace.id)
const otherChannelId = await make.channelAccount(workspace.id)
const admin = await signIn(started, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
let base = ''
let secret = ''
let otherSecret = ''

const rotate = async (channel: string, overlapHours = 0): Promise<string> => {
  const { status, body } = await admin.call('POST', `/channels/${channel}/identity-secret`, {
    overlapHours,
  })
  assert.equal(status, 200)
  return body.secret
}

before(async () => {
  base = await app.listen({ port: 0, host: '127.0.0.1' })
  secret = await rotate(channelId)
  otherSecret = await rotate(otherChannelId)
})

const { ask, say, session } = makePage(() => base, channelId)
const seconds = () => Math.floor(deps.now().getTime() / 1_000)

type Claims = Record<string, unknown>
const sign = (claims: Claims = {}, { key = secret, alg = 'HS256' } = {}): Promise<string> =>
  new SignJWT({ aud: channelId, exp: seconds() + 3_600, ...claims })
    .setProtectedHeader({ alg })
    .sign(new TextEncoder().encode(key))

let people = 0
const person = () => `user-${++people}`
const contactOf = async (conversationId: string) => {
  const { body } = await call(workspace.token, 'GET', `/conversations/${conversationId}`)
  const { body: profile } = await call(workspace.token, 'GET', `/contacts/${body.conversation.contact.id}`)
  return profile.contact
}
const visitorCount = async () => (await db.selectFrom('visitors').select('id').execute()).length

const without = (claims: Claims, name: string): Claims => ({ ...claims, [name]: undefined })

const REFUSED: [string, () => Promise<string> | string, RegExp][] = [
  [
    'algorithm none',
    () => new UnsecuredJWT({ sub: 'a', aud: channelId, exp: seconds() + 60 }).encode(),
    /HS256|JWT/,
  ],
  ['another algorithm', () => sign({ sub: 'a' }, { alg: 'HS512' }), /HS256/],
  ['the wrong aud', () => sign({ sub: 'a', aud: otherChannelId }), /aud/],
  ['several auds', () => sign({ sub: 'a', aud: [channelId, otherChannelId] }), /aud/],
  ['no aud', () => sign(without({ sub: 'a' }, 'aud')), /aud/],
  ['no exp', () => sign(without({ sub: 'a' }, 'exp')), /exp/],
  ['an exp in ten years', () => sign({ sub: 'a', exp: seconds() + 315_360_000 }), /exp/],
  ['an exp just over a day ahead', () => sign({ sub: 'a', exp: seconds() + 86_400 + 90 }), /exp/],
  ['an exp in the past', () => sign({ sub: 'a', exp: seconds() - 90 }), /expired/],
  ['a key of another channel', () => sign({ sub: 'a' }, { key: otherSecret }), /secret/],
  ['an empty key', () => sign({ sub: 'a' }, { key: ' ' }), /secret/],
  ['no sub', () => sign(), /sub/],
  ['an empty sub', () => sign({ sub: ' ' }), /sub/],
  ['a sub that is too long', () => sign({ sub: 'x'.repeat(129) }), /sub/],
  ['an email that is none', () => sign({ sub: 'a', email: 'nobody' }), /email/],
  ['nothing', () => '', /JWT/],
  [
    'the sub of another put into a signed token',
    async () => {
      const [header, , signature] = (await sign({ sub: 'a' })).split('.')
      const forged = { sub: 'b', aud: channelId, exp: seconds() + 60 }
      return [header, Buffer.from(JSON.stringify(forged)).toString('base64url'), signature].join('.')
    },
    /secret/,
  ],
]

for (const [name, token, reason] of REFUSED)
  test(`an identity with ${name} is refused, and leaves no visitor`, async () => {
    const before = await visitorCount()
    const { status, body } = await ask('/session', { identity: await token(), email: 'claimed@shop.example' })
    assert.equal(status, 403)
    assert.equal(body.error.code, 'IDENTITY_REFUSED')
    assert.match(body.error.details[0].message, reason)
    assert.equal(await visitorCount(), before)
  })

test('a token for exactly a day is accepted', async () => {
  const { visitor } = await session({ identity: await sign({ sub: person(), exp: seconds() + 86_400 }) })
  assert.equal((visitor as { isSigned?: boolean }).isSigned, true)
})

test('with an address that the site vouches for the contact is known; one it merely passes on stays a claim', async () => {
  for (const [verified, expected] of [
    [true, true],
    ['true', false],
    [false, false],
  ]) {
    const sub = person()
    const email = `${sub}@shop.example`
    const identity = await sign({ sub, name: 'Ann', email, email_verified: verified })
    const { token } = await session({ identity, name: 'Liar', email: 'liar@shop.example' })
    const { conversationId } = await say(token, 'Hello')
    const contact = await contactOf(conversationId)
    assert.deepEqual(
      [contact.name, contact.email, contact.externalId, contact.emailVerified],
      ['Ann', email, sub, expected],
    )
  }
})

test('the same person has one contact and one thread in every browser', async () => {
  const sub = person()
  const first = await session({ identity: await sign({ sub }) })
  const message = await say(first.token, 'From the office')
  const second = await session({ identity: await sign({ sub }) })
  assert.notEqual(second.token, first.token)
  assert.deepEqual(
    second.messages.map(({ body }) => body),
    ['From the office'],
  )
  const { conversationId } = await say(second.token, 'From home')
  assert.equal(conversationId, message.conversationId)
})

test('what was said before signing in joins the person, and nothing that is another’s', async () => {
  const sub = person()
  const known = await session({ identity: await sign({ sub }) })
  await say(known.token, 'Earlier')
  const anonymous = await session()
  const asked = await say(anonymous.token, 'Before signing in')
  const joined = await session({ token: anonymous.token, identity: await sign({ sub }) })
  assert.equal(joined.token, anonymous.token)
  const contact = await contactOf(asked.conversationId)
  assert.equal(contact.externalId, sub)

  const next = await session({ token: anonymous.token, identity: await sign({ sub: person() }) })
  assert.notEqual(next.token, anonymous.token)
  assert.deepEqual(next.messages, [])
  assert.equal(next.conversation, null)
  await say(next.token, 'Somebody else')
  const again = await session({ token: anonymous.token })
  assert.equal(
    again.messages.some(({ body }) => body === 'Somebody else'),
    false,
  )
})

test('a browser whose contact is known by an address of its own is not taken over by whoever signs in there', async () => {
  const anonymous = await session()
  const { conversationId } = await say(anonymous.token, 'Private')
  const { id } = await contactOf(conversationId)
  const email = `${person()}@shop.example`
  await db
    .insertInto('identities')
    .values({
      workspace_id: workspace.id,
      kind: 'email',
      value: email,
      contact_id: id,
      created_at: deps.now(),
    })
    .execute()
  const signed = await session({ token: anonymous.token, identity: await sign({ sub: person() }) })
  assert.notEqual(signed.token, anonymous.token)
  assert.deepEqual(signed.messages, [])
  const own = await session({
    token: anonymous.token,
    identity: await sign({ sub: person(), email, email_verified: true }),
  })
  assert.deepEqual(
    own.messages.map(({ body }) => body),
    ['Private'],
  )
})

test('a contact that the site knows by another id is not merged over its address', async () => {
  const email = `${person()}@shop.example`
  const [one, two] = [person(), person()]
  const first = await session({ identity: await sign({ sub: one, email, email_verified: true }) })
  const { conversationId } = await say(first.token, 'Mine')
  const second = await session({ identity: await sign({ sub: two, email, email_verified: true }) })
  assert.deepEqual(second.messages, [])
  const own = await say(second.token, 'Mine too')
  assert.notEqual(own.conversationId, conversationId)
  assert.equal((await contactOf(conversationId)).externalId, one)
  assert.equal((await contactOf(own.conversationId)).externalId, two)
})

test('two tabs that sign in as two people stay two people', async () => {
  const anonymous = await session()
  const [ann, bob] = await Promise.all(
    [person(), person()].map(async (sub) =>
      session({ token: anonymous.token, identity: await sign({ sub }) }),
    ),
  )
  assert.notEqual(ann!.token, bob!.token)
  const [a, b] = [await say(ann!.token, 'I am Ann'), await say(bob!.token, 'I am Bob')]
  assert.notEqual(
    (await contactOf(a.conversationId)).externalId,
    (await contactOf(b.conversationId)).externalId,
  )
})

test('a blocked person stays blocked in a new browser', async () => {
  const sub = person()
  const { token } = await session({ identity: await sign({ sub }) })
  const { conversationId } = await say(token, 'Rude')
  const { id } = await contactOf(conversationId)
  const { status } = await admin.call('PUT', `/contacts/${id}/block`, { visitor: true })
  assert.equal(status, 200)
  const answer = await ask('/session', { identity: await sign({ sub }) })
  assert.equal(answer.body.error.code, 'VISITOR_BLOCKED')
})

test('the former secret is accepted until its end, and not at all without an overlap', async () => {
  const channel = await make.channelAccount(workspace.id)
  const use = async (key: string) =>
    (
      await makePage(() => base, channel).ask('/session', {
        identity: await sign({ sub: 'a', aud: channel }, { key }),
      })
    ).status
  const first = await rotate(channel)
  const second = await rotate(channel, 1)
  assert.deepEqual([await use(first), await use(second)], [200, 200])
  const third = await rotate(channel)
  assert.deepEqual([await use(first), await use(second), await use(third)], [403, 403, 200])
  await admin.call('DELETE', `/channels/${channel}/identity-secret`)
  assert.equal(await use(third), 403)
})

test('the secret is stored encrypted and never shown again', async () => {
  const { body } = await admin.call('GET', `/channels/${channelId}/chat-box`)
  assert.deepEqual(body.chatBox.identity, { isSet: true, formerUntil: null })
  assert.equal(JSON.stringify(body).includes(secret), false)
  const rows = await db.selectFrom('chat_boxes').selectAll().execute()
  assert.ok(rows.some(({ identity_secret }) => identity_secret !== null))
  for (const { identity_secret } of rows) assert.ok(!identity_secret?.includes(secret))
})

test('a channel that requires an identity gives no session without one', async () => {
  const channel = await make.channelAccount(workspace.id)
  const path = `/channels/${channel}/chat-box`
  const refused = await admin.call('PATCH', path, { requiresIdentity: true })
  assert.equal(refused.body.error.details[0].field, 'requiresIdentity')
  const key = await rotate(channel)
  assert.equal((await admin.call('PATCH', path, { requiresIdentity: true })).status, 200)
  const page = makePage(() => base, channel)
  const before = await visitorCount()
  assert.equal((await page.ask('/session', {})).body.error.code, 'IDENTITY_REQUIRED')
  assert.equal(await visitorCount(), before)
  const { token } = await page.session({ identity: await sign({ sub: 'a', aud: channel }, { key }) })
  assert.equal((await page.session({ token })).token, token)
})

test('what is written with a valid identity is marked, and nothing else', async () => {
  const { token } = await session({ identity: await sign({ sub: person() }) })
  const { conversationId } = await say(token, 'Signed')
  const anonymous = await session()
  const other = await say(anonymous.token, 'Anonymous')
  const metadataOf = async (id: string) =>
    (await call(workspace.token, 'GET', `/conversations/${id}/messages`)).body.messages.map(
      ({ metadata }: { metadata: unknown }) => metadata,
    )
  assert.deepEqual(await metadataOf(conversationId), [{ senderVerification: 'verified' }])
  assert.deepEqual(await metadataOf(other.conversationId), [null])
})
