import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { newId } from '../../platform/db/id.ts'
import { createTag } from '../tags/tags.ts'

const { call, ctxOf, db, make } = await startApp()
const workspace = await make.workspace()
const other = await make.workspace()

const get = (id: string) => call(workspace.token, 'GET', `/contacts/${id}`)
const patch = (id: string, body: unknown) => call(workspace.token, 'PATCH', `/contacts/${id}`, body)
const putTags = (id: string, body: unknown) => call(workspace.token, 'PUT', `/contacts/${id}/tags`, body)

const fieldsOf = (answer: { status: number; body: { error: { details: { field: string }[] } } }) => {
  assert.equal(answer.status, 400, JSON.stringify(answer.body))
  return answer.body.error.details.map(({ field }) => field)
}

const customFieldsOf = async (id: string) => (await get(id)).body.contact.customFields

test('a profile has the contact, the runs of flows and the notes, newest first', async () => {
  const { id } = await make.contact(workspace.id, {
    name: 'Ines',
    email: 'ines@example.org',
    phone: '+393121234567',
    countryIso: 'IT',
    createdAt: new Date('2026-10-02T14:05:11.480Z'),
  })
  const agent = await make.agent(workspace.id, { nickname: 'Note Writer' })
  const conversation = await make.conversation(workspace.id, { contactId: id })
  const row = { workspace_id: workspace.id, contact_id: id, conversation_id: conversation.id }
  for (const [body, author] of [
    ['first', agent.id],
    ['second', `api:${workspace.tokenId}`],
  ] as const)
    await db
      .insertInto('notes')
      .values({ ...row, id: newId(), author_id: author, body, created_at: '2026-11-01T08:00:00.007Z' })
      .execute()
  const flow = { flow_id: newId(), flow_name: 'Welcome' }
  const run = newId()
  await db
    .insertInto('flow_runs')
    .values({ ...row, ...flow, id: run, status: 'completed', started_at: '2026-11-01T08:00:00Z' })
    .execute()
  const { status, body } = await get(id)
  assert.equal(status, 200)
  assert.deepEqual(body.contact, {
    id,
    name: 'Ines',
    email: 'ines@example.org',
    emailVerified: true,
    phone: '+393121234567',
    countryIso: 'IT',
    avatarUrl: null,
    channels: ['web'],
    conversationCount: 1,
    openCount: 1,
    firstContactAt: '2026-10-02T14:05:11.480Z',
    customFields: {},
    tags: [],
    externalId: null,
    identities: [
      { kind: 'email', value: 'ines@example.org', verified: true },
      { kind: 'phone', value: '+393121234567', verified: true },
    ],
  })
  assert.deepEqual(
    body.notes.map(({ body, createdAt, agent }: Record<string, unknown>) => ({ body, createdAt, agent })),
    [
      {
        body: 'second',
        createdAt: '2026-11-01T08:00:00.007Z',
        agent: { id: `api:${workspace.tokenId}`, nickname: 'API' },
      },
      {
        body: 'first',
        createdAt: '2026-11-01T08:00:00.007Z',
        agent: { id: agent.id, nickname: 'Note Writer' },
      },
    ],
  )
  assert.deepEqual(body.flows, [
    {
      runId: run,
      flowId: flow.flow_id,
      flowName: 'Welcome',
      conversationId: conversation.id,
      status: 'completed',
      startedAt: '2026-11-01T08:00:00.000Z',
      completedAt: null,
    },
  ])
})

