import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import {
  accept,
  connect,
  deliver,
  startGraph,
  statusOf,
  webhook,
} from '../inbound/whatsapp/testing/provider.ts'
import { DELIVERY_TIMING } from './delivery-timing.ts'
import { sweepDeliveries } from './sweep-deliveries.ts'
import { kill, startKillable } from './testing/killable.ts'

const app = await startApp()
const { call, database, db, deps, make, seal } = app
const graph = await startGraph()
after(graph.stop)
graph.answer = (asked, response) => setTimeout(() => accept(graph, asked, response), 20)

const timing = { sendTimeoutMs: 1_000, claimMarginMs: 500, backoffMinMs: 50, overdueAfterMs: 1_000 }
const PEOPLE = 1_500

/** People with a WhatsApp conversation, inserted in SQL: a thousand of them one by one would take half a minute. */
const makePeople = async (workspaceId: string, channelAccountId: string): Promise<void> => {
  await sql`
    with person as (
      insert into contacts (workspace_id, id, name, phone, channels, search_text, created_at)
      select ${workspaceId}, 'cperson' || lpad(n::text, 18, '0'), 'Person ' || n, '+3519' || lpad(n::text, 8, '0'),
        '{whatsapp}', 'person ' || n, now()
      from generate_series(1, ${PEOPLE}::integer) n
      returning id
    )
    insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, created_at, updated_at)
    select ${workspaceId}, replace(id, 'cperson', 'cthread'), 'whatsapp', ${channelAccountId}, id, now(), now()
    from person`.execute(db)
}

test('with workers killed during a broadcast, and two at once, everyone gets it exactly once', async () => {
  const workspace = await make.workspace()
  const number = await connect(app, workspace.id, { apiUrl: graph.url })
  await db
    .updateTable('channel_accounts')
    .set({ settings: sql`settings || '{"messagesPerSecond": 100000}'` as never })
    .where('id', '=', number)
    .execute()
  await make.template(workspace.id, '102290129340398', { name: 'sale' })
  await makePeople(workspace.id, number)
  const { body } = await call(workspace.token, 'POST', '/broadcasts', {
    templateName: 'sale',
    audience: { type: 'filter', filter: { channel: 'whatsapp' } },
  })
  assert.equal(body.broadcast.totalRecipients, PEOPLE, JSON.stringify(body))
  const arrivals = () =>
    graph.sent().map(({ to, biz_opaque_callback_data }) => ({ to, id: biz_opaque_callback_data }))
  const takenAtLeast = (count: number) => until(() => arrivals().length >= count, `${count} sends`)

  const first = await startKillable(database.connectionString, timing)
  await takenAtLeast(200)
  await kill(first)
  const [second, third] = await Promise.all([
    startKillable(database.connectionString, timing),
    startKillable(database.connectionString, timing),
  ])
  await takenAtLeast(700)
  await kill(second!)
  const openCount = async () => {
    const { count } = await db
      .selectFrom('broadcast_recipients')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('outcome', 'in', ['pending', 'sending'])
      .executeTakeFirstOrThrow()
    return count
  }
  // Parts that only the killed worker was processing are found by the sweep, which may be a minute away.
  await until(async () => (await openCount()) === 0, 'nobody to wait', 100_000)
  await kill(third!)

  const arrived = arrivals()
  assert.equal(new Set(arrived.map(({ to }) => to)).size, arrived.length, 'somebody was sent to twice')
  const attemptsThatEnded = (outcome: 'unconfirmed' | 'sent') =>
    db
      .selectFrom('broadcast_recipients')
      .innerJoin('deliveries', 'deliveries.message_id', 'broadcast_recipients.message_id')
      .select('deliveries.id')
      .where('outcome', '=', outcome)
      .execute()
  const unconfirmed = await attemptsThatEnded('unconfirmed')
  const sent = await attemptsThatEnded('sent')
  const known = new Set(arrived.map(({ id }) => id))
  assert.ok(sent.every(({ id }) => known.has(id)))
  assert.equal(sent.length + unconfirmed.length, PEOPLE)
  // No more than what was in flight, or not recorded yet, when a worker died.
  assert.ok(unconfirmed.length > 0 && unconfirmed.length <= 1_000, `${unconfirmed.length} unconfirmed`)
  assert.equal(
    (await call(workspace.token, 'GET', `/broadcasts/${body.broadcast.id}`)).body.broadcast.status,
    'sending',
  )

  // Reports settle those that arrived; the others fail without one.
  const lost = unconfirmed.filter(({ id }) => known.has(id))
  const reports = lost.map(({ id }, index) =>
    statusOf(`wamid.lost.${index}`, 'sent', { biz_opaque_callback_data: id }),
  )
  await deliver(app, number, webhook(...reports))
  await sweepDeliveries(
    {
      ...{
        db,
        searchDb: deps.searchDb,
        channels: deps.channels,
        stream: deps.stream,
        seal,
        log: app.app.log,
      },
      ...{ files: deps.files, publicUrl: deps.publicUrl, timing: DELIVERY_TIMING, isStopping: () => false },
      now: () => new Date(Date.now() + DELIVERY_TIMING.unconfirmedAfterMs + 60_000),
    },
    {},
  )
  const { broadcast } = (await call(workspace.token, 'GET', `/broadcasts/${body.broadcast.id}`)).body
  assert.equal(broadcast.status, 'completed')
  assert.equal(broadcast.sentCount, arrived.length)
  assert.equal(broadcast.sentCount + broadcast.failedCount, PEOPLE)
})
