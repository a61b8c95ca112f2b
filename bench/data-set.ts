// Builds a workspace of the benchmarks' size, and small ones, in a migrated database. Rows are generated in SQL from
// row numbers and a table of phrases: the same numbers give the same data. Data derived from rows (counts, last
// messages, search texts, rare grams) is included, see data-set.test.ts.
import { createHash } from 'node:crypto'
import pg from 'pg'
import { bigramsOf } from '../server/domain/search/bigrams.ts'
import { newId } from '../server/platform/db/id.ts'
import {
  AGENT_SENTENCES,
  CUSTOMER_SENTENCES,
  FIRST_NAMES,
  LAST_NAMES,
  makePhrases,
  SUBJECT_SENTENCES,
} from './phrases.ts'

export type Sizes = {
  contacts: number
  /** Between `contacts` and twice that: the oldest contacts have two. */
  conversations: number
  messagesPerConversation: number
  smallWorkspaces: number
}

export const FULL: Sizes = {
  contacts: 200_000,
  conversations: 300_000,
  messagesPerConversation: 10,
  smallWorkspaces: 50,
}

const SMALL = { contacts: 200, conversations: 300 }

export type DataSet = { workspaceId: string; secret: string; webConversationIds: string[] }

const PHRASES = 6_000
const SUBJECTS = 600
const AGENTS = 20
const DAYS = 730
const BULK = 20_000

/**
 * Words that occur in a known share of the big workspace's messages, for the searches. `refund` is in a tenth of them,
 * and so on; the last two in a fixed number of rows; oldpromo in one of seven, but only in the oldest conversations.
 */
const PLANTED = [
  ["' I would like a refund.'", 'h % 10 = 3'],
  ["' It is about warrantyx.'", 'h % 100 = 7'],
  ["' See midfreqz.'", 'h % 2000 = 11'],
  ["' Code oldpromo.'", 'v <= $conversations / 5 and h % 7 = 2'],
  ["' zyqxwort'", 'm % ($messages / 12) = 5'],
  ["' Ref vjq.'", 'm % ($messages / 6) = 9'],
]

/** The eight base-36 digits of a time's milliseconds. */
const DIGITS_OF_TIME = [7, 6, 5, 4, 3, 2, 1, 0]
  .map(
    (power) =>
      `substr('0123456789abcdefghijklmnopqrstuvwxyz', ((extract(epoch from at) * 1000)::bigint / ${36 ** power} % 36)::int + 1, 1)`,
  )
  .join(' || ')

/** Functions of row numbers, all inlined by the planner: `h` scatters, `id` is a cuid for a time. */
const FUNCTIONS = `
create or replace function pg_temp.h(n bigint, salt int) returns bigint language sql immutable as
  $$ select (hashint8extended(n, salt) & 9223372036854775807) $$;
create or replace function pg_temp.pick(n bigint, salt int, choices text[]) returns text language sql immutable as
  $$ select choices[1 + (hashint8extended(n, salt) & 9223372036854775807) % array_length(choices, 1)] $$;
create or replace function pg_temp.id(at timestamptz, kind text, n bigint) returns text language sql stable as
  $$ select 'c' || ${DIGITS_OF_TIME} || lpad(to_hex(n % 65536), 4, '0') || substr(md5(kind || n), 1, 12) $$;`

const list = (words: string[]): string =>
  `array[${words.map((word) => `'${word.replaceAll("'", "''")}'`).join(',')}]`

const COUNTRIES = [
  ['US', '+1212555'],
  ['GB', '+4477009'],
  ['DE', '+4915112'],
  ['FR', '+3361234'],
  ['ES', '+3461234'],
  ['IT', '+3934712'],
  ['BR', '+5511987'],
  ['IN', '+9198765'],
] as const

type Workspace = {
  id: string
  /** Makes its ids differ from those of other workspaces. */
  number: number
  sizes: Pick<Sizes, 'contacts' | 'conversations' | 'messagesPerConversation'>
  tokenId: string
}

/**
 * The rows of one workspace, statement by statement. Conversation v belongs to contact v; conversations beyond the
 * number of contacts go to the oldest contacts again, whose first conversation is then closed.
 */
