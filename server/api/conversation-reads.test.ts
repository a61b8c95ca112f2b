import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { countStatements } from '../../test/statements.ts'
import { findMessage } from '../domain/conversations/thread-queries.ts'
import { bigramsOf, indexBigrams } from '../domain/search/bigrams.ts'
import { createToken } from '../domain/tokens/tokens.ts'
import { idFloor, newId, timeOfId } from '../platform/db/id.ts'
import { CHANNELS } from '../platform/db/tables.ts'

const app = await startApp()
const { call, ctxOf, database, db, make } = app
const workspace = await make.workspace({ name: 'Northwind' })
const other = await make.workspace()
const { token } = workspace

const HOUR_MS = 3_600_000
const START_MS = Date.parse('2026-01-01T00:00:00.000Z')
const START = new Date(START_MS).toISOString()
const at = (hour: number) => new Date(START_MS + hour * HOUR_MS)
/** An id of that hour. newId() makes none from before the last one. */
const idAt = (hour: number) => idFloor(at(hour).getTime()).slice(0, 13) + newId().slice(13)

const agent = await make.agent(workspace.id, { nickname: 'Jonas' })
const ai = await make.enableAi(workspace.id)
const accounts = new Map<string, string>()
for (const channel of CHANNELS) accounts.set(channel, await make.channelAccount(workspace.id, channel))

type Listed = { id: string; updatedAt: string; createdAt: string }