test('a contact of another workspace gets the same response, byte for byte, as one that does not exist', async () => {
  const foreign = await make.contact(other.id)
  for (const ask of [
    get,
    (id: string) => patch(id, { name: 'Mine now', customFields: { a: 1 } }),
    (id: string) => putTags(id, { tagIds: [] }),
  ]) {
    const theirs = await ask(foreign.id)
    assert.equal(theirs.status, 404)
    assert.equal(theirs.body.error.code, 'CONTACT_NOT_FOUND')
    for (const id of [newId(), 'ai', '%00', 'x'.repeat(500)]) assert.equal((await ask(id)).text, theirs.text)
  }
  const { name, custom_fields } = await db
    .selectFrom('contacts')
    .select(['name', 'custom_fields'])
    .where('id', '=', foreign.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual([name, custom_fields], [foreign.name, {}])
})

test('custom fields merge key by key: given ones overwrite, null removes, others stay', async () => {
  const { id, name } = await make.contact(workspace.id)
  const first = await patch(id, { customFields: { plan: 'pro', seats: 12.5, trial: true, note: '' } })
  assert.equal(first.status, 200)
  assert.equal(first.body.contact.name, name)
  assert.deepEqual(first.body.contact.customFields, { plan: 'pro', seats: 12.5, trial: true, note: '' })
  const second = await patch(id, {
    customFields: { plan: 'basic', trial: null, missing: null, seats: false },
  })
  assert.deepEqual(second.body.contact.customFields, { plan: 'basic', seats: false, note: '' })
  assert.equal(second.text, (await get(id)).text)
  const nothing = await patch(id, { customFields: {} })
  assert.deepEqual(nothing.body.contact.customFields, second.body.contact.customFields)
})

test('a key with special characters is only a key', async () => {
  const { id } = await make.contact(workspace.id)
  const customFields = JSON.parse(
    '{"__proto__":"a","constructor":1,"a.b":2,"a/b":3,"🙂":"🙂","\'; --":true," ":"x"}',
  )
  assert.equal((await patch(id, { customFields })).status, 200)
  assert.deepEqual(await customFieldsOf(id), customFields)
  const removed = Object.fromEntries(Object.keys(customFields).map((key) => [key, null]))
  assert.equal((await patch(id, { customFields: removed })).status, 200)
  assert.deepEqual(await customFieldsOf(id), {})
})

test('a rename is trimmed, announced, and found by search under the new name only', async () => {
  const { id } = await make.contact(workspace.id, { name: 'Oldish Name' })
  const { status, body } = await patch(id, { name: '  Straße Neu  ' })
  assert.equal(status, 200)
  assert.equal(body.contact.name, 'Straße Neu')
  const idsOf = async (search: string) =>
    (await call(workspace.token, 'GET', `/contacts?search=${search}`)).body.contacts.map(
      (row: { id: string }) => row.id,
    )
  assert.deepEqual(await idsOf('STRASSE'), [id])
  assert.deepEqual(await idsOf('oldish'), [])
  const events = await db.selectFrom('events').select('type').where('contact_id', '=', id).execute()
  assert.deepEqual(events, [{ type: 'contact.updated' }])
})

test('a name has 1 to 120 characters, counted as code points', async () => {
  const { id } = await make.contact(workspace.id)
  for (const name of ['x', 'x'.repeat(120), '🙂'.repeat(120), ` ${'x'.repeat(120)} `])
    assert.equal((await patch(id, { name })).status, 200, name)
  for (const name of ['', '   ', 'x'.repeat(121), 5, null, true, [], {}, 'a\0b', 'a\ud800'])
    assert.deepEqual(fieldsOf(await patch(id, { name })), ['name'], JSON.stringify(name))
})

test('one of name and customFields is required', async () => {
  const { id } = await make.contact(workspace.id)
  assert.deepEqual(fieldsOf(await patch(id, {})), ['name', 'customFields'])
  assert.deepEqual(fieldsOf(await patch(id, { nickname: 'x' })), ['name', 'customFields'])
  for (const body of [[], 'x', 5, null]) assert.equal((await patch(id, body)).status, 400)
  assert.equal((await call(workspace.token, 'PATCH', `/contacts/${id}`)).status, 400)
})

test('custom fields are limited, and an error names each key over a limit', async () => {
  const { id } = await make.contact(workspace.id)
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, n]))
  assert.equal((await patch(id, { customFields: many(50) })).status, 200)
  assert.deepEqual(fieldsOf(await patch(id, { customFields: many(51) })), ['customFields'])
  for (const [key, value] of [
    ['k'.repeat(64), 1],
    ['🙂'.repeat(64), 1],
    ['text', 'x'.repeat(500)],
    ['text', '🙂'.repeat(500)],
    ['number', -1.5e300],
  ] as const)
    assert.equal((await patch(id, { customFields: { [key]: value } })).status, 200, key)
  for (const [key, value] of [
    ['k'.repeat(65), 1],
    ['text', 'x'.repeat(501)],
    ['list', []],
    ['object', {}],
    ['nul', 'a\0b'],
  ] as const)
    assert.deepEqual(fieldsOf(await patch(id, { customFields: { [key]: value } })), [`customFields.${key}`])
  assert.equal(fieldsOf(await patch(id, { customFields: { '': 1 } })).length, 1)
  assert.deepEqual(
    fieldsOf(await patch(id, { name: '', customFields: { a: [], b: 'x'.repeat(501), c: 1 } })).sort(),
    ['customFields.a', 'customFields.b', 'name'],
  )
  for (const customFields of [null, [], 'x', 5])
    assert.deepEqual(fieldsOf(await patch(id, { customFields })), ['customFields'])
})

test('a number that no double can hold is refused rather than stored as nothing', async () => {
  const { id } = await make.contact(workspace.id)
  const answer = await call(workspace.token, 'PATCH', `/contacts/${id}`, undefined, {
    payload: '{"customFields":{"huge":1e400}}',
    headers: { 'content-type': 'application/json' },
  })
  assert.deepEqual(fieldsOf(answer), ['customFields.huge'])
})

