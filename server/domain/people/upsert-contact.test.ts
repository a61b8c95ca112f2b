import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'

const app = await startApp()
const { call, db, make } = app
const workspace = await make.workspace()
const { token } = workspace

const upsert = async (match: object, set: object = {}, more: object = {}) =>
  call(token, 'POST', '/contacts/upsert', { match, set, ...more })
const lookUp = (query: string, of = token) => call(of, 'GET', `/contacts/lookup?${query}`)

let counter = 0
const fresh = () => `key-${++counter}`

test('a new contact has its keys, name, fields and tags, and is found by each key', async () => {
  const tagId = await make.tag(workspace.id, { name: 'VIP' })
  const match = { externalId: 'crm-4711', email: 'Ines@Example.org', phone: '+39 312 123 4567' }
  const { body, status } = await upsert(match, {
    name: 'Ines',
    customFields: { plan: 'pro' },
    addTagIds: [tagId],
  })
  assert.equal(status, 200)
  assert.equal(body.created, true)
  assert.deepEqual(body.matchedBy, [])
  const { id, name, email, emailVerified, phone, countryIso, externalId, tags, customFields } = body.contact
  assert.deepEqual([name, email, emailVerified], ['Ines', 'ines@example.org', true])
  assert.deepEqual([phone, countryIso, externalId], ['+393121234567', 'IT', 'crm-4711'])
  assert.deepEqual([customFields, tags[0].name], [{ plan: 'pro' }, 'VIP'])
  for (const query of ['externalId=crm-4711', 'email=INES%40example.org', 'phone=%2B39%20312%20123%204567'])
    assert.equal((await lookUp(query)).body.contact.id, id, query)
  const again = await upsert(match, { name: 'Ines Rossi' })
  assert.deepEqual([again.body.created, again.body.contact.id], [false, id])
  assert.deepEqual(again.body.matchedBy, ['externalId', 'email', 'phone'])
  assert.equal(again.body.contact.name, 'Ines Rossi')
})

test('keys that nobody has are added to the contact that the others found', async () => {
  const contact = await make.contact(workspace.id, { name: 'Ada', email: 'ada@example.org' })
  const { body } = await upsert({ email: 'ada@example.org', externalId: 'crm-ada', phone: '+4930123456' })
  assert.deepEqual([body.contact.id, body.created, body.matchedBy], [contact.id, false, ['email']])
  assert.deepEqual([body.contact.phone, body.contact.countryIso], ['+4930123456', 'DE'])
  const renamed = await upsert({ externalId: 'crm-ada', email: 'ada@new.example' })
  // The shown email stays; the contact has both.
  assert.equal(renamed.body.contact.email, 'ada@example.org')
  assert.equal((await lookUp('email=ada%40new.example')).body.contact.id, contact.id)
})

test('keys of different people change nothing, and say whose they are', async () => {
  const [one, two] = [fresh(), fresh()]
  const first = (await upsert({ externalId: one })).body.contact
  const second = (await upsert({ email: `${two}@example.org` })).body.contact
  const { body, status } = await upsert({ externalId: one, email: `${two}@example.org` }, { name: 'Changed' })
  assert.equal(status, 409)
  assert.equal(body.error.code, 'CONTACT_CONFLICT')
  assert.deepEqual(body.error.details, [
    { field: 'match.externalId', message: `belongs to contact ${first.id}` },
    { field: 'match.email', message: `belongs to contact ${second.id}` },
  ])
  assert.equal((await lookUp(`externalId=${one}`)).body.contact.name, one)
  const taken = await upsert({ externalId: one }, { externalId: 'crm-4711' })
  assert.equal(taken.body.error.details[0].field, 'set.externalId')
})