/** Follows the cursors to the end. */
const walkAll = async (path: string, key: string, secret = token, pagesMax = 200): Promise<Listed[]> => {
  const rows: Listed[] = []
  let cursor: string | null = null
  for (let page = 0; page < pagesMax; page++) {
    const { status, body, text } = await call(
      secret,
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}${cursor ? `cursor=${cursor}` : ''}`,
    )
    assert.equal(status, 200, text)
    rows.push(...body[key])
    cursor = body.nextCursor
    if (cursor === null) return rows
  }
  throw new Error(`more than ${pagesMax} pages`)
}

/** Two of every channel, status and assignment; updated in another order than created. */
type Known = {
  id: string
  channel: string
  status: string
  agentId: string | null
  contactId: string
  hour: number
  updated: number
  hasTag: boolean
  isUnread: boolean
  hasFailed: boolean
}
const [tag, foreignTag] = [newId(), newId()]
for (const [workspaceId, id] of [
  [workspace.id, tag],
  [other.id, foreignTag],
] as const)
  await db
    .insertInto('tags')
    .values({
      workspace_id: workspaceId,
      id,
      name: 'VIP',
      name_key: 'vip',
      color: '#2f80ed',
      created_at: at(0),
    })
    .execute()
const known: Known[] = []
for (const [c, channel] of CHANNELS.entries())
  for (const [s, status] of (['open', 'closed'] as const).entries())
    for (const [a, agentId] of [null, agent.id, ai].entries())
      for (const twin of [0, 1]) {
        const hour = ((c * 12 + s * 6 + a * 2 + twin) * 31) % 72
        const updated = 100 + ((hour * 41) % 73)
        const conversation = await make.conversation(workspace.id, {
          channel,
          channelAccountId: accounts.get(channel)!,
          status,
          agentId,
          at: at(hour),
          id: idAt(hour),
          subject: channel === 'email' ? `Subject ${hour}` : null,
        })
        const [hasTag, isUnread, hasFailed] = [hour % 3 === 0, hour % 4 === 1, hour % 5 === 2]
        if (hasFailed)
          await make.message(workspace.id, conversation, {
            senderType: 'agent',
            status: 'failed',
            at: at(90),
          })
        await make.message(workspace.id, conversation, { at: at(updated), body: `Text ${hour}` })
        await db
          .updateTable('conversations')
          .set({ unread_count: isUnread ? 2 : 0 })
          .where('id', '=', conversation.id)
          .execute()
        if (hasTag)
          await db
            .insertInto('contact_tags')
            .values({ workspace_id: workspace.id, contact_id: conversation.contactId, tag_id: tag })
            .execute()
        known.push({
          id: conversation.id,
          channel,
          status,
          agentId,
          contactId: conversation.contactId,
          hour,
          updated,
          hasTag,
          isUnread,
          hasFailed,
        })
      }
await make.conversation(other.id)

const sorted = (rows: Known[], sort: 'updated' | 'created'): string[] =>
  [...rows]
    .sort((x, y) => (sort === 'updated' ? y.updated - x.updated : 0) || (y.id < x.id ? -1 : 1))
    .map(({ id }) => id)

test('text of only rare characters is indexed once and can still be found', async () => {
  const own = await make.workspace()
  const odd = Array.from({ length: 2000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000)))
  const [first] = [await make.conversation(own.id), await make.conversation(own.id)]
  await make.message(own.id, first!, { body: odd.join('') })
  await indexBigrams(ctxOf(own.id), [{ conversationId: first!.id, grams: bigramsOf(odd.join('')) }])
  const { rows } = await database.pool.query(
    'select gram from conversation_grams where conversation_id = $1',
    [first!.id],
  )
  assert.deepEqual(rows, [{ gram: '' }])
  // Far enough back that the walk through the recent conversations does not meet it.
  for (let n = 0; n < 110; n++) await make.conversation(own.id)
  for (const q of [odd[1999]!, odd[700]! + odd[701]!]) {
    const found: string[] = []
    let cursor: string | null = null
    do {
      const { body } = await call(
        own.token,
        'GET',
        `/conversations?q=${encodeURIComponent(q)}${cursor ? `&cursor=${cursor}` : ''}`,
      )
      found.push(...body.conversations.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor
    } while (cursor)
    assert.deepEqual(found, [first!.id], q)
  }
})

/** Every combination of the filters that are tests of one row, with an order of times that is not that of the list. */
type Narrowing = Partial<Record<'tagId' | 'unread' | 'hasFailedMessage', string>> & {
  createdAfter?: string
  createdBefore?: string
  updatedAfter?: string
}
const narrowings: Narrowing[] = [undefined, tag, foreignTag].flatMap((tagId) =>
  [undefined, 'true', 'false'].flatMap((unread) =>
    [undefined, 'true', 'false'].flatMap((hasFailedMessage) =>
      [undefined, at(20).toISOString()].flatMap((createdAfter) =>
        [undefined, at(55).toISOString()].flatMap((createdBefore) =>
          [undefined, at(120).toISOString()].map((updatedAfter) => ({
            ...{ tagId, unread, hasFailedMessage, createdAfter, createdBefore, updatedAfter },
          })),
        ),
      ),
    ),
  ),
)
const isNarrowed = (row: Known, by: Narrowing): boolean =>
  (!by.tagId || (by.tagId === tag && row.hasTag)) &&
  (by.unread !== 'true' || row.isUnread) &&
  (by.hasFailedMessage !== 'true' || row.hasFailed) &&
  (!by.createdAfter || at(row.hour).toISOString() >= by.createdAfter) &&
  (!by.createdBefore || at(row.hour).toISOString() < by.createdBefore) &&
  (!by.updatedAfter || at(row.updated).toISOString() >= by.updatedAfter)

test('every combination of filters and order lists exactly the conversations that pass, page by page', async () => {
  // Each combination of the first five without the others, and with three of the 216 of the others.
  let turn = 0
  for (const sort of ['updated', 'created'] as const)
    for (const status of [undefined, 'all', 'open', 'closed', 'unassigned'])
      for (const channel of [undefined, 'web', 'email'])
        for (const agentId of [undefined, agent.id, ai, 'ai', newId()])
          for (const contactId of [undefined, known[0]!.contactId])
            for (const more of [{}, ...[0, 1, 2].map(() => narrowings[(turn++ * 29) % narrowings.length]!)]) {
              const query = new URLSearchParams({ sort, limit: '7' })
              for (const [name, value] of Object.entries({ status, channel, agentId, contactId, ...more }))
                if (value !== undefined) query.set(name, value)
              const wanted = known.filter(
                (row) =>
                  (!channel || row.channel === channel) &&
                  (!contactId || row.contactId === contactId) &&
                  (!agentId || row.agentId === (agentId === 'ai' ? ai : agentId)) &&
                  (!status ||
                    status === 'all' ||
                    (status === 'unassigned'
                      ? row.status === 'open' && row.agentId === null
                      : row.status === status)) &&
                  isNarrowed(row, more),
              )
              const rows = await walkAll(`/conversations?${query}`, 'conversations')
              assert.deepEqual(
                rows.map(({ id }) => id),
                sorted(wanted, sort),
                query.toString(),
              )
            }
})

test('every filter of rare conversations combines with the search', async () => {
  for (const sort of ['updated', 'created'] as const)
    for (const q of ['text', 'tex', 'te'])
      for (const more of narrowings.filter((_, turn) => turn % 17 === 0)) {
        const query = new URLSearchParams({ sort, q, limit: '30' })
        for (const [name, value] of Object.entries(more)) if (value !== undefined) query.set(name, value)
        const rows = await walkAll(`/conversations?${query}`, 'conversations')
        assert.deepEqual(
          rows.map(({ id }) => id),
          sorted(
            known.filter((row) => isNarrowed(row, more)),
            sort,
          ),
          query.toString(),
        )
      }
})

test('a message counts as failed until it is sent again or its delivery is confirmed', async () => {
  const own = await make.workspace()
  const conversation = await make.conversation(own.id)
  const { id } = await make.message(own.id, conversation, { senderType: 'agent', status: 'sent' })
  const listed = async () =>
    (await walkAll('/conversations?hasFailedMessage=true', 'conversations', own.token)).map(({ id }) => id)
  for (const status of ['sent', 'failed', 'failed', 'queued', 'failed', 'delivered'] as const) {
    await db.updateTable('messages').set({ status }).where('id', '=', id).execute()
    assert.deepEqual(await listed(), status === 'failed' ? [conversation.id] : [], status)
  }
})

test('with more candidates than are gathered, the same conversations are listed by reading in order', async () => {
  const own = await make.workspace()
  const first = await make.conversation(own.id, { at: at(0), id: idAt(0), status: 'closed' })
  const COUNT = 10_002
  const tagId = await make.tag(own.id)
  const { pool } = database
  await pool.query('insert into contact_tags values ($1, $2, $3)', [own.id, first.contactId, tagId])
  await pool.query(
    `insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, status, unread_count, created_at, updated_at)
     select $1, $2 || lpad(n::text, 4 + 12, '0'), 'email', $3, $4, 'closed', n % 2, $5::timestamptz, $5::timestamptz + n * interval '1 second'
     from generate_series(1, ${COUNT}) n`,
    [own.id, idAt(1).slice(0, 9), first.channelAccountId, first.contactId, at(1)],
  )
  await pool.query('update conversations set unread_count = 1 where workspace_id = $1', [own.id])
  await pool.query('analyze conversations')
  for (const sort of ['updated', 'created'])
    for (const query of [
      `tagId=${tagId}`,
      'unread=true',
      `updatedAfter=${at(0).toISOString()}`,
      `createdAfter=${at(0).toISOString()}`,
    ]) {
      const plain = await call(own.token, 'GET', `/conversations?sort=${sort}&limit=100`)
      const narrowed = await call(own.token, 'GET', `/conversations?sort=${sort}&limit=100&${query}`)
      assert.deepEqual(narrowed.body.conversations, plain.body.conversations, query)
      const next = `cursor=${narrowed.body.nextCursor}`
      const rest = await call(own.token, 'GET', `/conversations?sort=${sort}&limit=100&${query}&${next}`)
      const plainRest = await call(
        own.token,
        'GET',
        `/conversations?sort=${sort}&limit=100&cursor=${plain.body.nextCursor}`,
      )
      assert.deepEqual(rest.body.conversations, plainRest.body.conversations, query)
    }
})

test('what cannot be a filter is refused, and what nothing matches is an empty list', async () => {
  const long = 'x'.repeat(2000)
  for (const path of ['/conversations', '/contacts', '/messages']) {
    for (const value of ['yesterday', '', '2026-13-01T00:00:00Z', '2026-01-01', '1767225600', long]) {
      const { status, body } = await call(
        token,
        'GET',
        `${path}?${new URLSearchParams({ createdAfter: value })}`,
      )
      assert.equal(status, 400, `${path} ${value}`)
      assert.equal(body.error.details[0].field, 'createdAfter')
    }
    for (const time of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-14:00', '2026-01-01T02:00:00%2B02:00'])
      assert.equal((await call(token, 'GET', `${path}?createdAfter=${time}`)).status, 200, time)
    const twice = await call(token, 'GET', `${path}?createdAfter=${START}&createdAfter=${START}`)
    assert.equal(twice.status, 400)
  }
  for (const query of [
    'unread=maybe',
    'hasFailedMessage=1x',
    `tagId=${tag}&tagId=${tag}`,
    'createdBefore=now',
  ])
    assert.equal((await call(token, 'GET', `/conversations?${query}`)).status, 400, query)
  for (const [path, query] of [
    ['/conversations', `createdAfter=${at(50).toISOString()}&createdBefore=${at(40).toISOString()}`],
    ['/conversations', `tagId=${foreignTag}`],
    ['/conversations', `tagId=${long}`],
    ['/conversations', 'tagId='],
    ['/conversations', 'updatedAfter=9999-12-31T23:59:59-14:00'],
    ['/messages', `conversationId=${newId()}`],
    ['/messages', `contactId=${long}`],
    ['/contacts', `tagId=${foreignTag}&sort=created`],
  ]) {
    const { status, body, text } = await call(token, 'GET', `${path}?${query}`)
    assert.equal(status, 200, text)
    assert.deepEqual(body[path!.slice(1)], [], query)
    assert.equal(body.nextCursor, null)
  }
  const { body } = await call(token, 'GET', `/conversations?createdAfter=${START}&limit=1`)
  for (const other of ['', `&createdAfter=${at(1).toISOString()}`, `&createdAfter=${START}&tagId=${tag}`])
    assert.equal(
      (await call(token, 'GET', `/conversations?cursor=${body.nextCursor}${other}`)).status,
      400,
      other,
    )
})

test('messages are listed by conversation, contact, channel and time, all combined', async () => {
  const own = await make.workspace()
  const contacts = [await make.contact(own.id), await make.contact(own.id)]
  const made: {
    id: string
    conversationId: string
    contactId: string
    channel: string
    type: string
    createdAt: string
  }[] = []
  for (const { id: contactId } of contacts)
    for (const channel of ['web', 'email'] as const) {
      const conversation = await make.conversation(own.id, { contactId, channel })
      for (const type of ['customer', 'agent', 'system', 'customer'] as const) {
        const { id } = await make.message(own.id, conversation, { senderType: type })
        const createdAt = timeOfId(id).toISOString()
        made.push({ id, conversationId: conversation.id, contactId, channel, type, createdAt })
      }
    }
  const webOnly = (await createToken(ctxOf(own.id), { name: 'Web', channels: ['web'] })).secret
  for (const secret of [own.token, webOnly])
    for (const direction of ['inbound', 'outbound', 'all'])
      for (const conversationId of [
        undefined,
        made[0]!.conversationId,
        made[4]!.conversationId,
        known[0]!.id,
      ])
        for (const contactId of [undefined, contacts[0]!.id])
          for (const channel of [undefined, 'web', 'email', 'sms'])
            for (const createdAfter of [undefined, made[7]!.createdAt]) {
              const query = new URLSearchParams({ direction, limit: '2' })
              for (const [name, value] of Object.entries({
                conversationId,
                contactId,
                channel,
                createdAfter,
              }))
                if (value !== undefined) query.set(name, value)
              const wanted = made.filter(
                (one) =>
                  one.type !== 'system' &&
                  (direction === 'all' || (one.type === 'customer') === (direction === 'inbound')) &&
                  (secret === own.token || one.channel === 'web') &&
                  (!conversationId || one.conversationId === conversationId) &&
                  (!contactId || one.contactId === contactId) &&
                  (!channel || one.channel === channel) &&
                  (!createdAfter || one.createdAt >= createdAfter),
              )
              assert.deepEqual(
                (await walkAll(`/messages?${query}`, 'messages', secret)).map(({ id }) => id),
                wanted.map(({ id }) => id).reverse(),
                query.toString(),
              )
            }
})

test('a conversation shows its contact, its agent and its last message', async () => {
  const contact = await make.contact(workspace.id, {
    name: 'Zoë "Z" O\\Neil\n',
    email: 'zoe@example.org',
    phone: '+31612345678',
  })
  const conversation = await make.conversation(workspace.id, {
    contactId: contact.id,
    channel: 'email',
    channelAccountId: accounts.get('email')!,
    agentId: agent.id,
    subject: 'Grüße\t😀 \u2028',
    at: at(0),
  })
  const message = await make.message(workspace.id, conversation, { body: 'Body "1"\u0001', at: at(1) })
  const expected = {
    id: conversation.id,
    channel: 'email',
    subject: 'Grüße\t😀 \u2028',
    status: 'open',
    contact: { id: contact.id, name: contact.name, email: contact.email, phone: contact.phone },
    assignment: { agentId: agent.id, agentNickname: 'Jonas', assignedAt: at(0).toISOString() },
    team: null,
    lastMessage: {
      id: message.id,
      body: 'Body "1"\u0001',
      senderId: contact.id,
      senderType: 'customer',
      status: 'sent',
      createdAt: at(1).toISOString(),
    },
    createdAt: at(0).toISOString(),
    updatedAt: at(1).toISOString(),
    snoozedUntil: null,
    tags: [],
  }
  const one = await call(token, 'GET', `/conversations/${conversation.id}`)
  assert.deepEqual(one.body, { conversation: expected })
  const list = await call(token, 'GET', `/conversations?contactId=${contact.id}`)
  assert.deepEqual(list.body, { conversations: [expected], nextCursor: null })
  assert.equal(list.headers['content-type'], 'application/json; charset=utf-8')
})

test('without an agent the assignment is null, and without a message the last message is', async () => {
  const conversation = await make.conversation(workspace.id, { at: at(0) })
  const { body } = await call(token, 'GET', `/conversations/${conversation.id}`)
  assert.equal(body.conversation.assignment, null)
  assert.equal(body.conversation.lastMessage, null)
})

test('a conversation of another workspace gets the same response, byte for byte, as one that does not exist', async () => {
  const foreign = await make.conversation(other.id)
  for (const end of ['', '/messages']) {
    const theirs = await call(token, 'GET', `/conversations/${foreign.id}${end}`)
    const nobodys = await call(token, 'GET', `/conversations/${newId()}${end}`)
    const shapeless = await call(token, 'GET', `/conversations/%00%ff%${end}`)
    assert.equal(theirs.status, 404)
    assert.equal(theirs.body.error.code, 'CONVERSATION_NOT_FOUND')
    assert.equal(theirs.text, nobodys.text)
    assert.equal(theirs.text, shapeless.text)
  }
  const rows = await walkAll('/conversations?limit=100', 'conversations', other.token)
  assert.ok(rows.every(({ id }) => !known.some((row) => row.id === id)))
  assert.deepEqual(
    (await walkAll(`/conversations?contactId=${known[0]!.contactId}`, 'conversations', other.token)).length,
    0,
  )
})

test('query limits are enforced at and beyond the edge', async () => {
  for (const path of ['/conversations', '/messages', `/conversations/${known[0]!.id}/messages`]) {
    for (const limit of ['1', '100'])
      assert.equal((await call(token, 'GET', `${path}?limit=${limit}`)).status, 200)
    for (const limit of ['0', '101', '-1', '1.5', 'ten', '']) {
      const { status, body } = await call(token, 'GET', `${path}?limit=${limit}`)
      assert.equal(status, 400, `${path} ${limit}`)
      assert.equal(body.error.details[0].field, 'limit')
    }
  }
  assert.equal((await call(token, 'GET', `/conversations?q=${'x'.repeat(160)}`)).status, 200)
  const emoji = encodeURIComponent('😀'.repeat(160))
  assert.equal((await call(token, 'GET', `/conversations?q=${emoji}`)).status, 200)
  for (const [name, value] of [
    ['q', 'x'.repeat(161)],
    ['status', 'pending'],
    ['channel', 'fax'],
    ['sort', 'name'],
    ['q', '\0'],
  ] as const) {
    const { status, body } = await call(
      token,
      'GET',
      `/conversations?${new URLSearchParams({ [name]: value })}`,
    )
    assert.equal(status, 400)
    assert.equal(body.error.details[0].field, name)
  }
  const { status, body } = await call(token, 'GET', '/messages?direction=both')
  assert.equal(status, 400)
  assert.equal(body.error.details[0].field, 'direction')
  assert.equal((await call(token, 'GET', '/conversations')).body.conversations.length, 50)
  for (const name of ['agentId', 'contactId'])
    assert.deepEqual((await call(token, 'GET', `/conversations?${name}=%25nothing'`)).body, {
      conversations: [],
      nextCursor: null,
    })
})