const statementsOf = ({ id, number, sizes, tokenId }: Workspace, end: string): string[] => {
  const { contacts, conversations, messagesPerConversation: perConversation } = sizes
  const twice = conversations - contacts
  const messages = conversations * perConversation
  const planted = PLANTED.map(
    ([text, condition]) =>
      `case when ${condition!.replaceAll('$conversations', String(conversations)).replaceAll('$messages', String(Math.max(messages, 12)))} then ${text} else '' end`,
  ).join(' || ')
  return [
    `create temp table d_agent as select n, a.id from unnest((select array_agg(account_id order by account_id)
       from memberships where workspace_id = '${id}' and role <> 'ai')) with ordinality a(id, n)`,
    `create temp table d_account as select channel, id from channel_accounts where workspace_id = '${id}'`,
    // Values that only depend on the row number.
    `create temp table d_conversation as
     select v, k, pg_temp.id(created_at, 'v${number}', v) as id, channel, is_open, created_at,
       case when pg_temp.h(v, 4) % 5 < 3 then (select id from d_agent where n = 1 + pg_temp.h(v, 5) % ${AGENTS}) end as agent_id,
       created_at + interval '1 millisecond' * (${perConversation}::bigint * ${perConversation} * step) as ends_at, step
     from (
       select v, case when v <= ${contacts} then v else v - ${contacts} end as k,
         case when c < 45 then 'web' when c < 70 then 'whatsapp' when c < 90 then 'email'
           when c < 94 then 'facebook' when c < 97 then 'telegram' else 'sms' end as channel,
         v > ${twice} and (v > ${conversations} * 0.95 or pg_temp.h(v, 2) % 10 < 2) as is_open,
         date_trunc('milliseconds', '${end}'::timestamptz - interval '${DAYS} days' * ((${conversations} - v + 1.0) / ${conversations})) as created_at,
         -- From a few minutes to four days for the whole conversation, which must have ended by now.
         least(20000 + pg_temp.h(v, 3) % 3400000,
           floor(extract(epoch from interval '${DAYS} days') * 1000 * ((${conversations} - v + 1.0) / ${conversations}) / ${(perConversation + 1) ** 2}))::bigint as step
       from (select v::bigint, pg_temp.h(case when v <= ${contacts} then v else v - ${contacts} + 7 end, 1) % 100 as c
         from generate_series(1, ${conversations}) v) a
     ) b`,
    `create temp table d_message as
     select m, v, pg_temp.id(at, 'm${number}', m) as id, sender_type, at, p1, p2,
       case when sender_type = 'system' then 'Conversation closed'
         else a.body || ' ' || b.body || ${planted} end as body
     from (
       select m, v, i, pg_temp.h(m, 7 + ${number}) as h, c.created_at + interval '1 millisecond' * (i * i * step) as at,
         case when i = ${perConversation} and not is_open and ${perConversation} > 2 then 'system'
           when i % 2 = 1 then 'customer' when pg_temp.h(m, 8) % 20 = 0 then 'automation' else 'agent' end as sender_type,
         (i % 2) * ${PHRASES / 2} + pg_temp.h(m, 9) % ${PHRASES / 2} as p1,
         (i % 2) * ${PHRASES / 2} + pg_temp.h(m, 10) % ${PHRASES / 2} as p2
       from d_conversation c
       cross join generate_series(1, ${perConversation}) i
       cross join lateral (select (v - 1) * ${perConversation} + i as m) n
     ) s
     join d_phrase a on a.n = p1 join d_phrase b on b.n = p2`,
    'create index on d_message (v, m)',
    'analyze d_conversation, d_message',
    `create temp table d_contact as
     select k, id, first || ' ' || last as name, created_at,
       case when channel in ('web', 'email') then lower(first || '.' || last) || k || '@example.' || pg_temp.pick(k, 13, array['com', 'org', 'net']) end as email,
       case when channel in ('whatsapp', 'sms') then prefix || lpad(k::text, greatest(6, length(k::text)), '0') end as phone,
       case when channel in ('whatsapp', 'sms') then iso end as country_iso, channel
     from (
       select k, pg_temp.id(created_at, 'k${number}', k) as id, channel, created_at,
         pg_temp.pick(k, 11, ${list(FIRST_NAMES)}) as first, pg_temp.pick(k, 12, ${list(LAST_NAMES)}) as last,
         pg_temp.pick(k, 14, ${list(COUNTRIES.map(([iso]) => iso))}) as iso,
         pg_temp.pick(k, 14, ${list(COUNTRIES.map(([, prefix]) => prefix))}) as prefix
       from d_conversation where v <= ${contacts}
     ) s`,
    `create temp table d_subject as select c.v, s.n, s.body from d_conversation c join d_subjects s
       on s.n = pg_temp.h(c.v, 15) % ${SUBJECTS} where c.channel = 'email'`,
    'create index on d_contact (k)',
    'analyze d_contact, d_subject',
    `insert into contacts (workspace_id, id, name, email, phone, country_iso, search_text, channels, conversation_count,
       open_count, latest_conversation_id, assigned_agent_id, last_activity_at, created_at)
     select '${id}', k.id, k.name, k.email, k.phone, k.country_iso, lower(concat_ws(e'\\x1f', k.name, k.email, k.phone)),
       s.channels, s.count, s.open, s.latest, s.agent, s.at, k.created_at
     from d_contact k join (
       select k, array(select c from unnest(array['web', 'whatsapp', 'facebook', 'telegram', 'sms', 'email']) c
           where c = any(array_agg(channel))) as channels,
         count(*) as count, count(*) filter (where is_open) as open,
         (array_agg(id order by ends_at desc, id desc))[1] as latest,
         (array_agg(agent_id order by ends_at desc, id desc))[1] as agent, max(ends_at) as at
       from d_conversation group by k
     ) s using (k) order by k.k`,
    // The triggers that keep these two in sync are disabled while rows are inserted.
    `insert into contact_search (workspace_id, contact_id, text, phone)
     select workspace_id, id, search_text, phone from contacts where workspace_id = '${id}' order by id`,
    `insert into contact_days (workspace_id, day, change, is_folded)
     select '${id}', day_of(last_activity_at), count(*), true from contacts where workspace_id = '${id}' group by 2`,
    `insert into contact_counts (workspace_id, kind, key, shard, count)
     select '${id}', 'total', '', 0, count(*) from contacts where workspace_id = '${id}'
     union all select '${id}', 'country', country_iso, 0, count(*) from contacts
       where workspace_id = '${id}' and country_iso is not null group by country_iso
     union all select '${id}', 'channel', channel, 0, count(*) from contacts cross join unnest(channels) channel
       where workspace_id = '${id}' group by channel`,
    `insert into identities (workspace_id, kind, value, contact_id, verified, created_at)
     select '${id}', 'email', email, id, channel = 'email', created_at from d_contact where email is not null
     union all select '${id}', 'phone', phone, id, true, created_at from d_contact where phone is not null
     union all select '${id}', 'whatsapp_id', substr(phone, 2), id, true, created_at from d_contact where channel = 'whatsapp'
     union all select '${id}', channel, case when channel = 'sms' then phone else (5000000000 + k)::text end, id, true, created_at
       from d_contact where channel in ('sms', 'telegram', 'facebook')`,
    `insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, subject, status, agent_id,
       assigned_at, last_message_id, last_message_body, last_message_sender_id, last_message_sender_type,
       last_message_status, last_message_at, last_inbound_at, unread_count, created_at, updated_at)
     select '${id}', c.id, c.channel, a.id, k.id, s.body, case when c.is_open then 'open' else 'closed' end, c.agent_id,
       case when c.agent_id is not null then c.created_at end, l.id, l.body, ${senderId('l', 'c', 'k', tokenId)}, l.sender_type,
       ${statusOf('l')}, l.at, (select at from d_message i where i.v = c.v and i.sender_type = 'customer' order by m desc limit 1),
       case when c.is_open and l.sender_type = 'customer' then 1 else 0 end, c.created_at, c.ends_at
     from d_conversation c
     join d_account a using (channel)
     join d_contact k using (k)
     left join d_subject s on s.v = c.v
     cross join lateral (select * from d_message m where m.v = c.v and m.sender_type <> 'system' order by m desc limit 1) l
     order by c.v`,
    `insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status,
       metadata, created_at)
     select '${id}', m.id, c.id, a.id, m.sender_type, ${senderId('m', 'c', 'k', tokenId)}, m.body, ${statusOf('m')},
       case when m.sender_type = 'system' then '{"event": "closed", "by": "system"}'::jsonb end, m.at
     from d_message m join d_conversation c using (v) join d_account a using (channel) join d_contact k using (k)
     order by m.at`,
  ]
}

