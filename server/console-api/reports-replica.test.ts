// With DATABASE_REPLICA_URL, reports are read there; they write nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { atTheEnd } from '../../test/at-the-end.ts'
import { signIn } from '../../test/console.ts'
import { makeDb, makePool } from '../platform/db/pool.ts'
import type { Replica } from '../platform/db/replica.ts'

let found: ReturnType<Replica['use']> = null
const replica: Replica = {
  use: () => found,
  useCurrent: async () => 'unusable' as const,
  giveUp: () => {},
  close: async () => {},
}
const app = await startApp({ deps: { replica } })
const { database, make } = app

test('reports are read from the replica, which only has to read, and nothing else is', async () => {
  const texts: string[] = []
  const pool = makePool({
    connectionString: database.connectionString,
    settings: { default_transaction_read_only: 'on' },
  })
  const db = makeDb(pool, (text) => texts.push(text))
  atTheEnd(() => pool.end())
  const { id: w } = await make.workspace()
  const { id } = await make.agent(w, { nickname: 'Robin', role: 'admin' })
  const robin = await signIn(app, w, id)
  const days = 'from=2026-11-01&to=2026-11-07'
  const reports = [
    `/reports?${days}`,
    `/reports/entries?${days}&figure=inbound`,
    `/reports/table.csv?${days}&table=days`,
  ]
  const read = async (path: string) => {
    const { status, text } = await robin.call('GET', path)
    assert.equal(status, 200, text)
    return text
  }
  const before = await Promise.all(reports.map(read))
  assert.deepEqual(texts, [])
  found = { db, lost: new AbortController().signal }
  for (const [index, path] of reports.entries()) {
    texts.length = 0
    assert.equal(await read(path), before[index])
    assert.ok(texts.length > 0, path)
  }
  texts.length = 0
  await read('/tags')
  assert.deepEqual(texts, [])
})