test('a cursor is only valid for the listing it came from', async () => {
  const { body } = await call(token, 'GET', '/conversations?status=open&limit=1')
  const cursor = body.nextCursor as string
  assert.match(cursor, /^[A-Za-z0-9_-]+$/)
  assert.equal((await call(token, 'GET', `/conversations?status=open&limit=9&cursor=${cursor}`)).status, 200)
  const inbound = (await call(token, 'GET', '/messages?limit=1')).body.nextCursor
  const refused: [string | null, string][] = [
    [token, `/conversations?cursor=${cursor}`],
    [token, `/conversations?status=open&sort=created&cursor=${cursor}`],
    [token, `/conversations?status=open&q=text&cursor=${cursor}`],
    [token, `/conversations?status=open&channel=web&cursor=${cursor}`],
    [token, `/conversations?status=unassigned&agentId=${agent.id}&cursor=${cursor}`],
    [other.token, `/conversations?status=open&cursor=${cursor}`],
    [token, `/conversations?status=open&cursor=${cursor.slice(0, -2)}`],
    [token, '/conversations?status=open&cursor='],
    [token, `/messages?direction=all&cursor=${inbound}`],
    [token, `/messages?cursor=${cursor}`],
    [token, `/conversations/${known[0]!.id}/messages?cursor=${inbound}`],
  ]
  for (const [secret, path] of refused) {
    const { status, body } = await call(secret, 'GET', path)
    assert.equal(status, 400, path)
    assert.equal(body.error.code, 'VALIDATION_ERROR')
    assert.equal(body.error.details[0].field, 'cursor')
  }
})

