import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { until } from '../../test/until.ts'
import { createToken } from '../domain/tokens/tokens.ts'

const app = await startApp()
const { call, ctxOf, make } = app
const workspace = await make.workspace({ name: 'Northwind' })
const other = await make.workspace()
const admin = await make.agent(workspace.id, { role: 'admin', nickname: 'Ada' })
const ada = await signIn(app, workspace.id, admin.id)

test('a token is created in the console, its secret is shown once, and it works until it is revoked', async () => {
  const { body, status } = await ada.call('POST', '/tokens', { name: ' CRM ' })
  assert.equal(status, 200)
  const { token, secret } = body
  assert.deepEqual(token, {
    id: token.id,
    name: 'CRM',
    prefix: secret.slice(0, 12),
    createdAt: token.createdAt,
    createdBy: { id: admin.id, nickname: 'Ada' },
    lastUsedAt: null,
    revokedAt: null,
    scopes: ['full'],
    channels: null,
    expiresAt: null,
    allowedAddresses: null,
    previousSecretUntil: null,
  })
  assert.equal((await call(secret, 'GET', '/me')).body.token.name, 'CRM')
  const list = await ada.call('GET', '/tokens')
  assert.ok(!list.text.includes(secret))
  const revoked = await ada.call('POST', `/tokens/${token.id}/revoke`)
  assert.equal(revoked.status, 200)
  assert.ok(revoked.body.token.revokedAt)
  assert.equal((await call(secret, 'GET', '/me')).status, 401)
  const again = await ada.call('POST', `/tokens/${token.id}/revoke`)
  assert.equal(again.body.token.revokedAt, revoked.body.token.revokedAt)
})

test('revoked tokens stay listed after the others, with their creator and last use', async () => {
  const { body: first } = await ada.call('POST', '/tokens', { name: 'First' })
  const { body: second } = await ada.call('POST', '/tokens', { name: 'Second' })
  const { token: operators } = await createToken(ctxOf(workspace.id), { name: 'Operator’s' })
  await call(second.secret, 'GET', '/me')
  // Nobody waits for it to be written down.
  await until(async () => {
    const { body } = await ada.call('GET', '/tokens')
    return body.tokens.some(
      (token: Record<string, unknown>) => token.id === second.token.id && token.lastUsedAt,
    )
  }, 'the use of the token to be noted')
  await ada.call('POST', `/tokens/${second.token.id}/revoke`)
  await createToken(ctxOf(other.id), { name: 'Theirs' })
  const { body } = await ada.call('GET', '/tokens')
  const names = body.tokens.map(({ name }: { name: string }) => name)
  assert.deepEqual(names.slice(0, 2), ['Operator’s', 'First'])
  assert.ok(names.indexOf('Second') > names.indexOf('Test token'))
  assert.ok(!names.includes('Theirs'))
  const of = (id: string) => body.tokens.find((token: { id: string }) => token.id === id)
  assert.equal(of(operators.id).createdBy, null)
  assert.equal(of(first.token.id).lastUsedAt, null)
  assert.ok(of(second.token.id).lastUsedAt)
})

test('a token needs a name, and a token of another workspace is not found', async () => {
  for (const name of [undefined, '', ' ', 'n'.repeat(101), 7]) {
    const { status, body } = await ada.call('POST', '/tokens', { name })
    assert.equal(status, 400)
    assert.deepEqual(
      body.error.details.map(({ field }: { field: string }) => field),
      ['name'],
    )
  }
  const foreign = await ada.call('POST', `/tokens/${other.tokenId}/revoke`)
  const nothing = await ada.call('POST', '/tokens/c000000000000000000000000/revoke')
  assert.equal(foreign.status, 404)
  assert.equal(foreign.text, nothing.text)
  assert.equal((await call(other.token, 'GET', '/me')).status, 200)
})

test('a secret is never stored, not even with an Idempotency-Key', async () => {
  const options = { headers: { 'idempotency-key': 'once' } }
  const first = await ada.call('POST', '/tokens', { name: 'Kept' }, options)
  const second = await ada.call('POST', '/tokens', { name: 'Kept' }, options)
  assert.notEqual(first.body.secret, second.body.secret)
  const kept = await app.db.selectFrom('idempotency_keys').selectAll().execute()
  assert.deepEqual(kept, [])
})
