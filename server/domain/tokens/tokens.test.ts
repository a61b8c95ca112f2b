import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { startApp } from '../../../test/app.ts'
import { newId } from '../../platform/db/id.ts'
import { ApiError } from '../../platform/errors.ts'
import { hashSecret } from '../../platform/hash-secret.ts'
import { REVOKED_CHANNEL } from './queries.ts'
import { createToken, revokeToken } from './tokens.ts'

const { call, ctxOf, database, db, make, tokens } = await startApp()
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
    token: { id: token.id, name: 'CRM' },
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