const senderId = (message: string, conversation: string, contact: string, tokenId: string): string =>
  `case ${message}.sender_type when 'customer' then ${contact}.id when 'system' then 'system'
    else coalesce(case when ${message}.sender_type = 'agent' and ${message}.m % 3 > 0 then ${conversation}.agent_id end, 'api:${tokenId}') end`

const statusOf = (message: string): string =>
  `case when ${message}.sender_type = 'system' then 'sent' when ${message}.sender_type = 'customer' then 'read'
    else pg_temp.pick(${message}.m, 16, array['sent', 'delivered', 'read', 'read']) end`

/** The rare grams of each conversation: those of its phrases, its subject and its contact. */
const indexGramsOf = async (client: pg.Client, id: string): Promise<void> => {
  const { rows } = await client.query<{ k: string; name: string; email: string | null }>(
    'select k, name, email from d_contact',
  )
  await client.query('create temp table d_contact_gram (k bigint, gram text collate "C")')
  for (let from = 0; from < rows.length; from += BULK) {
    const pairs = rows
      .slice(from, from + BULK)
      .flatMap(({ k, name, email }) => bigramsOf(name, email).map((gram) => [k, gram]))
    await client.query('insert into d_contact_gram select * from unnest($1::bigint[], $2::text[])', [
      pairs.map(([k]) => k),
      pairs.map(([, gram]) => gram),
    ])
  }
  await client.query('analyze d_contact_gram')
  await client.query(`
    insert into conversation_grams (workspace_id, gram, conversation_id)
    select '${id}', g.gram, c.id from (
      select m.v, g.gram from d_message m join d_phrase_gram g on g.n = m.p1 where m.sender_type <> 'system'
      union select m.v, g.gram from d_message m join d_phrase_gram g on g.n = m.p2 where m.sender_type <> 'system'
      union select m.v, g.gram from d_message m join d_planted_gram g on position(g.word in m.body) > 0
      union select s.v, g.gram from d_subject s join d_subject_gram g using (n)
      union select c.v, g.gram from d_conversation c join d_contact_gram g using (k)
    ) g join d_conversation c using (v) order by 2, 3`)
}

