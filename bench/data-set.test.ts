import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { listConversations } from '../server/domain/conversations/list-conversations.ts'
import { bigramsOf } from '../server/domain/search/bigrams.ts'
import { makeDb } from '../server/platform/db/pool.ts'
import { startApp } from '../test/app.ts'
import { makeDataSet } from './data-set.ts'

const SIZES = { contacts: 2_000, conversations: 3_000, messagesPerConversation: 4, smallWorkspaces: 1 }

const { call, ctxOf, database, db } = await startApp()
const made = await makeDataSet(database.connectionString, SIZES)

const count = async (condition: ReturnType<typeof sql>): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from ${condition}`.execute(db)
  return rows[0]!.n
}

test('a second call reuses the data set, and refuses another size', async () => {
  assert.deepEqual(await makeDataSet(database.connectionString, SIZES), made)
  await assert.rejects(
    makeDataSet(database.connectionString, { ...SIZES, contacts: 2_001 }),
    /another data set/,
  )
})

test('it has the requested size', async () => {
  const of = (table: string) => count(sql`${sql.table(table)} where workspace_id = ${made.workspaceId}`)
  assert.equal(await of('contacts'), SIZES.contacts)
  assert.equal(await of('conversations'), SIZES.conversations)
  assert.equal(await of('messages'), SIZES.conversations * SIZES.messagesPerConversation)
  assert.equal(await count(sql`workspaces`), 2)
})

test('derived data matches its rows', async () => {
  const wrong = {
    'a foreign key': sql`messages m left join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
        and c.channel_account_id = m.channel_account_id
      left join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
      left join channel_accounts a on a.workspace_id = c.workspace_id and a.id = c.channel_account_id and a.channel = c.channel
      where k.id is null or a.id is null`,
    'an id out of order': sql`messages where id !~ '^c[0-9a-z]{24}$' or created_at > now()`,
    'order of ids and times': sql`(select created_at, lag(created_at) over (partition by workspace_id order by id) as before
      from messages) m where created_at < before`,
    'the last message': sql`conversations c cross join lateral (
        select * from messages m where m.workspace_id = c.workspace_id and m.conversation_id = c.id
          and m.sender_type <> 'system' order by id desc limit 1) m
      where (c.last_message_id, c.last_message_body, c.last_message_sender_id, c.last_message_sender_type,
          c.last_message_status, c.last_message_at)
        is distinct from (m.id, m.body, m.sender_id, m.sender_type, m.status, m.created_at)`,
    updated_at: sql`conversations c where updated_at <> (select max(created_at) from messages m
      where m.workspace_id = c.workspace_id and m.conversation_id = c.id) or updated_at < created_at`,
    last_inbound_at: sql`conversations c where last_inbound_at is distinct from (select max(created_at) from messages m
      where m.workspace_id = c.workspace_id and m.conversation_id = c.id and sender_type = 'customer')`,
    'an agent': sql`conversations c left join memberships p on p.workspace_id = c.workspace_id and p.account_id = c.agent_id
      where (c.agent_id is null) <> (p.account_id is null) or (c.agent_id is null) <> (c.assigned_at is null)`,
    'a sender': sql`messages m join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
      where case m.sender_type when 'customer' then m.sender_id <> c.contact_id when 'system' then m.sender_id <> 'system'
        else m.sender_id not like 'api:%' and m.sender_id is distinct from c.agent_id end`,
    'the counts of a contact': sql`contacts k join lateral (
        select count(*) as n, count(*) filter (where status = 'open') as open, max(updated_at) as at,
          (array_agg(id::text order by updated_at desc, id desc))[1] as latest,
          (array_agg(agent_id::text order by updated_at desc, id desc))[1] as agent,
          array_agg(distinct channel order by channel) as channels
        from conversations c where c.workspace_id = k.workspace_id and c.contact_id = k.id) s on true
      where (k.conversation_count, k.open_count, k.last_activity_at, k.latest_conversation_id, k.assigned_agent_id)
          is distinct from (s.n::integer, s.open::integer, s.at, s.latest, s.agent)
        or s.channels <> array(select unnest(k.channels) order by 1)`,
    contact_search: sql`contacts k full join contact_search s on s.workspace_id = k.workspace_id and s.contact_id = k.id
      where s.text is distinct from k.search_text or s.phone is distinct from k.phone`,
    contact_days: sql`(
        select workspace_id, day, sum(change) as n from contact_days group by 1, 2
        except select workspace_id, day_of(last_activity_at), count(*) from contacts group by 1, 2
      ) s`,
    contact_counts: sql`(
        select workspace_id, kind, key, sum(count) as n from contact_counts group by 1, 2, 3
        except (select workspace_id, 'total', '', count(*) from contacts group by 1
          union all select workspace_id, 'country', country_iso, count(*) from contacts where country_iso is not null group by 1, 3
          union all select workspace_id, 'channel', channel, count(*) from contacts, unnest(channels) channel group by 1, 3)
      ) s`,
    'an email that nobody holds': sql`contacts k where email is not null and not exists (select from identities i
      where i.workspace_id = k.workspace_id and i.kind = 'email' and i.value = k.email and i.contact_id = k.id)`,
    'a phone that nobody holds': sql`contacts k where phone is not null and not exists (select from identities i
      where i.workspace_id = k.workspace_id and i.kind = 'phone' and i.value = k.phone and i.contact_id = k.id)`,
  }
  for (const [what, rows] of Object.entries(wrong)) assert.equal(await count(rows), 0, what)
})

test('every conversation is listed under the rare grams of its texts, and no others', async () => {
  const { rows } = await sql<{ id: string; texts: (string | null)[]; grams: string[] }>`
    select c.id, array[k.name, k.email, c.subject] || array(
        select body from messages m where m.workspace_id = c.workspace_id and m.conversation_id = c.id
          and m.sender_type <> 'system') as texts,
      coalesce(g.grams, '{}') as grams
    from conversations c join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    left join (select workspace_id, conversation_id, array_agg(gram::text order by gram) as grams
      from conversation_grams group by 1, 2) g on g.workspace_id = c.workspace_id and g.conversation_id = c.id`.execute(
    db,
  )
  for (const { id, texts, grams } of rows) assert.deepEqual(grams, bigramsOf(...texts), id)
})

test('following a search’s cursors returns exactly the conversations with the term', async () => {
  const terms = [
    'refund',
    'warrantyx',
    'midfreqz',
    'oldpromo',
    'zyqxwort',
    'vjq',
    'vj',
    'zy',
    'Gruber',
    'GRAZ on',
    'qq',
  ]
  for (const q of terms)
    for (const filters of ['', '&status=open&sort=created', '&channel=email&limit=100']) {
      const seen: string[] = []
      let cursor = ''
      for (let page = 0; page < 500; page++) {
        const { status, body, text } = await call(
          made.secret,
          'GET',
          `/conversations?q=${encodeURIComponent(q)}${filters}${cursor}`,
        )
        assert.equal(status, 200, text)
        seen.push(...body.conversations.map(({ id }: { id: string }) => id))
        cursor = body.nextCursor && `&cursor=${body.nextCursor}`
        if (!cursor) break
      }
      const { rows } = await sql<{ id: string }>`
        select c.id from conversations c join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
        where c.workspace_id = ${made.workspaceId}
          and (${!filters.includes('status')}::boolean or status = 'open')
          and (${!filters.includes('channel')}::boolean or channel = 'email')
          and (position(lower(${q}) in lower(concat_ws(chr(1), c.subject, k.name, k.email))) > 0
            or exists (select from messages m where m.workspace_id = c.workspace_id and m.conversation_id = c.id
              and m.sender_type <> 'system' and position(lower(${q}) in lower(m.body)) > 0))
        order by ${filters.includes('created') ? sql`c.id desc` : sql`c.updated_at desc, c.id desc`}`.execute(
        db,
      )
      assert.deepEqual(
        seen,
        rows.map(({ id }) => id),
        `${q} ${filters}`,
      )
    }
})

/** A search database on which the statements that match `isLate` time out, whatever the machine's speed. */
const lateOn = (isLate: (text: string) => boolean) =>
  makeDb(database.pool, (text) => {
    if (isLate(text))
      throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
  })

const isLookUp = (text: string) => text.includes(') h cross join lateral')
const LATE = [
  { when: 'every index look-up runs out of time', isLate: isLookUp, walkMin: 100 },
  { when: 'every bounded statement runs out of time', isLate: () => true, walkMin: 5 },
]

for (const { when, isLate, walkMin } of LATE)
  test(`a search still meets all, on pages bounded in number, when ${when}`, async () => {
    const ctx = { ...ctxOf(made.workspaceId), searchDb: lateOn(isLate) }
    const query = { status: 'all', sort: 'updated', limit: 50 } as const
    for (const q of ['zyqxwort', 'vj', 'nomatchzzq']) {
      const wanted = await listConversations(ctxOf(made.workspaceId), { ...query, q })
      const seen: unknown[] = []
      let cursor: string | undefined
      let pages = 0
      do {
        const page = JSON.parse(await listConversations(ctx, { ...query, q, cursor }))
        seen.push(...page.conversations)
        cursor = page.nextCursor ?? undefined
        pages += 1
      } while (cursor && pages <= SIZES.conversations / walkMin)
      assert.equal(cursor, undefined)
      assert.deepEqual(seen, JSON.parse(wanted).conversations)
    }
  })

test('no list or search plan reads a whole table', async () => {
  const { contact_id } = await db
    .selectFrom('conversations')
    .select('contact_id')
    .where('workspace_id', '=', made.workspaceId)
    .executeTakeFirstOrThrow()
  const from = database.statements.length
  for (const sort of ['updated', 'created'])
    for (const status of ['all', 'open', 'closed', 'unassigned'])
      for (const channel of ['', '&channel=sms'])
        for (const who of ['', '&agentId=ai', `&contactId=${contact_id}`])
          for (const q of ['', '&q=zyqxwort', '&q=vj', '&q=qx'])
            await call(made.secret, 'GET', `/conversations?sort=${sort}&status=${status}${channel}${who}${q}`)
  for (const direction of ['inbound', 'outbound', 'all'])
    await call(made.secret, 'GET', `/messages?direction=${direction}`)
  const texts = [...new Set(database.statements.slice(from))].filter((text) =>
    /conversations|messages/.test(text),
  )
  assert.ok(texts.length > 40, `${texts.length} statements`)
  const client = await database.pool.connect()
  try {
    // As the private server has it (server/platform/db/embedded.ts): with the default, made for spinning disks,
    // PostgreSQL would read two tables this small in full.
    await client.query('set random_page_cost = 1.1')
    for (const text of texts) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      assert.doesNotMatch(
        plan,
        /Seq Scan on (messages|conversations|contacts|conversation_grams)/,
        `${text}\n${plan}`,
      )
    }
  } finally {
    client.release()
  }
})
