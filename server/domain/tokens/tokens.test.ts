import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { startApp } from '../../../test/app.ts'
import { newId } from '../../platform/db/id.ts'
import { ApiError } from '../../platform/errors.ts'
import { hashSecret } from '../../platform/hash-secret.ts'
import { VERSION } from '../../platform/version.ts'
import { REVOKED_CHANNEL } from './queries.ts'
import { createToken, revokeToken, rotateToken } from './tokens.ts'

const { call, clock, ctxOf, database, db, make, tokens } = await startApp()
const workspace = await make.workspace({ name: 'Northwind' })
const other = await make.workspace()
const ctx = ctxOf(workspace.id)

test('a created token opens its workspace, and only its hash is stored', async () => {
  const { token, secret } = await createToken(ctx, { name: ' CRM ' })
  assert.match(secret, /^foyer_[A-Za-z0-9_-]{43}$/)
  assert.equal(token.prefix, secret.slice(0, 12))
  const { status, body } = await call(secret, 'GET', '/me')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    company: { id: workspace.id, name: 'Northwind' },
    token: { id: token.id, name: 'CRM', scopes: ['full'], channels: null, expiresAt: null },
    limits: { readsPerMinute: 100, changesPerMinute: 30, sendsPerMinute: 60, broadcastsPerMinute: 10 },
    serverVersion: VERSION,
  })
  const row = await db
    .selectFrom('api_tokens')
    .selectAll()
    .where('id', '=', token.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual(row.hash, hashSecret(secret))
  assert.ok(!JSON.stringify({ ...row, hash: '' }).includes(secret.slice(12)))
})

test('a token needs a name of at most 100 characters', async () => {
  for (const name of ['', '  ', 'n'.repeat(101)])
    await assert.rejects(createToken(ctx, { name }), { code: 'VALIDATION_ERROR' })
  await createToken(ctx, { name: 'n'.repeat(100) })
})

test('a revoked token is refused at the next request and stays listed', async () => {
  const { token, secret } = await createToken(ctx, { name: 'Short-lived' })
  assert.equal((await call(secret, 'GET', '/me')).status, 200)
  const revoked = await revokeToken(ctx, { tokenId: token.id })
  tokens.forget(token.id)
  const { status, body } = await call(secret, 'GET', '/me')
  assert.equal(status, 401)
  assert.equal(body.error.code, 'INVALID_API_TOKEN')
  assert.deepEqual(await revokeToken(ctx, { tokenId: token.id }), revoked)
  const row = await db
    .selectFrom('api_tokens')
    .select('revoked_at')
    .where('id', '=', token.id)
    .executeTakeFirst()
  assert.equal(row?.revoked_at, revoked.token.revokedAt)
})

test('a revocation is announced to every process when it commits, with the id alone', async () => {
  const { token } = await createToken(ctx, { name: 'Announced' })
  const listener = new pg.Client({ connectionString: database.connectionString })
  await listener.connect()
  try {
    await listener.query(`listen ${REVOKED_CHANNEL}`)
    const heard = new Promise((done) => listener.once('notification', ({ payload }) => done(payload)))
    await revokeToken(ctx, { tokenId: token.id })
    assert.equal(await heard, token.id)
  } finally {
    await listener.end()
  }
})

test('a token of another workspace is not found and cannot be revoked', async () => {
  for (const tokenId of [other.tokenId, newId()])
    await assert.rejects(
      revokeToken(ctx, { tokenId }),
      (error) =>
        error instanceof ApiError && error.code === 'NOT_FOUND' && error.message.includes('Token not found'),
    )
  assert.equal((await call(other.token, 'GET', '/me')).status, 200)
})

/** Runs `work` at a fixed time. */
const at = async <T>(time: string, work: () => Promise<T>): Promise<T> => {
  const { now } = clock
  clock.now = () => new Date(time)
  try {
    return await work()
  } finally {
    clock.now = now
  }
}

const codeAt = (time: string, secret: string): Promise<string | undefined> =>
  at(time, async () => (await call(secret, 'GET', '/me')).body.error?.code)

test('a token ends at the very millisecond, whether it is cached or not', async () => {
  const expiresAt = '2099-01-01T00:00:00.000Z'
  const { token, secret } = await createToken(ctx, { name: 'Ends', expiresAt })
  assert.equal(token.expiresAt, expiresAt)
  assert.equal(await codeAt('2098-12-31T23:59:59.999Z', secret), undefined)
  assert.equal(await codeAt(expiresAt, secret), 'INVALID_API_TOKEN')
  assert.equal(await codeAt('2098-12-31T23:59:59.999Z', secret), undefined)
  tokens.forgetAll()
  assert.equal(await codeAt(expiresAt, secret), 'INVALID_API_TOKEN')
})