test('paging skips and repeats no conversation while others move up', async () => {
  const busy = await make.workspace()
  const account = await make.channelAccount(busy.id, 'email')
  const conversations: { id: string; contactId: string; channelAccountId: string }[] = []
  // Ten at each time, so that the ties are decided by id.
  for (let n = 0; n < 60; n++)
    conversations.push(
      await make.conversation(busy.id, {
        channel: 'email',
        channelAccountId: account,
        at: at(Math.floor(n / 10)),
      }),
    )
  let hour = 100
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom('', '&status=open', '&channel=email'),
      fc.array(fc.nat(conversations.length - 1), { maxLength: 10 }),
      async (limit, filter, moves) => {
        const moved = new Set<string>()
        const seen: string[] = []
        let cursor = ''
        for (;;) {
          const { body } = await call(busy.token, 'GET', `/conversations?limit=${limit}${filter}${cursor}`)
          seen.push(...body.conversations.map(({ id }: Listed) => id))
          if (!body.nextCursor) break
          cursor = `&cursor=${body.nextCursor}`
          const move = moves.pop()
          if (move === undefined) continue
          moved.add(conversations[move]!.id)
          await make.message(busy.id, conversations[move]!, { at: at(hour++) })
        }
        for (const { id } of conversations) {
          const times = seen.filter((other) => other === id).length
          if (!moved.has(id)) assert.equal(times, 1)
        }
      },
    ),
    { numRuns: 25 },
  )
})

