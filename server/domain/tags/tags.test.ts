import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { ApiError } from '../../platform/errors.ts'
import { createTag } from './tags.ts'

const { call, ctxOf, make } = await startApp()

const refusedFields = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => assert.fail('it was accepted'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof ApiError)
  assert.equal(error.code, 'VALIDATION_ERROR')
  return error.details?.map(({ field }) => field)
}

test('tags are listed by name without regard to case, and only those of the workspace', async () => {
  const workspace = await make.workspace()
  const other = await make.workspace()
  assert.deepEqual((await call(workspace.token, 'GET', '/tags')).body, { tags: [] })
  const ctx = ctxOf(workspace.id)
  const vip = await createTag(ctx, { name: ' VIP ', color: '#2F80ED' })
  const lead = await createTag(ctx, { name: 'lead', color: '#00ff00' })
  await createTag(ctxOf(other.id), { name: 'VIP', color: '#000000' })
  assert.deepEqual(vip, { id: vip.id, name: 'VIP', color: '#2f80ed' })
  const { status, body } = await call(workspace.token, 'GET', '/tags')
  assert.equal(status, 200)
  assert.deepEqual(body, { tags: [lead, vip] })
})

test('a tag has a name of 1 to 60 characters and a color of six hex digits', async () => {
  const ctx = ctxOf((await make.workspace()).id)
  await createTag(ctx, { name: '🙂'.repeat(60), color: '#000000' })
  assert.deepEqual(await refusedFields(createTag(ctx, { name: 'x'.repeat(61), color: '#000000' })), ['name'])
  assert.deepEqual(await refusedFields(createTag(ctx, { name: ' ', color: 'red' })), ['name', 'color'])
  for (const color of ['', '#fff', '#0000000', '000000', '#00000g'])
    assert.deepEqual(await refusedFields(createTag(ctx, { name: 'fine', color })), ['color'], color)
})

test('a name is taken without regard to case, also by twenty at once', async () => {
  const workspace = await make.workspace()
  const names = Array.from({ length: 20 }, (_, n) => (n % 2 ? 'Straße' : 'STRASSE'))
  const made = await Promise.allSettled(
    names.map((name) => createTag(ctxOf(workspace.id), { name, color: '#000000' })),
  )
  assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.deepEqual(
    await refusedFields(createTag(ctxOf(workspace.id), { name: 'strasse', color: '#111111' })),
    ['name'],
  )
  assert.equal((await call(workspace.token, 'GET', '/tags')).body.tags.length, 1)
})
