// Applies migrations/*.sql in order, each in a transaction of its own, forward only. Several processes may call it at
// once: the first migrates, the others wait.
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url))
const LOCK = 7_030_001

/** Brings the database up to date and returns the names of what was applied. */
export const migrate = async (connectionString: string): Promise<string[]> => {
  const client = new pg.Client({ connectionString, application_name: 'foyer migrate' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await client.query(
      'create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now())',
    )
    const { rows } = await client.query<{ name: string }>('select name from schema_migrations')
    const applied = new Set(rows.map((row) => row.name))
    const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort()
    const pending = files.filter((name) => !applied.has(name))
    for (const name of pending) {
      const text = await readFile(`${MIGRATIONS}${name}`, 'utf8')
      await client.query('begin')
      await client.query(text)
      await client.query('insert into schema_migrations (name) values ($1)', [name])
      await client.query('commit')
    }
    return pending
  } finally {
    await client.end()
  }
}
