// A PostgreSQL for the tests: one server per run (test/run.ts starts it), one database per test file, cloned from a
// template that was migrated once.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { makeDb, makePool, makeSearchPool } from '../server/platform/db/pool.ts'
import { within } from '../server/platform/within.ts'

const serverUrl = (): string => {
  const url = process.env.TEST_SERVER_URL
  if (!url)
    throw new Error('TEST_SERVER_URL is not set: run the tests with "npm test", or "node test/run.ts <file>"')
  return url
}

/** The server's address with another database name in it. */
export const urlOf = (database: string): string => {
  const url = new URL(serverUrl())
  url.pathname = `/${database}`
  return url.toString()
}

const administer = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: urlOf('postgres') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A failed test may hold a connection that a pool would wait for indefinitely. */
const CLOSE_MAX_MS = 10_000

/** A fresh, migrated database; `drop` closes its connections and removes it. */
export const makeDatabase = async () => {
  const name = `foyer_test_${randomBytes(6).toString('hex')}`
  // Copying the template's files takes a fifth of writing their pages to the log.
  await administer(`create database ${name} template ${process.env.TEST_TEMPLATE} strategy file_copy`)
  const connectionString = urlOf(name)
  const pool = makePool({ connectionString, max: 8 })
  const statements: string[] = []
  const db = makeDb(pool, (text) => statements.push(text))
  const searchDb = makeDb(makeSearchPool({ connectionString }), (text) => statements.push(text))
  return {
    connectionString,
    pool,
    db,
    searchDb,
    /** The texts of all statements run so far, for tests that count them. */
    statements,
    drop: async () => {
      const isClosed = await within(Promise.all([searchDb.destroy(), db.destroy()]), CLOSE_MAX_MS)
      await administer(`drop database ${name} with (force)`)
      if (!isClosed) throw new Error(`a connection to ${name} was never released`)
    },
  }
}
