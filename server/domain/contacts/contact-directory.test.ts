import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isBlank } from '../../../flow-engine/fold-text.ts'
import { startApp } from '../../../test/app.ts'
import { makeMember, signIn } from '../../../test/console.ts'
import type { Workspace } from '../../../test/make.ts'
import { until } from '../../../test/until.ts'
import { CHANNELS, type ChannelName } from '../../platform/db/tables.ts'
import { resolveContact } from '../people/resolve-contact.ts'
import { claimProfile } from './claim-profile.ts'

const app = await startApp()
const { call, ctxOf, database, db, make } = app

type Row = { id: string; name: string; [key: string]: unknown }

const list = async (workspace: Workspace, query: object = {}) => {
  const text = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  )
  const { status, body } = await call(workspace.token, 'GET', `/contacts?${text}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body as {
    contacts: Row[]
    total: number
    page: number
    pageSize: number
    totalPages: number
    nextCursor: string | null
    facets: {
      countries: { code: string; count: number }[]
      channels: { platform: string; count: number }[]
    }
  }
}

const namesOf = ({ contacts }: { contacts: Row[] }) => contacts.map(({ name }) => name)

const refused = async (workspace: Workspace, query: string) => {
  const { status, body } = await call(workspace.token, 'GET', `/contacts?${query}`)
  assert.equal(status, 400, query)
  assert.equal(body.error.code, 'VALIDATION_ERROR')
  return body.error.details.map(({ field }: { field: string }) => field).sort() as string[]
}

const minutesAgo = (minutes: number) => new Date(Date.UTC(2026, 9, 1) - minutes * 60_000)

/** A contact whose conversation was active that long ago. */
const active = async (
  workspace: Workspace,
  name: string,
  minutes: number,
  {
    channel = 'web' as ChannelName,
    agentId = null as string | null,
    status = 'open' as 'open' | 'closed',
    email = null as string | null,
    phone = null as string | null,
    countryIso = null as string | null,
  } = {},
) => {
  const { id } = await make.contact(workspace.id, { name, email, phone, countryIso })
  return make.conversation(workspace.id, { contactId: id, channel, agentId, status, at: minutesAgo(minutes) })
}

const filterable = await make.workspace()
const agent = await make.agent(filterable.id)
const people: Record<string, Parameters<typeof active>[3]> = {
  anna: { channel: 'web', countryIso: 'DE', email: 'anna@example.org' },
  bert: { channel: 'whatsapp', countryIso: 'DE', phone: '+4915112345678', agentId: agent.id },
  cleo: { channel: 'email', countryIso: 'US', status: 'closed' },
  dora: { channel: 'web', status: 'closed', agentId: agent.id },
}
for (const [index, [name, options]] of Object.entries(people).entries())
  await active(filterable, name, index, options)
await make.contact(filterable.id, { name: 'emil' })

const crowd = await make.workspace()
const crowdAgent = await make.agent(crowd.id)
for (let n = 0; n < 40; n++) {
  const options = {
    channel: CHANNELS[n % 3]!,
    countryIso: [null, 'DE', 'US', 'FR'][n % 4] ?? null,
    agentId: n % 5 < 2 ? crowdAgent.id : null,
    status: n % 7 < 3 ? ('open' as const) : ('closed' as const),
    email: n % 2 ? `person${n}@example.org` : null,
  }
  // Several share a timestamp, so that ties are broken by id.
  if (n % 8) await active(crowd, `Person ${n}`, n % 6, options)
  else await make.contact(crowd.id, { name: `Person ${n}`, countryIso: options.countryIso })
}

test('a row has every field, null if there is no value', async () => {
  const workspace = await make.workspace()
  const agent = await make.agent(workspace.id, { nickname: 'Jane Doe' })
  const empty = await make.contact(workspace.id, { name: 'Nobody yet', email: null })
  const { id } = await make.contact(workspace.id, {
    name: 'Ines "Quote" Rossi\\',
    email: 'ines@example.org',
    phone: '+393121234567',
    countryIso: 'IT',
  })
  await make.conversation(workspace.id, { contactId: id, status: 'closed', at: minutesAgo(5) })
  const latest = await make.conversation(workspace.id, {
    contactId: id,
    channel: 'whatsapp',
    agentId: agent.id,
    at: new Date('2026-09-30T10:00:00.050Z'),
  })
  const { contacts } = await list(workspace)
  assert.deepEqual(contacts[1], {
    id: empty.id,
    name: 'Nobody yet',
    email: null,
    phone: null,
    countryIso: null,
    channels: [],
    conversationId: null,
    conversationCount: 0,
    openCount: 0,
    lastActivityAt: null,
    assignedAgent: null,
  })
  const { conversationId, lastActivityAt, assignedAgent, ...rest } = contacts[0]!
  assert.deepEqual(rest, {
    id,
    name: 'Ines "Quote" Rossi\\',
    email: 'ines@example.org',
    phone: '+393121234567',
    countryIso: 'IT',
    channels: ['web', 'whatsapp'],
    conversationCount: 2,
    openCount: 1,
  })
  // The conversation created last was active longer ago than the other.
  assert.notEqual(conversationId, latest.id)
  assert.equal(lastActivityAt, minutesAgo(5).toISOString())
  assert.equal(assignedAgent, null)
  const created = await list(workspace, { sort: 'created' })
  assert.deepEqual(created.contacts, [contacts[0], contacts[1]])
})

test('rows are sent without spaces between their fields', async () => {
  const workspace = await make.workspace()
  const agent = await make.agent(workspace.id)
  await make.conversation(workspace.id, { agentId: agent.id })
  for (const sort of ['activity', 'created']) {
    const { text, body } = await call(workspace.token, 'GET', `/contacts?sort=${sort}`)
    assert.equal(text, JSON.stringify(body))
  }
})

test('the agent of the latest conversation is shown', async () => {
  const workspace = await make.workspace()
  const agent = await make.agent(workspace.id, { nickname: 'The One Agent' })
  await active(workspace, 'Held', 1, { agentId: agent.id })
  const { contacts } = await list(workspace)
  assert.deepEqual(contacts[0]?.assignedAgent, { id: agent.id, nickname: 'The One Agent' })
})

test('an empty directory has one empty page', async () => {
  const workspace = await make.workspace()
  const expected = {
    contacts: [],
    total: 0,
    page: 1,
    pageSize: 20,
    totalPages: 1,
    facets: { countries: [], channels: [] },
  }
  assert.deepEqual(await list(workspace), expected)
  assert.deepEqual(await list(workspace, { page: 7, hasOpen: true }), expected)
  assert.deepEqual(await list(workspace, { sort: 'created' }), { contacts: [], nextCursor: null })
})

test('the newest activity comes first and contacts without any come last, on every page from either end', async () => {
  const workspace = await make.workspace()
  for (const minutes of [30, 10, 50, 20, 40]) await active(workspace, `active ${minutes}`, minutes)
  for (const name of ['idle 1', 'idle 2']) await make.contact(workspace.id, { name })
  const expected = ['active 10', 'active 20', 'active 30', 'active 40', 'active 50', 'idle 2', 'idle 1']
  assert.deepEqual(namesOf(await list(workspace)), expected)
  for (const pageSize of [1, 2, 3, 4, 6, 7, 8])
    for (let page = 1; page <= Math.ceil(7 / pageSize); page++) {
      const found = await list(workspace, { page, pageSize })
      assert.deepEqual(namesOf(found), expected.slice((page - 1) * pageSize, page * pageSize))
      assert.deepEqual([found.total, found.totalPages], [7, Math.ceil(7 / pageSize)])
    }
})

test('a page beyond the end returns the last page and its number', async () => {
  const workspace = await make.workspace()
  for (const minutes of [1, 2, 3]) await active(workspace, `active ${minutes}`, minutes)
  for (const page of [2, 3, 1_000_000, '99999999999999999999']) {
    const found = await list(workspace, { page, pageSize: 2 })
    assert.equal(found.page, 2)
    assert.deepEqual(namesOf(found), ['active 3'])
  }
  const filtered = await list(workspace, { page: 9, pageSize: 2, assignment: 'unassigned' })
  assert.deepEqual([filtered.page, filtered.totalPages, namesOf(filtered)], [2, 2, ['active 3']])
})

test('parameters are limited', async () => {
  const workspace = await make.workspace()
  for (const fine of [
    'page=1',
    'pageSize=1',
    'pageSize=100',
    'sort=created&limit=1',
    'sort=created&limit=100',
    `search=${'x'.repeat(160)}`,
    `search=${encodeURIComponent('🙂'.repeat(160))}`,
    'search=',
    'search=%20',
    'country=de',
    'hasOpen=false',
    'unknown=1',
  ])
    assert.equal((await call(workspace.token, 'GET', `/contacts?${fine}`)).status, 200, fine)
  for (const [query, ...fields] of [
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['page=x', 'page'],
    ['page=', 'page'],
    ['pageSize=0', 'pageSize'],
    ['pageSize=101', 'pageSize'],
    ['sort=created&limit=0', 'limit'],
    ['sort=created&limit=101', 'limit'],
    [`search=${'x'.repeat(161)}`, 'search'],
    ['country=d', 'country'],
    ['country=deu', 'country'],
    ['country=12', 'country'],
    ['channel=fax', 'channel'],
    ['channel=', 'channel'],
    ['assignment=mine', 'assignment'],
    ['hasOpen=yes', 'hasOpen'],
    ['hasOpen=1', 'hasOpen'],
    ['sort=name', 'sort'],
    ['search=%00', 'search'],
    ['page=0&pageSize=101&country=x', 'country', 'page', 'pageSize'],
  ] as const)
    assert.deepEqual(await refused(workspace, query), fields, query)
})

test('a parameter of the other order is rejected by name, together with other errors', async () => {
  const workspace = await make.workspace()
  assert.deepEqual(await refused(workspace, 'cursor=x'), ['cursor'])
  assert.deepEqual(await refused(workspace, 'limit=5'), ['limit'])
  assert.deepEqual(await refused(workspace, 'sort=activity&cursor=x&limit=5'), ['cursor', 'limit'])
  assert.deepEqual(await refused(workspace, 'sort=created&page=1'), ['page'])
  assert.deepEqual(await refused(workspace, 'sort=created&pageSize=20&page=1'), ['page', 'pageSize'])
  assert.deepEqual(await refused(workspace, 'sort=created&page=1&country=x'), ['country', 'page'])
})

test('facets count the whole directory whatever the filters: largest first, then by code', async () => {
  const workspace = await make.workspace()
  for (const [email, phone] of [
    ['a', '+4930123456'],
    ['b', '+4930123457'],
    ['c', '+12015550123'],
    ['d', '+33123456789'],
  ] as const)
    await resolveContact(ctxOf(workspace.id), {
      identity: { kind: 'email', value: `${email}@example.org`, verified: true },
      name: email,
      phone,
    })
  for (const channel of ['web', 'web', 'sms', 'email'] as const)
    await active(workspace, channel, 1, { channel })
  const facets = {
    countries: [
      { code: 'DE', count: 2 },
      { code: 'FR', count: 1 },
      { code: 'US', count: 1 },
    ],
    channels: [
      { platform: 'web', count: 2 },
      { platform: 'email', count: 1 },
      { platform: 'sms', count: 1 },
    ],
  }
  for (const query of [{}, { country: 'DE' }, { search: 'nothing like it' }, { page: 9 }])
    assert.deepEqual((await list(workspace, query)).facets, facets)
})

test('each filter finds its contacts, and they combine with AND, in both orders', async () => {
  for (const [query, expected] of [
    [{ country: 'de' }, ['anna', 'bert']],
    [{ country: 'DE' }, ['anna', 'bert']],
    [{ country: 'FR' }, []],
    [{ channel: 'web' }, ['anna', 'dora']],
    [{ channel: 'telegram' }, []],
    [{ assignment: 'assigned' }, ['bert', 'dora']],
    [{ assignment: 'unassigned' }, ['anna', 'cleo', 'emil']],
    [{ hasOpen: true }, ['anna', 'bert']],
    [{ hasOpen: false }, ['anna', 'bert', 'cleo', 'dora', 'emil']],
    [{ hasOpen: true, channel: 'web' }, ['anna']],
    [{ country: 'DE', channel: 'whatsapp' }, ['bert']],
    [{ country: 'DE', channel: 'whatsapp', assignment: 'unassigned' }, []],
    [{ country: 'DE', channel: 'whatsapp', assignment: 'assigned', hasOpen: true, search: 'BER' }, ['bert']],
    [{ search: 'a', channel: 'web' }, ['anna', 'dora']],
    [{ search: 'ann', channel: 'email' }, []],
  ] as const) {
    const found = await list(filterable, query)
    assert.deepEqual(namesOf(found), expected, JSON.stringify(query))
    assert.equal(found.total, expected.length, JSON.stringify(query))
    const created = await list(filterable, { ...query, sort: 'created' })
    assert.deepEqual(namesOf(created), [...expected].reverse(), JSON.stringify(query))
    assert.equal('total' in created || 'facets' in created, false)
  }
})

test('search finds any part of name, email, phone and username without case, and nothing else', async () => {
  const workspace = await make.workspace()
  const add = (name: string, email: string | null, phone: string | null, username: string | null = null) =>
    resolveContact(ctxOf(workspace.id), {
      identity: { kind: 'visitor', value: name, verified: true },
      name,
      email,
      phone,
      username,
    })
  await add('Zoë Größe', 'zoe@mail.example.org', '+4930123456')
  await add('100% O_Neil\\', 'ÖZ@example.com', null)
  await add('李小龍', null, '+8613912345678', 'dragon_77')
  await add('7', 'agent2024@example.org', null)
  for (const [search, expected] of [
    ['zoë', ['Zoë Größe']],
    ['GRÖSSE', ['Zoë Größe']],
    ['größe', ['Zoë Größe']],
    ['mail.ex', ['Zoë Größe']],
    ['  zoë  ', ['Zoë Größe']],
    ['öz@', ['100% O_Neil\\']],
    ['%', ['100% O_Neil\\']],
    ['_', ['李小龍', '100% O_Neil\\']],
    ['o_n', ['100% O_Neil\\']],
    ['l\\', ['100% O_Neil\\']],
    ['o%n', []],
    ['小', ['李小龍']],
    ['李小龍', ['李小龍']],
    ['dragon', ['李小龍']],
    ['ZO', ['Zoë Größe']],
    ['q', []],
    ['xq', []],
    ['---', []],
    ['+4930123456', ['Zoë Größe']],
    ['30 12-34', ['Zoë Größe']],
    ['+49 30 123456', ['Zoë Größe']],
    ['+49', ['Zoë Größe']],
    ['2024', ['7']],
    ['20 24', []],
    ['7', ['7', '李小龍']],
    ['7 8', ['李小龍']],
    ['größezoe', []],
    ["'; drop table contacts; --", []],
  ] as const) {
    assert.deepEqual(namesOf(await list(workspace, { search })), expected, search)
    assert.deepEqual(namesOf(await list(workspace, { search, sort: 'created' })), expected, search)
    assert.deepEqual(namesOf(await list(workspace, { search, assignment: 'unassigned' })), expected, search)
  }
})

test('any name that is accepted is found by searching for it', async () => {
  const workspace = await make.workspace()
  const { id } = await make.contact(workspace.id, { email: null })
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), async (name) => {
      const renamed = await call(workspace.token, 'PATCH', `/contacts/${id}`, { name })
      if (isBlank(name) || name.includes('\0')) return assert.equal(renamed.status, 400)
      assert.equal(renamed.status, 200)
      assert.equal(renamed.body.contact.name, name.trim())
      assert.equal((await list(workspace, { search: name })).total, 1)
      assert.equal((await list(workspace, { search: name, sort: 'created' })).contacts.length, 1)
    }),
    { numRuns: 100 },
  )
})

test('a malformed query string gets an ordinary response', async () => {
  const workspace = await make.workspace()
  for (const [query, status] of [
    ['search=%ff', 200],
    ['search=%ed%a0%80', 200],
    ['search=%', 200],
    ['search=a&search=b', 400],
    ['country[]=DE', 200],
    ['__proto__=x', 200],
    ['hasOpen', 400],
    ['cursor=&sort=created', 400],
    ['page=1e1', 200],
    ['page=-0', 400],
    ['page=0x10', 200],
    ['page=Infinity', 200],
    ['page=1e309', 200],
    ['page=9007199254740993', 200],
  ] as const)
    assert.equal((await call(workspace.token, 'GET', `/contacts?${query}`)).status, status, query)
})

test('nothing of another workspace is listed, counted or found', async () => {
  const workspace = await make.workspace()
  const own = await active(workspace, 'shared name', 1, { countryIso: 'DE' })
  for (const query of [{}, { search: 'shared' }, { search: 'sh' }, { country: 'DE' }, { hasOpen: true }]) {
    const found = await list(workspace, query)
    assert.deepEqual(
      found.contacts.map(({ id }) => id),
      [own.contactId],
    )
    assert.equal(found.total, 1)
    assert.deepEqual(found.facets.countries, [{ code: 'DE', count: 1 }])
    const created = await list(workspace, { ...query, sort: 'created' })
    assert.equal(created.contacts.length, 1)
  }
})

/** A workspace whose list shows three contacts: written by another process, they appear at the next poll. */
const makeThree = async (): Promise<Workspace> => {
  const workspace = await make.workspace()
  for (const name of ['a', 'b', 'c']) await make.contact(workspace.id, { name })
  await until(
    async () => namesOf(await list(workspace, { sort: 'created', limit: 1 }))[0] === 'c',
    'the three contacts',
  )
  return workspace
}

test('a cursor is bound to its workspace and filters, and a malformed one is refused', async () => {
  const workspace = await makeThree()
  const { nextCursor } = await list(workspace, { sort: 'created', limit: 2 })
  assert.ok(nextCursor)
  assert.match(nextCursor, /^[\w-]+$/)
  const rest = await list(workspace, { sort: 'created', limit: 2, cursor: nextCursor })
  assert.deepEqual([namesOf(rest), rest.nextCursor], [['a'], null])
  for (const query of [
    `cursor=${nextCursor}x`,
    'cursor=',
    'cursor=%F0%9F%99%82',
    `cursor=${nextCursor}&country=DE`,
    `cursor=${nextCursor}&search=a`,
  ])
    assert.deepEqual(await refused(workspace, `sort=created&${query}`), ['cursor'], query)
  assert.deepEqual(await refused(filterable, `sort=created&cursor=${nextCursor}`), ['cursor'])
})

test('a contact created while paging appears in the next poll and moves no page', async () => {
  const workspace = await makeThree()
  const first = await list(workspace, { sort: 'created', limit: 2 })
  await make.contact(workspace.id, { name: 'd' })
  const second = await list(workspace, { sort: 'created', limit: 2, cursor: String(first.nextCursor) })
  assert.deepEqual([...namesOf(first), ...namesOf(second)], ['c', 'b', 'a'])
  // Written by another process, it appears at the next poll.
  await until(
    async () => namesOf(await list(workspace, { sort: 'created', limit: 1 }))[0] === 'd',
    'the next poll',
  )
})

const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
const anyFilter = fc.record({
  search: maybe(['person', 'Person 1', '1', 'er', '@', '1 1', 'nobody']),
  country: maybe(['DE', 'us', 'XX']),
  channel: maybe(['web', 'whatsapp', 'sms']),
  assignment: maybe(['assigned', 'unassigned']),
  hasOpen: maybe([true, false]),
})

const given = (query: object) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))

/** The directory's rules again, written as simply as possible, over the rows themselves. */
const expectedOf = async (query: Record<string, unknown>) => {
  const rows = await db.selectFrom('contacts').selectAll().where('workspace_id', '=', crowd.id).execute()
  const search = typeof query.search === 'string' ? query.search.toLowerCase() : ''
  return rows
    .filter(
      (row) =>
        (!search || [row.name, row.email ?? ''].some((text) => text.toLowerCase().includes(search))) &&
        (!query.country || row.country_iso === String(query.country).toUpperCase()) &&
        (!query.channel || row.channels.includes(query.channel as ChannelName)) &&
        (!query.assignment || (row.assigned_agent_id !== null) === (query.assignment === 'assigned')) &&
        (!query.hasOpen || row.open_count > 0),
    )
    .sort((a, b) => {
      const [first, second] = [a.last_activity_at ?? '', b.last_activity_at ?? '']
      return first === second ? (a.id < b.id ? 1 : -1) : first < second ? 1 : -1
    })
    .map(({ id }) => id)
}

test('the pages of both orders together are exactly the contacts that match, each once', async () => {
  await fc.assert(
    fc.asyncProperty(anyFilter, fc.integer({ min: 1, max: 17 }), async (filter, size) => {
      const expected = await expectedOf(filter)
      const paged: string[] = []
      for (let page = 1, totalPages = 1; page <= totalPages; page++) {
        const found = await list(crowd, given({ ...filter, page, pageSize: size }))
        assert.deepEqual([found.total, found.page], [expected.length, page])
        totalPages = found.totalPages
        paged.push(...found.contacts.map(({ id }) => id))
      }
      assert.deepEqual(paged, expected)
      const walked: string[] = []
      let cursor: string | null | undefined
      do {
        const found = await list(
          crowd,
          given({ ...filter, sort: 'created', limit: size, cursor: cursor ?? undefined }),
        )
        walked.push(...found.contacts.map(({ id }) => id))
        cursor = found.nextCursor
      } while (cursor)
      assert.deepEqual(walked, expected.toSorted().reverse())
    }),
    { numRuns: 60 },
  )
})

test('a page is at most two statements, however long it is and whatever it filters by', async () => {
  for (const query of [
    {},
    { pageSize: 100 },
    { page: 3, pageSize: 5 },
    { search: 'person', country: 'DE', channel: 'web', hasOpen: true, assignment: 'assigned' },
    { sort: 'created', limit: 100 },
    { sort: 'created', search: 'er', country: 'DE' },
  ]) {
    const before = database.statements.length
    await list(crowd, query)
    const count = database.statements.length - before
    assert.ok(count <= 2, `${count} statements for ${JSON.stringify(query)}`)
  }
})

test('the console shows whether an email is unverified; the API’s rows do not', async () => {
  const workspace = await make.workspace()
  const member = await makeMember(app, workspace.id, [])
  await make.contact(workspace.id, { name: 'Ada', email: 'ada@example.com' })
  const visitor = await make.contact(workspace.id, { name: 'Visitor 1', email: null })
  await claimProfile(ctxOf(workspace.id), {
    contactId: visitor.id,
    name: 'Mallory',
    email: 'ada@example.com',
    placeholder: 'Visitor 1',
  })
  for (const { id } of (await list(workspace)).contacts)
    await make.conversation(workspace.id, { contactId: id, agentId: member.id })
  const admin = await make.agent(workspace.id, { role: 'admin' })
  for (const person of [admin, member]) {
    const caller = await signIn(app, workspace.id, person.id)
    for (const query of ['', '?sort=created']) {
      const { contacts } = (await caller.call('GET', `/contacts${query}`)).body
      assert.deepEqual(contacts.map(({ name, emailVerified }: Row) => [name, emailVerified]).sort(), [
        ['Ada', true],
        ['Mallory', false],
      ])
    }
  }
  for (const query of [{}, { sort: 'created' }])
    for (const row of (await list(workspace, query)).contacts) assert.ok(!('emailVerified' in row))
})

test('email finds exactly who has it, in any case, whether it was proven or only claimed, in both orders', async () => {
  const workspace = await make.workspace()
  const other = await make.workspace()
  const ctx = ctxOf(workspace.id)
  const proven = await resolveContact(ctx, {
    identity: { kind: 'email', value: 'ada@example.com', verified: true },
    name: 'Ada',
  })
  const visitor = await make.contact(workspace.id, { name: 'Visitor 1', email: null })
  await claimProfile(ctx, {
    contactId: visitor.id,
    name: 'Claims it too',
    email: 'ada@example.com',
    placeholder: 'Visitor 1',
  })
  await make.contact(workspace.id, { name: 'Longer', email: 'xada@example.com' })
  await make.contact(workspace.id, { name: 'ada@example.com' })
  await make.contact(other.id, { name: 'Elsewhere', email: 'ada@example.com' })
  for (const order of [{}, { sort: 'created' }]) {
    const found = await list(workspace, { email: ' Ada@Example.COM', ...order })
    assert.deepEqual(namesOf(found).sort(), ['Ada', 'Claims it too'])
    assert.deepEqual(namesOf(await list(workspace, { email: 'nobody@example.com', ...order })), [])
    assert.deepEqual(
      namesOf(await list(workspace, { email: 'ada@example.com', search: 'claims', ...order })),
      ['Claims it too'],
    )
  }
  assert.ok(proven)
  const { total, totalPages } = await list(workspace, { email: 'ada@example.com', pageSize: 1 })
  assert.deepEqual([total, totalPages], [2, 2])
  assert.deepEqual(await refused(workspace, 'email=ada'), ['email'])
})

test('an empty email is reported once', async () => {
  const workspace = await make.workspace()
  for (const path of ['/contacts?email=', '/contacts?email=%20', '/contacts?sort=created&email=']) {
    const { status, body } = await call(workspace.token, 'GET', path)
    assert.equal(status, 400, path)
    assert.deepEqual(body.error.details, [{ field: 'email', message: 'must not be empty' }])
  }
})

test('phone finds exactly who has the number, however it is written, in both orders', async () => {
  const workspace = await make.workspace()
  const german = { name: 'Jonas', phone: '+4915112345678' }
  const people = [
    german,
    { name: 'Longer', phone: '+491511234567899' },
    { name: 'Caio', phone: '+5511987654321' },
    { name: 'Bruna', phone: '+551187654322' },
    { name: 'Mateo', phone: '+5491123456789' },
    { name: 'Luz', phone: '+5215512345678' },
  ]
  for (const person of people) await make.contact(workspace.id, person)
  const find = async (phone: string, order = {}) => namesOf(await list(workspace, { phone, ...order }))
  for (const order of [{}, { sort: 'created' }])
    for (const [phone, name] of [
      ['+49 151 12345678', 'Jonas'],
      ['0049 (151) 1234-5678', 'Jonas'],
      ['4915112345678', 'Jonas'],
      ['+55 11 98765-4321', 'Caio'],
      ['+55 11 8765-4321', 'Caio'],
      ['+55 11 98765-4322', 'Bruna'],
      ['+54 11 2345-6789', 'Mateo'],
      ['+52 55 1234 5678', 'Luz'],
    ] as const)
      assert.deepEqual(await find(phone, order), [name], phone)
  assert.deepEqual(await find('+49 151 1234567'), [])
  assert.deepEqual(await refused(workspace, 'phone=call+me'), ['phone'])
  assert.deepEqual(await refused(workspace, 'phone=0151+12345678'), ['phone'])

  // National numbers belong to the countries in which the workspace itself has numbers.
  for (const [channel, address] of [
    ['whatsapp', '+493012345678'],
    ['sms', '+551140028922'],
  ] as const) {
    const id = await make.channelAccount(workspace.id, channel)
    await db
      .updateTable('channel_accounts')
      .set({ address })
      .where('workspace_id', '=', workspace.id)
      .where('id', '=', id)
      .execute()
  }
  for (const [phone, name] of [
    ['0151 12345678', 'Jonas'],
    ['(0151) 123456-78', 'Jonas'],
    ['(11) 8765-4321', 'Caio'],
    ['011 98765-4322', 'Bruna'],
  ] as const)
    assert.deepEqual(await find(phone), [name], phone)
})

test('a contact known by a WhatsApp number alone is found by its phone', async () => {
  const workspace = await make.workspace()
  const { id } = await make.contact(workspace.id, { name: 'Ines' })
  await db
    .insertInto('identities')
    .values({
      workspace_id: workspace.id,
      kind: 'whatsapp_id',
      value: '551187654321',
      contact_id: id,
      created_at: new Date(),
    })
    .execute()
  assert.deepEqual(namesOf(await list(workspace, { phone: '+5511987654321' })), ['Ines'])
})

test('search finds a number in every spelling that sending knows', async () => {
  const workspace = await make.workspace()
  for (const [name, phone] of [
    ['Jonas', '+4915112345678'],
    ['Caio', '+5511987654321'],
    ['Bruna', '+551187654322'],
    ['Mateo', '+5491123456789'],
    ['Luz', '+5215512345678'],
  ] as const)
    await make.contact(workspace.id, { name, phone })
  for (const [search, name] of [
    ['0151 12345678', 'Jonas'],
    ['(0151) 1234', 'Jonas'],
    ['0049 151', 'Jonas'],
    ['+49 (0)151 12345678', 'Jonas'],
    ['+55 11 8765-4321', 'Caio'],
    ['551187654321', 'Caio'],
    ['11 8765-4321', 'Caio'],
    ['011 98765-4321', 'Caio'],
    ['+55 11 98765 4322', 'Bruna'],
    ['+54 11 2345 6789', 'Mateo'],
    ['11 2345 6789', 'Mateo'],
    ['011 15-2345-6789', 'Mateo'],
    ['+52 55 1234 5678', 'Luz'],
  ] as const) {
    assert.deepEqual(namesOf(await list(workspace, { search })), [name], search)
    assert.deepEqual(namesOf(await list(workspace, { search, sort: 'created' })), [name], search)
    assert.deepEqual(namesOf(await list(workspace, { search, hasOpen: false, assignment: 'unassigned' })), [
      name,
    ])
  }
  assert.deepEqual(namesOf(await list(workspace, { search: '0999' })), [])
})
