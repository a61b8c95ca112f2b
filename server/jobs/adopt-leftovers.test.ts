import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { connect, deliver, messageOf, webhook } from '../inbound/whatsapp/testing/provider.ts'
import { adoptLeftovers } from './adopt-leftovers.ts'
import { DELIVERY_TIMING } from './delivery-timing.ts'
import { retryLeftovers } from './retry-leftovers.ts'

const app = await startApp()
const { db, make } = app
const deps = { ...app.deps, log: app.app.log, timing: DELIVERY_TIMING, isStopping: () => false }

const OTHER = { phoneNumberId: '777', phoneNumber: '+15550783882' }

const forOther = (body: string) => {
  const change = messageOf({ waId: '16505551234', name: 'Ines' }, body)
  change.value.metadata = { display_phone_number: '15550783882', phone_number_id: '777' }
  return webhook(change)
}

const stored = (workspaceId: string) =>
  db
    .selectFrom('messages')
    .select(['body', 'channel_account_id'])
    .where('workspace_id', '=', workspaceId)
    .where('sender_type', '=', 'customer')
    .orderBy('id')
    .execute()

test('what arrived for a number before it was connected is in its conversations, in order, once it is connected', async () => {
  const { id: workspaceId } = await make.workspace()
  const first = await connect(app, workspaceId)
  for (const body of ['One', 'Two', 'Three'])
    assert.equal((await deliver(app, first, forOther(body))).status, 200)
  assert.deepEqual(await stored(workspaceId), [])

  const foreign = await connect(app, workspaceId, {
    ...OTHER,
    phoneNumberId: '778',
    appSecret: 'of another app',
  })
  await adoptLeftovers(deps as never, { workspaceId, channelAccountId: foreign })
  const other = await connect(app, workspaceId, { ...OTHER, phoneNumber: '+15550783883' })
  const { rows } = await app.database.pool.query(
    "select from graphile_worker.jobs where key = $1 and task_identifier = 'adopt_leftovers'",
    [`adopt_leftovers:${other}`],
  )
  assert.equal(rows.length, 1)
  await adoptLeftovers(deps as never, { workspaceId, channelAccountId: other })
  await retryLeftovers(deps as never)
  assert.deepEqual(
    await stored(workspaceId),
    ['One', 'Two', 'Three'].map((body) => ({ body, channel_account_id: other })),
  )
  const left = await db
    .selectFrom('webhook_leftovers')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .execute()
  assert.deepEqual(left, [])
})

test('what arrived for a number stays in place if a number of another app gets the same name', async () => {
  const { id: workspaceId } = await make.workspace()
  const first = await connect(app, workspaceId)
  await deliver(app, first, forOther('One'))
  const foreign = await connect(app, workspaceId, { ...OTHER, appSecret: 'of another app' })
  await adoptLeftovers(deps as never, { workspaceId, channelAccountId: foreign })
  await retryLeftovers(deps as never)
  assert.deepEqual(await stored(workspaceId), [])
})
