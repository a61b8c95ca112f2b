import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { newId } from '../db/id.ts'
import { once } from './idempotency.ts'

const { call, clock, ctxOf, db, make } = await startApp()
const workspace = await make.workspace()
const other = await make.workspace()

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })
const announcements = (conversationId: string) =>
  db.selectFrom('events').select('type').where('conversation_id', '=', conversationId).execute()

test('the same request under the same key does the work once and gets the same answer', async () => {
  const { id } = await make.conversation(workspace.id)
  const first = await call(workspace.token, 'POST', `/conversations/${id}/close`, undefined, withKey('a'))
  await call(workspace.token, 'POST', `/conversations/${id}/reopen`)
  const second = await call(workspace.token, 'POST', `/conversations/${id}/close`, undefined, withKey('a'))
  assert.equal(first.headers['idempotent-replayed'], undefined)
  assert.equal(second.headers['idempotent-replayed'], 'true')
  assert.equal(second.status, 200)
  assert.equal(second.text, first.text)
  assert.equal((await announcements(id)).length, 2)
})

test('another request under the key is refused', async () => {
  const one = await make.conversation(workspace.id)
  const two = await make.conversation(workspace.id)
  await call(workspace.token, 'POST', `/conversations/${one.id}/close`, undefined, withKey('b'))
  const { status, body } = await call(
    workspace.token,
    'POST',
    `/conversations/${two.id}/close`,
    undefined,
    withKey('b'),
  )
  assert.equal(status, 422)
  assert.equal(body.error.code, 'IDEMPOTENCY_KEY_REUSED')
})

test('a key counts for each operation and workspace apart', async () => {
  const mine = await make.conversation(workspace.id)
  const theirs = await make.conversation(other.id)
  for (const [secret, path] of [
    [workspace.token, `/conversations/${mine.id}/close`],
    [workspace.token, `/conversations/${mine.id}/reopen`],
    [other.token, `/conversations/${theirs.id}/close`],
  ] as const) {
    const { status, headers } = await call(secret, 'POST', path, undefined, withKey('c'))
    assert.equal(status, 200)
    assert.equal(headers['idempotent-replayed'], undefined)
  }
})

test('a failed call may be tried again under its key', async () => {
  const missing = await call(
    workspace.token,
    'POST',
    `/conversations/${newId()}/close`,
    undefined,
    withKey('d'),
  )
  assert.equal(missing.status, 404)
  const { id } = await make.conversation(workspace.id)
  assert.equal(
    (await call(workspace.token, 'POST', `/conversations/${id}/close`, undefined, withKey('d'))).status,
    200,
  )
})

test('a key is free again after a day', async () => {
  const one = await make.conversation(workspace.id)
  const two = await make.conversation(workspace.id)
  await call(workspace.token, 'POST', `/conversations/${one.id}/close`, undefined, withKey('e'))
  const real = clock.now
  clock.now = () => new Date(Date.now() + 24 * 3_600_000 + 1)
  const { status } = await call(
    workspace.token,
    'POST',
    `/conversations/${two.id}/close`,
    undefined,
    withKey('e'),
  )
  clock.now = real
  assert.equal(status, 200)
})

test('a key in use is refused while the first request runs', async () => {
  const ctx = ctxOf(workspace.id)
  const input = { operation: 'test', key: 'f', requestHash: Buffer.from('x'), isFinal: () => true }
  let release = () => {}
  const running = new Promise<void>((resolve) => {
    release = resolve
  })
  let started = () => {}
  const hasStarted = new Promise<void>((resolve) => {
    started = resolve
  })
  const first = once(ctx, input, async () => {
    started()
    await running
    return 'done'
  })
  await hasStarted
  await assert.rejects(
    once(ctx, input, async () => 'again'),
    { code: 'IDEMPOTENCY_KEY_IN_USE' },
  )
  release()
  assert.deepEqual(await first, { answer: 'done', isReplay: false })
  assert.deepEqual(await once(ctx, input, async () => 'again'), { answer: 'done', isReplay: true })
})

test('twenty at once do the work once', async () => {
  const { id } = await make.conversation(workspace.id)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      call(workspace.token, 'POST', `/conversations/${id}/close`, undefined, withKey('g')),
    ),
  )
  for (const { status } of answers) assert.ok(status === 200 || status === 409)
  assert.ok(answers.some(({ status }) => status === 200))
  assert.equal((await announcements(id)).length, 1)
})

test('a key of a wrong form is a validation error', async () => {
  const { id } = await make.conversation(workspace.id)
  for (const key of ['', 'has space', 'ü', 'x'.repeat(256)]) {
    const { status, body } = await call(
      workspace.token,
      'POST',
      `/conversations/${id}/close`,
      undefined,
      withKey(key),
    )
    assert.equal(status, 400)
    assert.equal(body.error.details[0].field, 'Idempotency-Key')
  }
  assert.equal(
    (await call(workspace.token, 'POST', `/conversations/${id}/close`, undefined, withKey('x'.repeat(255))))
      .status,
    200,
  )
})

test('a retry of a send gets Retry-After 6, of a broadcast 11, and then the response', async () => {
  const ctx = ctxOf(workspace.id)
  for (const [key, provisionalMs, waitMs] of [
    ['send', undefined, 6_000],
    ['broadcast', 11_000, 11_000],
  ] as const) {
    const requestHash = Buffer.from('x')
    const input = { operation: 'test', key, requestHash, isFinal: () => false, provisionalMs }
    const first = new Date('2026-11-22T10:00:00Z')
    const at = (ms: number) => ({ ...ctx, now: () => new Date(first.getTime() + ms) })
    const ask = (ms: number) => once(at(ms), input, async () => 'provisional')
    assert.deepEqual(await ask(0), { answer: 'provisional', isReplay: false })
    await assert.rejects(ask(waitMs - 1), { code: 'IDEMPOTENCY_KEY_IN_USE' })
    assert.deepEqual(await ask(waitMs), { answer: 'provisional', isReplay: true })
  }
})
