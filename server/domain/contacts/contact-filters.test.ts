// The directory's filters by tag, custom fields and time, in both orders and for tokens that see only some channels.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { timeOfId } from '../../platform/db/id.ts'
import { createToken } from '../tokens/tokens.ts'

const app = await startApp()
const { call, ctxOf, db, make } = app
const workspace = await make.workspace()
const other = await make.workspace()
const tagId = await make.tag(workspace.id)
const foreignTagId = await make.tag(other.id)
const webOnly = (await createToken(ctxOf(workspace.id), { name: 'Web', channels: ['web'] })).secret

type Known = {
  id: string
  fields: Record<string, unknown>
  hasTag: boolean
  country: string
  isOnWeb: boolean
}
const known: Known[] = []
for (const [n, fields] of [
  { plan: 'pro', seats: 12, trial: true, __proto__x: 'a' },
  { plan: 'pro', seats: '12', trial: 'true' },
  { plan: 'Pro', seats: 1.5, empty: '' },
  { plan: 'free', seats: 12 },
  {},
  { plan: 'pro', 'with space & ü': '100 %' },
].entries()) {
  const isOnWeb = n % 2 === 0
  const country = n < 4 ? 'DE' : 'FR'
  const { id } = await make.contact(workspace.id, { name: `Person ${n}`, countryIso: country })
  await make.conversation(workspace.id, { contactId: id, channel: isOnWeb ? 'web' : 'email' })
  await db
    .updateTable('contacts')
    .set({ custom_fields: JSON.stringify(fields) })
    .where('id', '=', id)
    .execute()
  const hasTag = n % 3 === 0
  if (hasTag)
    await db
      .insertInto('contact_tags')
      .values({ workspace_id: workspace.id, contact_id: id, tag_id: tagId })
      .execute()
  known.push({ id, fields, hasTag, country, isOnWeb })
}

const holds = ({ fields }: Known, key: string, text: string): boolean =>
  Object.hasOwn(fields, key) && String(fields[key]) === text

test('tag, custom fields and time combine with each other and with the rest, in both orders', async () => {
  const facets = new Set<string>()
  const since = timeOfId(known[2]!.id).toISOString()
  for (const secret of [workspace.token, webOnly])
    for (const sort of ['activity', 'created'])
      for (const tag of [undefined, tagId, foreignTagId])
        for (const fields of [
          {},
          { plan: 'pro' },
          { plan: 'pro', seats: '12' },
          { seats: '1.5' },
          { trial: 'true' },
        ])
          for (const createdAfter of [undefined, since])
            for (const [name, value] of [[], ['country', 'DE'], ['search', 'person']]) {
              const query = new URLSearchParams({ sort })
              for (const [key, one] of Object.entries(fields)) query.set(`customFields[${key}]`, one)
              if (tag) query.set('tagId', tag)
              if (createdAfter) query.set('createdAfter', createdAfter)
              if (name) query.set(name, value!)
              const wanted = known.filter(
                (row) =>
                  (secret === workspace.token || row.isOnWeb) &&
                  (!tag || (tag === tagId && row.hasTag)) &&
                  Object.entries(fields).every(([key, text]) => holds(row, key, text)) &&
                  (!createdAfter || timeOfId(row.id).toISOString() >= createdAfter) &&
                  (name !== 'country' || row.country === 'DE'),
              )
              const { status, body, text } = await call(secret, 'GET', `/contacts?${query}`)
              assert.equal(status, 200, text)
              assert.deepEqual(
                body.contacts.map(({ id }: Known) => id),
                wanted.map(({ id }) => id).reverse(),
                `${query}`,
              )
              if (sort === 'activity') {
                assert.equal(body.total, wanted.length)
                facets.add(JSON.stringify([secret === webOnly, body.facets]))
              }
            }
  assert.equal(facets.size, 2, 'facets are of the whole directory that a token sees, whatever the filters')
})

test('a custom field is found by exactly its name and value', async () => {
  for (const [key, value, places] of [
    ['plan', 'Pro', [2]],
    ['plan', 'pr', []],
    ['Plan', 'pro', []],
    ['empty', '', [2]],
    ['seats', '12.0', [3, 0]],
    ['seats', '012', []],
    ['seats', '1e400', []],
    ['trial', 'false', []],
    ['with space & ü', '100 %', [5]],
    ['__proto__x', 'a', [0]],
    ['__proto__', 'a', []],
    ['constructor', 'a', []],
    ['plan', '{"$gt":""}', []],
    ['plan', "'; --", []],
    ['plan', '\\"', []],
  ] as const) {
    const query = new URLSearchParams({ [`customFields[${key}]`]: value })
    const { status, body, text } = await call(workspace.token, 'GET', `/contacts?${query}`)
    assert.equal(status, 200, text)
    assert.deepEqual(
      body.contacts.map(({ id }: Known) => known.findIndex((row) => row.id === id)),
      places,
      `${key}=${value}`,
    )
  }
  assert.equal((await call(other.token, 'GET', '/contacts?customFields[plan]=pro')).body.total, 0)
})

test('what is no custom field is refused with its name', async () => {
  const ten = Array.from({ length: 10 }, (_, n) => `customFields[f${n}]=1`).join('&')
  for (const [query, field] of [
    [ten, 'customFields'],
    ['customFields=pro', 'customFields'],
    ['customFields[a]=1&customFields=pro', 'customFields'],
    ['customFields[a][b]=c', 'customFields.a][b'],
    ['customFields[]=c', 'customFields.'],
    ['customFields[plan]=pro&customFields[plan]=free', 'customFields.plan'],
    [`customFields[plan]=${'x'.repeat(501)}`, 'customFields.plan'],
    [`customFields[${'k'.repeat(65)}]=x`, `customFields.${'k'.repeat(65)}`],
    ['customFields[plan]=%00', 'customFields.plan'],
  ] as const) {
    const { status, body } = await call(workspace.token, 'GET', `/contacts?${query}`)
    assert.equal(status, 400, query)
    assert.equal(body.error.code, 'VALIDATION_ERROR')
    assert.ok(
      body.error.details.some((detail: { field: string }) => detail.field === field),
      JSON.stringify(body),
    )
  }
  for (const value of ['x'.repeat(500), '😀'.repeat(500)]) {
    const query = new URLSearchParams({ 'customFields[plan]': value })
    assert.equal((await call(workspace.token, 'GET', `/contacts?${query}`)).status, 200)
  }
  // Another list has no such parameter.
  const { status, headers } = await call(workspace.token, 'GET', '/conversations?customFields[a]=b')
  assert.equal(status, 200)
  assert.match(String(headers['foyer-ignored-parameters']), /customFields/)
})

test('a cursor of contacts is bound to the filters', async () => {
  const path = '/contacts?sort=created&limit=1&customFields[plan]=pro'
  const { body } = await call(workspace.token, 'GET', path)
  const next = await call(workspace.token, 'GET', `${path}&cursor=${body.nextCursor}`)
  assert.equal(next.body.contacts[0].id, known[1]!.id)
  for (const filter of ['customFields[plan]=free', `customFields[plan]=pro&tagId=${tagId}`, ''])
    assert.equal(
      (
        await call(
          workspace.token,
          'GET',
          `/contacts?sort=created&limit=1&cursor=${body.nextCursor}&${filter}`,
        )
      ).status,
      400,
    )
})