test('a token is only used from its addresses', async () => {
  const { secret } = await createToken(ctx, {
    name: 'From the office',
    allowedAddresses: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'],
  })
  const from = async (address: string) => {
    const headers = { 'x-forwarded-for': address }
    const { status, body } = await call(secret, 'GET', '/me', undefined, { headers })
    return [status, body.error?.code, body.error?.message]
  }
  for (const address of [
    '203.0.113.255',
    '2001:db8:1::1',
    '198.51.100.7',
    '::ffff:203.0.113.4',
    '203.0.113.4:4711',
  ])
    assert.equal((await from(address))[0], 200, address)
  for (const address of ['203.0.114.0', '2001:db9::1', '198.51.100.8', '::ffff:10.0.0.1'])
    assert.deepEqual((await from(address)).slice(0, 2), [403, 'ADDRESS_NOT_ALLOWED'], address)
  assert.match((await from('203.0.114.0'))[2], /203\.0\.114\.0/)
  assert.equal((await from('no address'))[0], 403)
})

test('after a rotation both secrets work until the overlap ends, and then one', async () => {
  const { token, secret: first } = await createToken(ctx, { name: 'Rotated', scopes: ['contacts:read'] })
  assert.equal(await codeAt('2097-01-01T00:00:00Z', first), undefined)
  const rotated = await at('2097-01-01T00:00:00Z', () =>
    rotateToken(ctx, { tokenId: token.id, overlapHours: 2 }),
  )
  tokens.forget(token.id)
  const { secret: second } = rotated
  assert.equal(rotated.token.previousSecretUntil, '2097-01-01T02:00:00.000Z')
  assert.equal(rotated.token.prefix, second.slice(0, 12))
  assert.deepEqual(rotated.token.scopes, ['contacts:read'])
  for (const secret of [first, second])
    assert.equal(await codeAt('2097-01-01T01:59:59.999Z', secret), undefined)
  assert.equal(await codeAt('2097-01-01T02:00:00.000Z', first), 'INVALID_API_TOKEN')
  assert.equal(await codeAt('2097-01-01T02:00:00.000Z', second), undefined)
  const third = await rotateToken(ctx, { tokenId: token.id, overlapHours: 0 })
  tokens.forget(token.id)
  for (const secret of [first, second])
    assert.equal(await codeAt('2097-01-01T00:30:00.000Z', secret), 'INVALID_API_TOKEN')
  assert.equal(await codeAt('2097-01-01T00:30:00.000Z', third.secret), undefined)
})

test('a token that is revoked or has expired is not rotated', async () => {
  const { token } = await createToken(ctx, { name: 'Over', expiresAt: '2099-01-01T00:00:00.000Z' })
  const rotate = (overlapHours = 24) => rotateToken(ctx, { tokenId: token.id, overlapHours })
  for (const hours of [-1, 169, 1.5, Number.NaN])
    await assert.rejects(rotate(hours), { code: 'VALIDATION_ERROR' })
  await at('2099-01-01T00:00:00.000Z', () => assert.rejects(rotate(), { code: 'TOKEN_NOT_ACTIVE' }))
  await revokeToken(ctx, { tokenId: token.id })
  await assert.rejects(rotate(), { code: 'TOKEN_NOT_ACTIVE' })
  await assert.rejects(rotateToken(ctx, { tokenId: other.tokenId }), { code: 'NOT_FOUND' })
})

test('no token makes or replaces a token', async () => {
  const { token } = await createToken(ctx, { name: 'Made by people' })
  const asToken = { ...ctx, actor: { type: 'token', tokenId: token.id } as const }
  await assert.rejects(createToken(asToken, { name: 'More' }), { code: 'FORBIDDEN' })
  await assert.rejects(rotateToken(asToken, { tokenId: token.id }), { code: 'FORBIDDEN' })
})

test('what writes also reads, and nonsense is refused field by field', async () => {
  const { token } = await createToken(ctx, {
    name: 'Sync',
    scopes: ['contacts:write', 'messages:send'],
    channels: ['email', 'web', 'email'],
  })
  assert.deepEqual(token.scopes, ['messages:send', 'contacts:read', 'contacts:write'])
  assert.deepEqual([...token.channels!].sort(), ['email', 'web'])
  const wrong = {
    scopes: [[], ['everything'], ['full', 'contacts:read']],
    channels: [[], ['fax']],
    expiresAt: ['tomorrow', '2020-01-01', '2027-13-01', '01.02.2030'],
    allowedAddresses: [[], ['10.0.0.0/33'], ['office'], ['::ffff:10.0.0.1'], Array(51).fill('10.0.0.1')],
  }
  for (const [field, values] of Object.entries(wrong))
    for (const value of values)
      await assert.rejects(
        createToken(ctx, { name: 'Wrong', [field]: value }),
        (error) => error instanceof ApiError && error.details?.[0]?.field === field,
        `${field} ${value}`,
      )
})