test('a contact that is known under another external id is somebody else', async () => {
  const email = `${fresh()}@example.org`
  await upsert({ externalId: `${email}-1`, email })
  const { body } = await upsert({ externalId: `${email}-2`, email })
  assert.equal(body.error.code, 'CONTACT_CONFLICT')
  const moved = await upsert({ externalId: `${email}-1` }, { externalId: `${email}-2` })
  assert.equal(moved.body.contact.externalId, `${email}-2`)
  assert.equal((await lookUp(`externalId=${encodeURIComponent(`${email}-1`)}`)).status, 404)
  assert.equal((await upsert({ externalId: `${email}-2`, email })).status, 200)
})

test('what a visitor merely typed finds nobody, and gives way to the workspace', async () => {
  const email = `${fresh()}@example.org`
  const contact = await make.contact(workspace.id, { name: 'Visitor', email: null })
  await db
    .insertInto('identities')
    .values({
      workspace_id: workspace.id,
      kind: 'email',
      value: email,
      contact_id: contact.id,
      verified: false,
      created_at: new Date(),
    })
    .execute()
  assert.equal((await lookUp(`email=${email}`)).status, 404)
  const { body } = await upsert({ email })
  assert.equal(body.created, true)
  assert.notEqual(body.contact.id, contact.id)
})

test('ten at once create one contact', async () => {
  const key = fresh()
  const match = { externalId: key, email: `${key}@example.org`, phone: `+4930${10_000_000 + counter}` }
  const results = await Promise.all(Array.from({ length: 10 }, () => upsert(match, { name: key })))
  assert.deepEqual([...new Set(results.map(({ status }) => status))], [200])
  assert.equal(new Set(results.map(({ body }) => body.contact.id)).size, 1)
  assert.equal(results.filter(({ body }) => body.created).length, 1)
})

test('two at once that share one key end as one contact or a conflict, never as two', async () => {
  for (let round = 0; round < 5; round++) {
    const key = fresh()
    const email = `${key}@example.org`
    const results = await Promise.all(
      ['a', 'b'].map((system) => upsert({ externalId: `${key}-${system}`, email })),
    )
    assert.deepEqual(results.map(({ status }) => status).sort(), [200, 409])
    const { body } = await call(token, 'GET', `/contacts?email=${encodeURIComponent(email)}`)
    assert.equal(body.contacts.length, 1)
  }
})

test('a wrong field or tag changes nothing', async () => {
  const key = fresh()
  const { body } = await upsert(
    { externalId: key },
    { customFields: { plan: 'pro' }, addTagIds: ['c00000000000000000000tag0'] },
  )
  assert.equal(body.error.code, 'VALIDATION_ERROR')
  assert.equal((await lookUp(`externalId=${key}`)).status, 404)
  for (const match of [
    {},
    { phone: 'call me' },
    { externalId: '' },
    { externalId: 'x'.repeat(129) },
    { email: 'x' },
  ])
    assert.equal((await upsert(match)).status, 400, JSON.stringify(match))
  assert.equal((await lookUp('externalId=a&email=a%40example.org')).status, 400)
  assert.equal((await upsert({ externalId: key }, {}, { create: false })).status, 404)
})

test('another workspace has keys of its own', async () => {
  const other = await make.workspace()
  assert.equal((await lookUp('externalId=crm-4711', other.token)).status, 404)
  const { body } = await call(other.token, 'POST', '/contacts/upsert', { match: { externalId: 'crm-4711' } })
  assert.equal(body.created, true)
})

test('tags are added and removed one by one', async () => {
  const [a, b, c] = await Promise.all(
    ['a', 'b', 'c'].map((name) => make.tag(workspace.id, { name: `tag ${name}` })),
  )
  const { id } = await make.contact(workspace.id)
  const change = (body: object) => call(token, 'POST', `/contacts/${id}/tags`, body)
  await Promise.all([change({ add: [a] }), change({ add: [b, b] }), change({ add: [c], remove: [] })])
  const { body } = await change({ remove: [b] })
  assert.deepEqual(
    body.tags.map((tag: { id: string }) => tag.id),
    [a, c],
  )
  const both = await change({ add: [a], remove: [a] })
  assert.deepEqual(both.body.error.details, [{ field: 'remove[0]', message: 'is also in add' }])
})
