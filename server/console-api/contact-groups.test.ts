import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import { until } from '../../test/until.ts'

const app = await startApp()
const { call, database, db, make } = app
const workspace = await make.workspace()
const other = await make.workspace()
const member = await makeMember(app, workspace.id, ['manage_groups'])
const { call: console } = await signIn(app, workspace.id, member.id)
const NOBODY = 'c000000000000000000000000'

const fieldsOf = (body: { error: { details: { field: string }[] } }) =>
  body.error.details.map(({ field }) => field)
const newGroup = async (input: object = {}): Promise<string> =>
  (await console('POST', '/contact-groups', { name: 'Group', ...input })).body.group.id
const add = (groupId: string, body: object) => console('POST', `/contact-groups/${groupId}/members`, body)
const membersOf = async (groupId: string, query = '') =>
  (await console('GET', `/contact-groups/${groupId}/members${query}`)).body
const idsOf = async (groupId: string, query = ''): Promise<string[]> =>
  (await membersOf(groupId, query)).members.map(({ id }: { id: string }) => id)

test('a group is created with members, renamed, described and deleted; its contacts stay', async () => {
  const [ann, zoe] = [
    await make.contact(workspace.id, { name: 'Ann' }),
    await make.contact(workspace.id, { name: 'Zoe', email: null, phone: '+4930123456' }),
  ]
  await make.conversation(workspace.id, { contactId: zoe.id, channel: 'whatsapp' })
  const { body, status } = await console('POST', '/contact-groups', {
    name: ' Regulars ',
    description: ' Every week ',
    contactIds: [ann.id, zoe.id, ann.id],
  })
  assert.equal(status, 200)
  const { group } = body
  assert.deepEqual(group, {
    id: group.id,
    name: 'Regulars',
    description: 'Every week',
    memberCount: 2,
    whatsappCount: 1,
    updatedAt: group.updatedAt,
  })
  const path = `/contact-groups/${group.id}`
  assert.equal((await console('PATCH', path, { name: 'Weekly' })).body.group.description, 'Every week')
  const described = await console('PATCH', path, { description: '' })
  assert.deepEqual([described.body.group.name, described.body.group.description], ['Weekly', ''])
  const summaries = await console('GET', '/contact-group-summaries')
  assert.deepEqual(summaries.body.groups, [described.body.group])
  assert.deepEqual((await membersOf(group.id)).members, [
    {
      id: zoe.id,
      name: 'Zoe',
      email: null,
      emailVerified: false,
      phone: '+4930123456',
      hasWhatsapp: true,
      channels: ['whatsapp'],
    },
    {
      id: ann.id,
      name: 'Ann',
      email: ann.email,
      emailVerified: true,
      phone: null,
      hasWhatsapp: false,
      channels: [],
    },
  ])
  assert.deepEqual((await console('DELETE', path)).body, { success: true })
  assert.equal((await console('DELETE', path)).body.error.code, 'CONTACT_GROUP_NOT_FOUND')
  assert.equal((await call(workspace.token, 'GET', `/contacts/${ann.id}`)).status, 200)
})

test('errors in a group name the fields as they were sent', async () => {
  const foreign = await make.contact(other.id)
  const own = await make.contact(workspace.id)
  for (const [input, fields] of [
    [{ name: ' ' }, ['name']],
    [{ name: 'x'.repeat(121), description: 'd'.repeat(501) }, ['name', 'description']],
    [{ name: 'x', contactIds: [own.id, foreign.id, NOBODY] }, ['contactIds[1]', 'contactIds[2]']],
    [{ name: 'x', contactIds: Array.from({ length: 10_001 }, () => own.id) }, ['contactIds']],
  ] as const) {
    const answer = await console('POST', '/contact-groups', input)
    assert.equal(answer.status, 400)
    assert.deepEqual(fieldsOf(answer.body), fields)
  }
  const id = await newGroup()
  assert.equal((await console('PATCH', `/contact-groups/${id}`, {})).status, 400)
})

test('contacts are added by id; existing members and unknown ids are reported separately', async () => {
  const [a, b] = [await make.contact(workspace.id), await make.contact(workspace.id)]
  const foreign = await make.contact(other.id)
  const id = await newGroup({ contactIds: [a.id] })
  const { body } = await add(id, { contactIds: [a.id, b.id, b.id, foreign.id, NOBODY] })
  assert.deepEqual(body, { added: 1, alreadyIn: 1, notFound: [foreign.id, NOBODY] })
  assert.deepEqual(await idsOf(id), [b.id, a.id])
  const removed = await console('POST', `/contact-groups/${id}/members/remove`, {
    contactIds: [a.id, foreign.id, NOBODY, a.id],
  })
  assert.deepEqual(removed.body, { removed: 1 })
  assert.deepEqual(await idsOf(id), [b.id])
})