/** Tables of phrases and of their rare grams. */
const loadPhrases = async (client: pg.Client): Promise<void> => {
  const bodies = [
    ...makePhrases(AGENT_SENTENCES, PHRASES / 2),
    ...makePhrases(CUSTOMER_SENTENCES, PHRASES / 2),
  ]
  const tables = { d_phrase: bodies, d_subjects: makePhrases(SUBJECT_SENTENCES, SUBJECTS) }
  const gramTables = { d_phrase: 'd_phrase_gram', d_subjects: 'd_subject_gram' } as const
  for (const [name, texts] of Object.entries(tables) as [keyof typeof tables, string[]][]) {
    await client.query(`create temp table ${name} (n bigint primary key, body text)`)
    await client.query(
      `insert into ${name} select i - 1, t from unnest($1::text[]) with ordinality u(t, i)`,
      [texts],
    )
    await client.query(`create temp table ${gramTables[name]} (n bigint, gram text collate "C")`)
    const pairs = texts.flatMap((text, n) => bigramsOf(text).map((gram) => [n, gram] as const))
    await client.query(`insert into ${gramTables[name]} select * from unnest($1::bigint[], $2::text[])`, [
      pairs.map(([n]) => n),
      pairs.map(([, gram]) => gram),
    ])
  }
  const planted = PLANTED.map(([text]) => text!.slice(1, -1))
  const pairs = planted.flatMap((text) => bigramsOf(text).map((gram) => [text, gram]))
  await client.query('create temp table d_planted_gram (word text, gram text collate "C")')
  await client.query('insert into d_planted_gram select * from unnest($1::text[], $2::text[])', [
    pairs.map(([text]) => text),
    pairs.map(([, gram]) => gram),
  ])
  await client.query('analyze d_phrase, d_phrase_gram, d_subjects, d_subject_gram, d_planted_gram')
}

const TEMPORARY = [
  'd_agent',
  'd_account',
  'd_conversation',
  'd_message',
  'd_contact',
  'd_subject',
  'd_contact_gram',
]
const FILLED = ['contacts', 'contact_search', 'identities', 'conversations', 'messages', 'conversation_grams']

const hash = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** The same data set gives the same secret, so that a run can reuse an existing one. */
const secretOf = (number: number): string =>
  `foyer_${createHash('sha256').update(`bench workspace ${number}`).digest('base64url')}`

