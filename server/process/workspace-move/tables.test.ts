import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDatabase } from '../../../test/database.ts'
import { openCopyConnection } from '../../platform/db/copy/sessions.ts'
import { listMovedTables, listTables, NOT_COPIED, OF_NO_WORKSPACE } from './tables.ts'

const { connectionString, drop } = await makeDatabase()
const client = await openCopyConnection(connectionString, 'foyer test')

test('a move copies every table of a workspace, or says why not', async (t) => {
  t.after(async () => {
    await client.end()
    await drop()
  })
  const { owned, others } = await listTables(client)
  const moved = (await listMovedTables(client)).map(({ name }) => name)
  assert.deepEqual([...moved.slice(1), ...Object.keys(NOT_COPIED)].sort(), owned)
  // A table without workspace_id has to be named with what happens to it.
  assert.deepEqual(Object.keys(OF_NO_WORKSPACE).sort(), others)
  assert.equal(moved[0], 'workspaces')

  // A new table is copied without being named, after those that it refers to.
  await client.query(
    `create table aaa (workspace_id id, id id, message_id id, primary key (workspace_id, id),
       foreign key (workspace_id, message_id) references messages (workspace_id, id))`,
  )
  const now = (await listMovedTables(client)).map(({ name }) => name)
  assert.ok(now.indexOf('aaa') > now.indexOf('messages'))
})
