// Pages far into the directory are found by the number of contacts of each day.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { foldContactDays } from './contact-days.ts'

const { call, db, make } = await startApp()
const workspace = await make.workspace()
const ACTIVE = 4_000
const NEVER = 1_000
const PAGE = 100

// Inserted straight into the table, because only their number and order matter: a few each day, and many on one.
await sql`
  insert into contacts (workspace_id, id, name, last_activity_at, search_text, created_at)
  select ${workspace.id}, 'c' || lpad(n::text, 24, '0'), 'Person ' || n,
    case when n <= ${ACTIVE} then case when n % 2 = 0 then timestamptz '2026-03-01 23:59:59Z'
      else timestamptz '2026-01-01Z' + n % 80 * interval '1 day 7 minutes' end end, 'person ' || n, '2026-01-01Z'
  from generate_series(1, ${ACTIVE + NEVER}::integer) n`.execute(db)
await sql`insert into contact_counts (workspace_id, kind, key, shard, count)
  values (${workspace.id}, 'total', '', 0, ${ACTIVE + NEVER})`.execute(db)

const inOrder = async (): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select id from contacts where workspace_id = ${workspace.id}
    order by last_activity_at desc nulls last, id desc`.execute(db)
  return rows.map(({ id }) => id)
}

const checkPages = async (): Promise<void> => {
  const ids = await inOrder()
  const pages = Math.ceil(ids.length / PAGE)
  for (let page = 20; page <= pages + 1; page++) {
    const { body } = await call(workspace.token, 'GET', `/contacts?page=${page}&pageSize=${PAGE}`)
    const from = (Math.min(page, pages) - 1) * PAGE
    assert.deepEqual(
      body.contacts.map(({ id }: { id: string }) => id),
      ids.slice(from, from + PAGE),
      `page ${page}`,
    )
  }
}

const rowsOfDays = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from contact_days where workspace_id = ${workspace.id}`.execute(db)
  return rows[0]!.count
}

test('every page has exactly the contacts of its place, also while days are folded', async () => {
  await checkPages()
  await Promise.all([foldContactDays(db), foldContactDays(db)])
  await checkPages()
  // Contacts write again, some twice on a day, some for the first time; one after the other and many at once.
  for (const [from, to, at] of [
    [1, 700, '2026-03-20T08:00:00Z'],
    [500, 900, '2026-03-20T09:00:00Z'],
    [4_400, 4_800, '2026-03-21T09:00:00Z'],
    [4_700, 4_750, null],
  ] as const)
    await sql`update contacts set last_activity_at = ${at}::timestamptz where workspace_id = ${workspace.id}
      and id between ${`c${String(from).padStart(24, '0')}`} and ${`c${String(to).padStart(24, '0')}`}`.execute(
      db,
    )
  await sql`delete from contacts where workspace_id = ${workspace.id} and id like '%5'`.execute(db)
  await sql`update contact_counts set count = (select count(*) from contacts where workspace_id = ${workspace.id})
    where workspace_id = ${workspace.id}`.execute(db)
  const before = await rowsOfDays()
  await checkPages()
  await Promise.all([foldContactDays(db), foldContactDays(db), foldContactDays(db)])
  await checkPages()
  await foldContactDays(db)
  assert.ok((await rowsOfDays()) < before / 2)
})
