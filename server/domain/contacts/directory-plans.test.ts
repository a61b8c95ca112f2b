// Tests how the directory is read, not what it returns: every kind of query uses its own index.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'

const { call, database, db, make } = await startApp()
const workspace = await make.workspace()
const agent = await make.agent(workspace.id)
const CONTACTS = 3000

// Inserted straight into the table, because only their number matters.
await sql`
  insert into contacts (workspace_id, id, name, country_iso, channels, open_count, assigned_agent_id,
    last_activity_at, search_text, created_at)
  select ${workspace.id}, 'c' || lpad(n::text, 24, '0'), 'Person ' || n, (array['DE', 'US', 'FR'])[n % 3 + 1],
    array[(array['web', 'whatsapp', 'email'])[n % 3 + 1]], n % 2, case when n % 5 = 0 then ${agent.id} end,
    timestamptz '2026-01-01' + n * interval '1 minute', 'person ' || n, '2026-01-01'
  from generate_series(1, ${CONTACTS}::integer) n`.execute(db)
await sql`insert into contact_counts (workspace_id, kind, key, shard, count)
  values (${workspace.id}, 'total', '', 0, ${CONTACTS}), (${workspace.id}, 'channel', 'web', 0, ${CONTACTS / 3}),
    (${workspace.id}, 'country', 'DE', 0, ${CONTACTS / 3})`.execute(db)
await sql`analyze contacts, contact_search`.execute(db)

/** The generic plans (made without the parameters) of the statements that a call runs. */
const plansOf = async (query: string): Promise<string> => {
  const before = database.statements.length
  const { status, text } = await call(workspace.token, 'GET', `/contacts?${query}`)
  assert.equal(status, 200, text)
  const texts = database.statements.slice(before)
  const client = await database.pool.connect()
  try {
    // Two thousand rows are faster to read from the table than through an index; two hundred thousand are not.
    await client.query('begin; set local enable_seqscan = off')
    const plans: string[] = []
    for (const text of texts.filter((text) => text.includes('contact'))) {
      const { rows } = await client.query(`explain (generic_plan) ${text}`)
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    }
    await client.query('rollback')
    return plans.join('\n\n')
  } finally {
    client.release()
  }
}

for (const [query, index] of [
  ['', 'Index Only Scan using contacts_activity'],
  ['page=76', 'Index Only Scan using contacts_activity'],
  ['page=77', 'Index Only Scan Backward using contacts_activity'],
  ['page=150', 'Index Only Scan using contacts_activity'],
  ['country=DE', 'contacts_country'],
  ['channel=web', 'contacts_web'],
  ['assignment=assigned', 'contacts_assigned'],
  ['assignment=unassigned', 'contacts_unassigned'],
  ['hasOpen=true', 'contacts_open'],
  // In a workspace this small, the primary key may replace the trigrams.
  ['search=person', 'contact_search_(trigrams|pkey)'],
  ['search=77', 'contact_search_short'],
  ['search=p', 'contact_search_short'],
  ['search=---', 'contact_search_short'],
  ['search=10+1', 'contact_search_short'],
  ['search=person+12&country=DE', 'contact_search_(trigrams|pkey)'],
  ['email=person@example.com', 'identities_pkey'],
  ['phone=%2B4915112345678', 'identities_pkey'],
  ['email=person@example.com&sort=created', 'identities_pkey'],
  ['phone=%2B551187654321&sort=created', 'identities_pkey'],
  ['search=0151+12345678', 'contact_search_(trigrams|pkey)'],
  ['sort=created', 'Index Only Scan Backward using contacts_pkey'],
  ['sort=created&country=DE', 'contacts_country'],
  ['sort=created&search=person', 'contact_search_(trigrams|pkey)'],
] as const)
  test(`GET /contacts?${query} reads no table whole`, async () => {
    const plans = await plansOf(query)
    assert.match(plans, new RegExp(index), plans)
    assert.doesNotMatch(plans, /Seq Scan on (contacts|contact_search)\b/, plans)
  })