test('the message list has both directions, newest first, without system entries', async () => {
  const busy = await make.workspace()
  const conversation = await make.conversation(busy.id, { channel: 'whatsapp', at: at(0) })
  const types = ['customer', 'agent', 'system', 'automation', 'customer', 'system', 'agent'] as const
  const made: { id: string; type: string }[] = []
  for (const [n, type] of types.entries())
    made.push({
      id: (await make.message(busy.id, conversation, { senderType: type, at: at(n + 1) })).id,
      type,
    })
  const wanted = (...types: string[]) =>
    made
      .filter(({ type }) => types.includes(type))
      .map(({ id }) => id)
      .reverse()
  const listed = async (query: string) =>
    (await walkAll(`/messages${query}`, 'messages', busy.token)).map(({ id }) => id)
  assert.deepEqual(await listed(''), wanted('customer'))
  assert.deepEqual(await listed('?direction=inbound&limit=1'), wanted('customer'))
  assert.deepEqual(await listed('?direction=outbound&limit=2'), wanted('agent', 'automation'))
  assert.deepEqual(await listed('?direction=all&limit=2'), wanted('customer', 'agent', 'automation'))
  const { body } = await call(busy.token, 'GET', '/messages?limit=1')
  const { name, email, phone } = await db
    .selectFrom('contacts')
    .selectAll()
    .where('id', '=', conversation.contactId)
    .executeTakeFirstOrThrow()
  assert.deepEqual(body.messages, [
    {
      id: made[4]!.id,
      conversationId: conversation.id,
      channel: 'whatsapp',
      body: body.messages[0].body,
      senderType: 'customer',
      status: 'sent',
      createdAt: at(5).toISOString(),
      contact: { id: conversation.contactId, name, email, phone },
    },
  ])
})

