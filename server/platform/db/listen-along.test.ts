import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeDatabase } from '../../../test/database.ts'
import { until } from '../../../test/until.ts'
import { makeConnection } from './connection.ts'
import { listenAlong } from './listen-along.ts'

const database = await makeDatabase()
const { connectionString } = database
const admin = makeConnection({ connectionString, applicationName: 'test' })
await admin.connect()
after(async () => {
  await admin.end()
  await database.drop()
})

const heard: string[] = []
let times = 0
const listenTo = (channel: string) =>
  listenAlong({
    connectionString,
    channel,
    onNotified: (payload) => heard.push(`${channel} ${payload}`),
    onListening: () => {
      times++
    },
    log: { info: () => {}, warn: () => {} },
  })

/** The connections that listen. */
const pids = async (): Promise<number[]> =>
  (
    await admin.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'foyer (work)'`,
    )
  ).rows.map(({ pid }) => pid)

test('all listeners of a process share a connection, each hears its channel, and a lost one comes back for all', async () => {
  const [one, two] = await Promise.all([listenTo('channel_one'), listenTo('channel_two')])
  const three = await listenTo('channel_three')
  const before = await pids()
  assert.equal(before.length, 1)
  const sayAll = async (what: string) => {
    for (const channel of ['one', 'two', 'three'])
      await admin.query(`select pg_notify('channel_${channel}', '${what}')`)
  }
  await sayAll('a')
  await until(() => heard.length === 3, 'three notifications')
  assert.deepEqual(heard.splice(0), ['channel_one a', 'channel_two a', 'channel_three a'])

  await two.close()
  times = 0
  await admin.query('select pg_terminate_backend($1)', [before[0]])
  await until(() => times === 2, 'the connection to be back')
  const again = await pids()
  assert.equal(again.length, 1)
  assert.notDeepEqual(again, before)
  await sayAll('b')
  await until(() => heard.length === 2, 'two notifications')
  assert.deepEqual(heard.splice(0), ['channel_one b', 'channel_three b'])

  await Promise.all([one.close(), three.close()])
  await until(async () => (await pids()).length === 0, 'the connection to end')
})