test('a contact keeps 200 custom fields, and one more changes neither fields nor name', async () => {
  const { id, name } = await make.contact(workspace.id)
  const some = (from: number, to: number, value: unknown = 'x') =>
    Object.fromEntries(Array.from({ length: to - from }, (_, n) => [`key${from + n}`, value]))
  for (const from of [0, 50, 100, 150])
    assert.equal((await patch(id, { customFields: some(from, from + 50) })).status, 200)
  assert.deepEqual(fieldsOf(await patch(id, { name: 'Changed', customFields: { more: 1 } })), [
    'customFields',
  ])
  const { contact } = (await get(id)).body
  assert.deepEqual([contact.name, Object.keys(contact.customFields).length], [name, 200])
  assert.equal((await patch(id, { customFields: { more: 1, key0: null } })).status, 200)
  assert.equal((await patch(id, { customFields: some(1, 51, 'y') })).status, 200)
})

test('merges of one contact at the same moment lose nothing', async () => {
  const { id } = await make.contact(workspace.id)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => patch(id, { customFields: { [`key${n}`]: n } })),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(Object.keys(await customFieldsOf(id)).length, 20)
})

test('tags are replaced as a set, answered by name without regard to case', async () => {
  const ctx = ctxOf(workspace.id)
  const beta = await createTag(ctx, { name: 'beta', color: '#112233' })
  const alpha = await createTag(ctx, { name: 'Alpha', color: '#AABBCC' })
  const gamma = await createTag(ctx, { name: 'Gamma', color: '#000000' })
  const { id } = await make.contact(workspace.id)
  const kept = () =>
    db.selectFrom('contact_tags').select('tag_id').where('contact_id', '=', id).orderBy('tag_id').execute()
  const first = await putTags(id, { tagIds: [gamma.id, beta.id, alpha.id, beta.id] })
  assert.equal(first.status, 200)
  assert.deepEqual(first.body, { tags: [{ ...alpha, color: '#aabbcc' }, beta, gamma] })
  assert.deepEqual((await putTags(id, { tagIds: [beta.id] })).body, { tags: [beta] })
  assert.deepEqual(await kept(), [{ tag_id: beta.id }])
  assert.deepEqual((await putTags(id, { tagIds: [] })).body, { tags: [] })
  assert.deepEqual(await kept(), [])
})

test('an unknown tag is named by its index, and nothing changes', async () => {
  const own = await createTag(ctxOf(workspace.id), { name: 'own', color: '#112233' })
  const foreign = await createTag(ctxOf(other.id), { name: 'foreign', color: '#112233' })
  const { id } = await make.contact(workspace.id)
  await putTags(id, { tagIds: [own.id] })
  const answer = await putTags(id, { tagIds: [foreign.id, own.id, newId(), '', foreign.id] })
  assert.deepEqual(fieldsOf(answer), ['tagIds[0]', 'tagIds[2]', 'tagIds[3]', 'tagIds[4]'])
  const kept = await db.selectFrom('contact_tags').select('tag_id').where('contact_id', '=', id).execute()
  assert.deepEqual(kept, [{ tag_id: own.id }])
})

test('a set of tags has at most 50 items, all strings', async () => {
  const { id } = await make.contact(workspace.id)
  const tag = await createTag(ctxOf(workspace.id), { name: 'many times', color: '#112233' })
  const times = (count: number) => Array.from({ length: count }, () => tag.id)
  assert.deepEqual((await putTags(id, { tagIds: times(50) })).body, { tags: [tag] })
  assert.deepEqual(fieldsOf(await putTags(id, { tagIds: times(51) })), ['tagIds'])
  assert.deepEqual(fieldsOf(await putTags(id, { tagIds: [1, null] })), ['tagIds[0]', 'tagIds[1]'])
  assert.deepEqual(fieldsOf(await putTags(id, {})), ['tagIds'])
  assert.deepEqual(fieldsOf(await putTags(id, { tagIds: tag.id })), ['tagIds'])
})

test('replacing tags at the same moment leaves one of the sets whole', async () => {
  const ctx = ctxOf(workspace.id)
  const sets = await Promise.all(
    Array.from({ length: 6 }, async (_, n) => [
      (await createTag(ctx, { name: `race ${n} a`, color: '#112233' })).id,
      (await createTag(ctx, { name: `race ${n} b`, color: '#112233' })).id,
    ]),
  )
  const { id } = await make.contact(workspace.id)
  await Promise.all(sets.map((tagIds) => putTags(id, { tagIds })))
  const kept = await db.selectFrom('contact_tags').select('tag_id').where('contact_id', '=', id).execute()
  const ids = kept.map(({ tag_id }) => tag_id).sort()
  assert.ok(
    sets.some((set) => JSON.stringify(set.toSorted()) === JSON.stringify(ids)),
    'the tags of two sets are mixed',
  )
})
