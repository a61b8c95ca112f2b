// Keeps the indexes by activity near the size of their contents. A message moves its contact to their newest end; the
// page it leaves still holds a few others, so vacuum never frees it and the index grows with the messages, 23 times
// in a soak test. Rebuilding concurrently packs it again.
import { sql } from 'kysely'
import pg from 'pg'
import { makeConnection } from '../platform/db/connection.ts'
import type { Db } from '../platform/db/pool.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobDeps } from './deps.ts'

const TABLES = ['contacts', 'conversations']
/** An index this many times the size of its entries is rebuilt; small ones are never worth it. */
const SPARSE_FROM = 2.2
const SPARSE_MIN_BYTES = 256 * 1024
/** Header, pointer and padding of an entry, in addition to its columns. */
const ENTRY_BYTES = 20
/** The fill factor of a new index. */
const FILL = 0.9
const REBUILDS_MAX = 20
/** After a rebuild, the next check comes sooner than cron's. */
const AGAIN_MS = 20_000
/** A rebuild that takes longer than this is better done by hand, at a quiet time. */
const REBUILD_TIMEOUT_MS = 10 * 60_000
/** An index that could not be rebuilt is skipped for this long. */
const HELD_MS = 3_600_000
/** Only one process rebuilds at a time. */
const LOCK = 7_030_018

type SparseIndex = { name: string; bytes: number; freshBytes: number }

/** The sparsest indexes first. */
export const listSparseIndexes = async (db: Db): Promise<SparseIndex[]> => {
  const { rows } = await sql<SparseIndex>`
    select * from (
      select c.relname as name, pg_relation_size(c.oid)::float8 as bytes,
        (c.reltuples * (${ENTRY_BYTES}::integer + (
          select coalesce(sum(s.avg_width), 0) from pg_attribute a
          join pg_stats s on s.schemaname = n.nspname and s.tablename = t.relname and s.attname = a.attname
          where a.attrelid = t.oid and a.attnum = any(i.indkey))) / ${FILL}::float8)::float8 as "freshBytes"
      from pg_index i
      join pg_class c on c.oid = i.indexrelid
      join pg_class t on t.oid = i.indrelid
      join pg_namespace n on n.oid = c.relnamespace
      join pg_am m on m.oid = c.relam
      where n.nspname = current_schema() and t.relname = any(${TABLES}::text[]) and m.amname = 'btree'
        and i.indisvalid and i.indexprs is null and c.reltuples >= 0
    ) x
    where bytes >= ${SPARSE_MIN_BYTES}::float8 and bytes > "freshBytes" * ${SPARSE_FROM}::float8
    order by bytes / greatest("freshBytes", 8192) desc
    limit ${REBUILDS_MAX}`.execute(db)
  return rows
}

/** Left behind by an interrupted rebuild. */
const listUnfinished = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_index i
    join pg_class c on c.oid = i.indexrelid
    join pg_class t on t.oid = i.indrelid
    where not i.indisvalid and c.relname ~ '_cc(new|old)[0-9]*$' and t.relname = any(${TABLES}::text[])
      and c.relnamespace = current_schema()::regnamespace`.execute(db)
  return rows.map(({ name }) => name)
}

/** Indexes that could not be rebuilt, and until when they are skipped. No more than there are indexes. */
const heldUntilMs = new Map<string, number>()

/** For tests: pretends that an hour has passed. */
export const releaseHeld = (): void => heldUntilMs.clear()

type RebuildDeps = Pick<JobDeps, 'db' | 'log' | 'now' | 'isStopping'> & {
  connectionString: string
  rebuildTimeoutMs?: number
}

export const rebuildIndexes = async ({
  db,
  log,
  now,
  isStopping,
  connectionString,
  rebuildTimeoutMs = REBUILD_TIMEOUT_MS,
}: RebuildDeps): Promise<void> => {
  const unfinished = await listUnfinished(db)
  const due = (await listSparseIndexes(db)).filter(
    ({ name }) => (heldUntilMs.get(name) ?? 0) <= performance.now(),
  )
  if (unfinished.length + due.length === 0) return
  // A large index takes longer than any statement of a request may.
  const client = makeConnection({
    connectionString,
    applicationName: 'foyer (rebuilds indexes)',
    statementTimeoutMs: REBUILD_TIMEOUT_MS,
  })
  client.on('error', () => {})
  await client.connect()
  let rebuilt = 0
  try {
    // Neither statement may run in a transaction, so the lock is the session's.
    const { rows } = await client.query<{ isMine: boolean }>('select pg_try_advisory_lock($1) as "isMine"', [
      LOCK,
    ])
    if (!rows[0]?.isMine) return
    for (const name of unfinished)
      await client.query(`drop index concurrently if exists ${pg.escapeIdentifier(name)}`)
    await client.query(`set statement_timeout = ${rebuildTimeoutMs}`)
    for (const { name } of due) {
      if (isStopping()) break
      try {
        await client.query(`reindex index concurrently ${pg.escapeIdentifier(name)}`)
        heldUntilMs.delete(name)
        rebuilt++
      } catch (error) {
        // A long transaction or a migration is in the way, or time is up. The next run removes what is left behind.
        heldUntilMs.set(name, performance.now() + HELD_MS)
        log.warn({ err: error, index: name }, 'an index could not be rebuilt; retrying in an hour')
      }
    }
  } finally {
    await client.end().catch(() => {})
  }
  if (rebuilt === 0) return
  log.debug({ rebuilt }, 'indexes were rebuilt')
  await addJob({ db }, 'rebuild_indexes', {}, { runAt: new Date(now().getTime() + AGAIN_MS) })
}
