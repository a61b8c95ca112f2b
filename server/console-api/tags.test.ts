import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'

const app = await startApp()
const { call, db, make } = app
const workspace = await make.workspace()
const other = await make.workspace()
const member = await makeMember(app, workspace.id, ['manage_tags'])
const { call: console } = await signIn(app, workspace.id, member.id)

const fieldsOf = (body: { error: { details: { field: string }[] } }) =>
  body.error.details.map(({ field }) => field)

test('a tag is created, renamed, recoloured and deleted, and removed from its contacts', async () => {
  const { body, status } = await console('POST', '/tags', { name: ' VIP ', color: '#2F80ED' })
  assert.equal(status, 200)
  const { tag } = body
  assert.deepEqual(tag, { id: tag.id, name: 'VIP', color: '#2f80ed' })
  const contact = await make.contact(workspace.id)
  await call(workspace.token, 'PUT', `/contacts/${contact.id}/tags`, { tagIds: [tag.id] })
  const renamed = await console('PATCH', `/tags/${tag.id}`, { name: 'vip' })
  assert.deepEqual(renamed.body.tag, { id: tag.id, name: 'vip', color: '#2f80ed' })
  const recoloured = await console('PATCH', `/tags/${tag.id}`, { color: '#000000' })
  assert.deepEqual(recoloured.body.tag, { id: tag.id, name: 'vip', color: '#000000' })
  assert.deepEqual((await call(workspace.token, 'GET', '/tags')).body.tags, [recoloured.body.tag])
  assert.deepEqual((await console('DELETE', `/tags/${tag.id}`)).body, { success: true })
  const kept = await db
    .selectFrom('contact_tags')
    .selectAll()
    .where('workspace_id', '=', workspace.id)
    .execute()
  assert.deepEqual(kept, [])
  assert.equal((await console('DELETE', `/tags/${tag.id}`)).status, 404)
})

test('a name that another tag has in other letters is refused on name, for a new tag and for a renamed one', async () => {
  const { body: taken } = await console('POST', '/tags', { name: 'Straße', color: '#000000' })
  const { body: mine } = await console('POST', '/tags', { name: 'Mine', color: '#000000' })
  for (const answer of [
    await console('POST', '/tags', { name: 'STRASSE', color: '#000000' }),
    await console('PATCH', `/tags/${mine.tag.id}`, { name: 'strasse' }),
  ]) {
    assert.equal(answer.status, 400)
    assert.deepEqual(fieldsOf(answer.body), ['name'])
  }
  const both = await Promise.all([
    console('PATCH', `/tags/${mine.tag.id}`, { name: 'Both' }),
    console('PATCH', `/tags/${taken.tag.id}`, { name: 'both' }),
  ])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400])
})

test('all errors in a tag are named', async () => {
  const { body } = await console('POST', '/tags', { name: 'fine', color: '#2f80ed' })
  for (const [input, fields] of [
    [{ name: ' ', color: 'red' }, ['name']],
    [{ name: 'x', color: 'red' }, ['color']],
    [{ name: 'x'.repeat(61), color: '#000000' }, ['name']],
    [{}, ['name', 'color']],
  ] as const) {
    const answer = await console('POST', '/tags', input)
    assert.equal(answer.status, 400)
    assert.deepEqual(fieldsOf(answer.body), fields)
  }
  assert.equal((await console('PATCH', `/tags/${body.tag.id}`, {})).status, 400)
  assert.equal((await console('PATCH', `/tags/${body.tag.id}`, { color: '#ggg' })).status, 400)
})

test('a tag of another workspace is not found and stays unchanged', async () => {
  const foreign = await make.tag(other.id, { name: 'Theirs' })
  for (const [method, body] of [
    ['PATCH', { name: 'Ours' }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await console(method, `/tags/${foreign}`, body)
    assert.equal(answer.status, 404)
    assert.equal(answer.text, (await console(method, '/tags/c000000000000000000000000', body)).text)
  }
  assert.equal((await call(other.token, 'GET', '/tags')).body.tags[0].name, 'Theirs')
})