const makeWorkspace = async (
  client: pg.Client,
  number: number,
  sizes: Workspace['sizes'],
  end: string,
): Promise<Workspace> => {
  const id = newId()
  const tokenId = newId()
  await client.query('insert into workspaces (id, name, created_at) values ($1, $2, $3)', [
    id,
    `Bench ${number}`,
    end,
  ])
  await client.query(
    "insert into roles (workspace_id, id, name, is_default, created_at) values ($1, $2, 'Agent', true, $3)",
    [id, newId(), end],
  )
  await client.query(
    `insert into api_tokens (workspace_id, id, name, prefix, hash, created_at) values ($1, $2, 'Bench', $3, $4, $5)`,
    [id, tokenId, secretOf(number).slice(0, 12), hash(secretOf(number)), end],
  )
  for (let agent = 1; agent <= AGENTS; agent++) {
    const account = newId()
    const nickname = `${FIRST_NAMES[agent]} ${number}`
    await client.query(
      'insert into accounts (id, email, nickname, nickname_key, created_at) values ($1, $2, $3, $4, $5)',
      [account, `agent${agent}@workspace${number}.example`, nickname, nickname.toLowerCase(), end],
    )
    await client.query(
      'insert into memberships (workspace_id, account_id, role, created_at) values ($1, $2, $3, $4)',
      [id, account, agent === 1 ? 'admin' : 'agent', end],
    )
  }
  for (const channel of ['web', 'whatsapp', 'facebook', 'telegram', 'sms', 'email'])
    await client.query(
      'insert into channel_accounts (workspace_id, id, channel, name, address, created_at) values ($1, $2, $3, $4, $5, $6)',
      [
        id,
        newId(),
        channel,
        `Bench ${channel}`,
        channel === 'email' ? `support${number}@example.com` : null,
        end,
      ],
    )
  return { id, number, sizes, tokenId }
}

/** Rows are inserted faster without indexes; the indexes are recreated as they were. */
const withoutIndexes = async (client: pg.Client, work: () => Promise<void>): Promise<void> => {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid::regclass::text = any($1)
       and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`,
    [FILLED],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  await work()
  for (const { definition } of rows) await client.query(definition)
}

const findDataSet = async (client: pg.Client, marker: string): Promise<DataSet | undefined> => {
  const { rows } = await client.query<{ id: string; name: string }>(
    `select w.id, obj_description('workspaces'::regclass) as name from workspaces w
     join api_tokens t on t.workspace_id = w.id where t.hash = $1`,
    [hash(secretOf(0))],
  )
  if (rows.length === 0) return undefined
  if (rows[0]!.name !== marker) throw new Error(`the database holds another data set: ${rows[0]!.name}`)
  const open = await client.query<{ id: string }>(
    `select id from conversations where workspace_id = $1 and channel = 'web' and status = 'open'
     order by id desc limit 2000`,
    [rows[0]!.id],
  )
  return { workspaceId: rows[0]!.id, secret: secretOf(0), webConversationIds: open.rows.map(({ id }) => id) }
}

/**
 * Fills a migrated database, or returns what an earlier call filled it with. Needs a superuser, because rows are
 * inserted before the foreign keys and indexes that cover them. All of it is one transaction.
 */
export const makeDataSet = async (
  connectionString: string,
  sizes: Sizes = FULL,
  log: (line: string) => void = () => {},
): Promise<DataSet> => {
  const client = new pg.Client({ connectionString, options: '-c timezone=UTC' })
  await client.connect()
  const marker = `bench data set ${JSON.stringify(sizes)}`
  try {
    const found = await findDataSet(client, marker)
    if (found) return found
    const startedMs = Date.now()
    const end = new Date(startedMs).toISOString()
    await client.query('begin')
    await client.query("set local session_replication_role = 'replica'")
    await client.query("set local maintenance_work_mem = '512MB'")
    await client.query("set local work_mem = '256MB'")
    await client.query(FUNCTIONS)
    await loadPhrases(client)
    await withoutIndexes(client, async () => {
      for (let number = sizes.smallWorkspaces; number >= 0; number--) {
        const { messagesPerConversation } = sizes
        const own = number === 0 ? sizes : { ...SMALL, messagesPerConversation }
        const workspace = await makeWorkspace(client, number, own, end)
        for (const statement of statementsOf(workspace, end)) await client.query(statement)
        await indexGramsOf(client, workspace.id)
        await client.query(`drop table ${TEMPORARY.join(', ')}`)
        if (number % 10 === 0)
          log(`rows of workspace ${number} after ${Math.round((Date.now() - startedMs) / 1000)} s`)
      }
    })
    await client.query(`comment on table workspaces is '${marker}'`)
    await client.query('commit')
    await client.query('vacuum analyze')
    log(`data set made in ${Math.round((Date.now() - startedMs) / 1000)} s`)
    return (await findDataSet(client, marker))!
  } finally {
    await client.end()
  }
}