test('a thread lists messages and system entries newest first, with the author of each', async () => {
  const contact = await make.contact(workspace.id, { name: 'Ada' })
  const conversation = await make.conversation(workspace.id, { contactId: contact.id, at: at(0) })
  const admin = await make.agent(workspace.id, { nickname: 'Boss', role: 'admin' })
  const company = 'Northwind'
  const senders = [
    ['customer', contact.id, { id: contact.id, nickname: 'Ada', company: null, role: 'customer' }],
    ['agent', agent.id, { id: agent.id, nickname: 'Jonas', company, role: 'agent' }],
    ['agent', admin.id, { id: admin.id, nickname: 'Boss', company, role: 'admin' }],
    ['agent', ai, { id: ai, nickname: 'AI Agent', company, role: 'ai' }],
    [
      'agent',
      `api:${workspace.tokenId}`,
      { id: `api:${workspace.tokenId}`, nickname: 'API', company, role: 'automation' },
    ],
    ['automation', 'flow', { id: 'flow', nickname: 'Automation', company, role: 'automation' }],
    ['system', 'system', { id: 'system', nickname: 'System', company, role: 'system' }],
  ] as const
  const ids: string[] = []
  for (const [n, [senderType, senderId]] of senders.entries())
    ids.push((await make.message(workspace.id, conversation, { senderType, senderId, at: at(n + 1) })).id)
  await db
    .insertInto('attachments')
    .values({
      workspace_id: workspace.id,
      id: newId(),
      message_id: ids[0]!,
      type: 'image',
      name: 'bike.png',
      mime_type: 'image/png',
      size: 1234,
      created_at: at(1),
    })
    .execute()
  for (const limit of [1, 3, 7, 50]) {
    const rows = (await walkAll(
      `/conversations/${conversation.id}/messages?limit=${limit}`,
      'messages',
    )) as unknown as { id: string; sender: unknown; attachments: { name: string; url: string }[] }[]
    assert.deepEqual(rows.map(({ id }) => id).reverse(), ids)
    assert.deepEqual(
      rows.map(({ sender }) => sender).reverse(),
      senders.map(([, , sender]) => sender),
    )
    assert.equal(rows.at(-1)!.attachments[0]!.name, 'bike.png')
  }
  const first = await findMessage(ctxOf(workspace.id), ids[0]!)
  assert.equal(first?.attachments.length, 1)
  assert.equal(await findMessage(ctxOf(other.id), ids[0]!), undefined)
  const empty = await make.conversation(workspace.id, { at: at(0) })
  const { body } = await call(token, 'GET', `/conversations/${empty.id}/messages`)
  assert.deepEqual(body, { messages: [], nextCursor: null })
})