test('all contacts that match a filter are added, the same as a broadcast to it would reach', async () => {
  const tagId = await make.tag(workspace.id)
  const german = await make.contact(workspace.id, { name: 'Filtered Greta', countryIso: 'DE' })
  const french = await make.contact(workspace.id, { name: 'Filtered Fleur', countryIso: 'FR' })
  await make.contact(other.id, { name: 'Filtered Foreign', countryIso: 'DE' })
  await call(workspace.token, 'PUT', `/contacts/${french.id}/tags`, { tagIds: [tagId] })
  await call(workspace.token, 'PATCH', `/contacts/${german.id}`, { customFields: { plan: 'gold' } })
  const id = await newGroup()
  for (const [filter, found] of [
    [{ search: 'filtered', country: 'de' }, [german.id]],
    [{ tagIds: [tagId] }, [french.id]],
    [{ customFields: { plan: 'gold' } }, [german.id]],
    [{ search: 'FILTERED' }, [french.id, german.id]],
    [{ search: 'nobody is called this' }, []],
  ] as const) {
    const { body } = await add(id, { filter })
    assert.deepEqual(body, { added: found.length, alreadyIn: 0, notFound: [] })
    assert.deepEqual(await idsOf(id), found)
    await console('POST', `/contact-groups/${id}/members/remove`, { contactIds: found })
  }
  for (const filter of [{}, { hasOpen: false }, { tagIds: [] }])
    assert.deepEqual(fieldsOf((await add(id, { filter })).body), ['filter'])
})

test('pasted phone numbers and emails are found in any spelling, and unknown ones are returned', async () => {
  const email = await make.contact(workspace.id, { email: 'jane@paste.example' })
  const phone = await make.contact(workspace.id, { email: null, phone: '+4915112345678' })
  const brazil = await make.contact(workspace.id, { email: null, phone: '+5511987654321' })
  const mexico = await make.contact(workspace.id, { email: null, phone: '+525512345678' })
  await make.contact(other.id, { email: 'theirs@paste.example' })
  const id = await newGroup({ contactIds: [email.id] })
  const { body, status } = await add(id, {
    phonesOrEmails: [
      ' Jane <JANE@paste.example> ',
      '',
      '+49 151 1234-5678',
      '4915112345678',
      '551187654321',
      '+52 1 55 1234 5678',
      'theirs@paste.example',
      'no number',
      'no number',
      '+34600000001',
    ],
  })
  assert.equal(status, 200)
  assert.deepEqual(body, {
    added: 3,
    alreadyIn: 1,
    notFound: ['theirs@paste.example', 'no number', '+34600000001'],
  })
  assert.deepEqual(new Set(await idsOf(id)), new Set([email.id, phone.id, brazil.id, mexico.id]))
})

test('exactly one way of adding is accepted, with at most 10,000 entries', async () => {
  const id = await newGroup()
  for (const body of [{}, { contactIds: [], phonesOrEmails: [] }])
    assert.equal((await add(id, body)).status, 400)
  const many = await add(id, { phonesOrEmails: Array.from({ length: 10_001 }, () => 'x') })
  assert.deepEqual(fieldsOf(many.body), ['phonesOrEmails'])
  assert.deepEqual((await add(id, { phonesOrEmails: [] })).body, { added: 0, alreadyIn: 0, notFound: [] })
})

test('a group of another workspace is not found on any route', async () => {
  const theirs = await make.contact(other.id)
  const foreign = await make.group(other.id, { name: 'Theirs', contactIds: [theirs.id] })
  for (const [method, path, body] of [
    ['PATCH', '', { name: 'Ours' }],
    ['DELETE', '', undefined],
    ['GET', '/members', undefined],
    ['POST', '/members', { contactIds: [theirs.id] }],
    ['POST', '/members', { filter: { search: 'x' } }],
    ['POST', '/members/remove', { contactIds: [theirs.id] }],
  ] as const) {
    const answer = await console(method, `/contact-groups/${foreign}${path}`, body)
    assert.equal(answer.status, 404)
    assert.equal(answer.text, (await console(method, `/contact-groups/${NOBODY}${path}`, body)).text)
  }
  const { body } = await call(other.token, 'GET', '/contact-groups')
  assert.deepEqual([body.groups[0].name, body.groups[0].memberCount], ['Theirs', 1])
  assert.ok(!(await console('GET', '/contact-group-summaries')).text.includes('Theirs'))
})

