import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeDatabase } from '../../../test/database.ts'
import { makePool } from './pool.ts'

const { connectionString, pool: other, drop } = await makeDatabase()
after(drop)

test('a pool that has ended has no connection left', async () => {
  const applicationName = 'foyer (ends)'
  const count = async () =>
    (
      await other.query<{ count: number }>(
        'select count(*)::int as count from pg_stat_activity where application_name = $1',
        [applicationName],
      )
    ).rows[0]!.count
  const pool = makePool({ connectionString, applicationName })
  await Promise.all(Array.from({ length: 10 }, () => pool.query('select pg_sleep(0.05)')))
  assert.ok((await count()) > 1)
  await pool.end()
  assert.equal(await count(), 0)
})