test('what only the console can ask for is ignored, as any parameter that does not exist', async () => {
  const plain = await call(token, 'GET', '/conversations?limit=5')
  for (const unknown of [
    'snoozed=true',
    'snoozed=false',
    'mentioned=true',
    'mine=true',
    'ownTagId=x',
    'channelAccountId=x',
    'language=de',
  ])
    assert.equal((await call(token, 'GET', `/conversations?limit=5&${unknown}`)).text, plain.text, unknown)
})

test('a page takes the same number of statements whatever its size', async () => {
  const count = (path: string) => countStatements(database, () => call(token, 'GET', path))
  for (const path of [
    '/conversations?status=open&',
    '/conversations?sort=created&channel=web&',
    '/messages?',
    `/conversations/${known[0]!.id}/messages?`,
    `/conversations/${known[0]!.id}?`,
  ])
    for (const limit of [1, 100]) assert.equal(await count(`${path}limit=${limit}`), 1, path)
  for (const q of ['Text', 'no such text', 'x', 'qq', '%'])
    assert.ok((await count(`/conversations?q=${encodeURIComponent(q)}`)) <= 3)
})

test('a console page does too, apart from finding the session', async () => {
  const admin = await signIn(app, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
  const count = (path: string) => countStatements(database, () => admin.call('GET', path))
  const whoIsAsking = await count('/tags')
  assert.ok(whoIsAsking <= 3, `${whoIsAsking} statements`)
  const { id } = known[0]!
  for (const [path, most] of [
    ['/conversations?', 1],
    ['/conversations?unread=true&', 1],
    ['/conversations?mine=true&sort=created&', 1],
    [`/conversations/${id}/messages?`, 1],
    [`/conversations/${id}/timeline?`, 3],
    [`/conversations/${id}/details?`, 3],
    ['/conversation-counts?', 2],
    ['/contacts?sort=created&', 2],
  ] as const) {
    const [small, large] = [await count(`${path}limit=1`), await count(`${path}limit=100`)]
    assert.equal(small, large, path)
    assert.ok(large - (whoIsAsking - 1) <= most, `${path} takes ${large}`)
  }
})

test('a search finds the term in subject, name, email and messages, without case and word for word', async () => {
  const shop = await make.workspace()
  const ctx = ctxOf(shop.id)
  const found = async (q: string, filters = ''): Promise<string[]> =>
    (await walkAll(`/conversations?q=${encodeURIComponent(q)}${filters}`, 'conversations', shop.token)).map(
      ({ id }) => id,
    )
  const talk = async (
    { name = 'Bo', email = null as string | null, subject = null as string | null, body = '' },
    hour: number,
  ) => {
    const contact = await make.contact(shop.id, { name, email, phone: `+3161234${1000 + hour}` })
    const conversation = await make.conversation(shop.id, {
      contactId: contact.id,
      channel: 'email',
      subject,
      at: at(hour),
    })
    await make.message(shop.id, conversation, { body, at: at(hour) })
    await make.message(shop.id, conversation, {
      senderType: 'system',
      senderId: 'system',
      body: 'Conversation closed',
      at: at(hour),
    })
    await indexBigrams(ctx, [
      { conversationId: conversation.id, grams: bigramsOf(name, email, subject, body) },
    ])
    return conversation.id
  }
  const bySubject = await talk({ subject: 'Rücksendung 100% sicher' }, 1)
  const byName = await talk({ name: 'Ömer Xqvist' }, 2)
  const byEmail = await talk({ email: 'snow_white@forest.example' }, 3)
  const byBody = await talk({ body: 'C:\\temp 你好 xq' }, 4)
  assert.deepEqual(await found('RÜCKSENDUNG'), [bySubject])
  assert.deepEqual(await found('  ksendung 1 '), [bySubject])
  assert.deepEqual(await found('100%'), [bySubject])
  assert.deepEqual(await found('%'), [bySubject])
  assert.deepEqual(await found('ömer'), [byName])
  assert.deepEqual(await found('XQ'), [byBody, byName])
  assert.deepEqual(await found('w_w'), [byEmail])
  assert.deepEqual(await found('_'), [byEmail])
  assert.deepEqual(await found('SNOW_WHITE@forest'), [byEmail])
  assert.deepEqual(await found('c:\\TEMP'), [byBody])
  assert.deepEqual(await found('你'), [byBody])
  assert.deepEqual(await found('你好'), [byBody])
  assert.deepEqual(await found('conversation closed'), [], 'what the system noted is no message')
  assert.deepEqual(await found('+3161234'), [], 'a phone is not searched')
  assert.deepEqual(await found('xq', '&status=closed'), [])
  assert.deepEqual(await found('xq', '&sort=created&status=open&channel=email'), [byBody, byName])
  assert.deepEqual(await found('xq', '&limit=1'), [byBody, byName])
  assert.deepEqual(await found(''), [byBody, byEmail, byName, bySubject])
  assert.deepEqual(await found('   '), [byBody, byEmail, byName, bySubject])
})

test('a contact is found by a new name at once, however short the term', async () => {
  const shop = await make.workspace()
  const conversation = await make.conversation(shop.id, { at: at(0) })
  // Enough newer ones that the first walk does not come to it.
  for (let n = 1; n <= 101; n++)
    await make.conversation(shop.id, {
      contactId: conversation.contactId,
      channel: 'email',
      channelAccountId: conversation.channelAccountId,
      status: 'closed',
      at: at(n),
    })
  const others = await make.contact(shop.id)
  await db
    .updateTable('conversations')
    .set({ contact_id: others.id })
    .where('workspace_id', '=', shop.id)
    .where('id', '!=', conversation.id)
    .execute()
  const renamed = await call(shop.token, 'PATCH', `/contacts/${conversation.contactId}`, { name: 'Ö Qz' })
  assert.equal(renamed.status, 200)
  for (const q of ['qz', 'ö', 'ö qz']) {
    const { body } = await call(shop.token, 'GET', `/conversations?q=${encodeURIComponent(q)}`)
    assert.deepEqual(
      body.conversations.map(({ id }: Listed) => id),
      [conversation.id],
      q,
    )
  }
})