// Very many members -----------------------------------------------------------------------------------------------

const CROWD = 30_000

const makeCrowd = async () => {
  const crowded = await make.workspace()
  const boss = await signIn(app, crowded.id, (await make.agent(crowded.id, { role: 'admin' })).id)
  await sql`
  insert into contacts (workspace_id, id, name, email, channels, search_text, created_at)
  select ${crowded.id}, 'c' || lpad(n::text, 24, '0'), 'Person ' || n, 'p' || n || '@crowd.example',
    array[(array['web', 'whatsapp'])[n % 2 + 1]], 'person ' || n, '2026-01-01'
  from generate_series(1, ${CROWD}::integer) n`.execute(db)
  await sql`analyze contacts, contact_search`.execute(db)
  return boss
}

test('a group of thirty thousand is filled, counted, paged, searched and emptied in a few statements each', async () => {
  const boss = await makeCrowd()
  const made = await boss.call('POST', '/contact-groups', { name: 'Crowd' })
  const path = `/contact-groups/${made.body.group.id}`
  const counted = async (
    work: () => Promise<{ status: number; text: string; body: unknown }>,
    most: number,
  ) => {
    const before = database.statements.length
    const answer = await work()
    assert.equal(answer.status, 200, answer.text.slice(0, 300))
    const statements = database.statements.length - before
    assert.ok(statements <= most, `${statements} statements: ${database.statements.slice(before).join('\n')}`)
    return answer.body
  }
  const byFilter = { filter: { search: 'person' } }
  assert.deepEqual(await counted(() => boss.call('POST', `${path}/members`, byFilter), 9), {
    added: CROWD,
    alreadyIn: 0,
    notFound: [],
  })
  assert.deepEqual(await counted(() => boss.call('POST', `${path}/members`, byFilter), 8), {
    added: 0,
    alreadyIn: CROWD,
    notFound: [],
  })
  await sql`analyze contact_group_members`.execute(db)
  const summaries = await counted(() => boss.call('GET', '/contact-group-summaries'), 3)
  const [{ memberCount, whatsappCount }] = (
    summaries as { groups: [{ memberCount: number; whatsappCount: number }] }
  ).groups
  assert.deepEqual([memberCount, whatsappCount], [CROWD, CROWD / 2])
  type Page = { members: { id: string; name: string }[]; nextCursor: string | null; total: number }
  const page = async (query: string) =>
    (await counted(() => boss.call('GET', `${path}/members?${query}`), 3)) as Page
  const first = await page('limit=100')
  assert.deepEqual(
    [first.total, first.members.length, first.members[0]?.name],
    [CROWD, 100, `Person ${CROWD}`],
  )
  const second = await page(`limit=100&cursor=${first.nextCursor}`)
  assert.equal(second.members[0]?.name, `Person ${CROWD - 100}`)
  // A term of few, one of many that is looked up, and one of nearly all, for which the members are walked.
  for (const [search, total] of [
    ['person 29999', 1],
    ['person 2999', 11],
    ['2999', 13],
    ['person', CROWD],
    ['nobody', 0],
  ] as const) {
    const found = await page(`limit=5&search=${encodeURIComponent(search)}`)
    assert.equal(found.total, total, search)
    assert.equal(found.members.length, Math.min(5, total))
    if (found.nextCursor) {
      const next = await page(`limit=5&search=${encodeURIComponent(search)}&cursor=${found.nextCursor}`)
      assert.ok(next.members.every(({ id }) => id < found.members.at(-1)!.id))
    }
  }
  const foreign = await boss.call('GET', `${path}/members?limit=5&search=person&cursor=${first.nextCursor}`)
  assert.deepEqual(fieldsOf(foreign.body), ['cursor'])
  await counted(() => boss.call('DELETE', path), 6)
})

test('a contact that is merged into another while being added is reported as not found, without an error', async () => {
  const [kept, gone] = [await make.contact(workspace.id), await make.contact(workspace.id)]
  const groupId = await newGroup()
  const merging = await database.pool.connect()
  try {
    await merging.query('begin')
    await merging.query('delete from contacts where workspace_id = $1 and id = $2', [workspace.id, gone.id])
    const adding = add(groupId, { contactIds: [kept.id, gone.id] })
    await until(async () => {
      const { rows } = await database.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rows.length > 0
    }, 'the contact to be waited for')
    await merging.query('commit')
    const { status, body, text } = await adding
    assert.equal(status, 200, text)
    assert.deepEqual(body, { added: 1, alreadyIn: 0, notFound: [gone.id] })
  } finally {
    merging.release()
  }
  assert.deepEqual(await idsOf(groupId), [kept.id])
})
