// A broadcast ends, whatever happens between the outcome of a send and the provider's report about it.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { attemptOf } from '../../../test/attempts.ts'
import { until } from '../../../test/until.ts'
import { connect, startGraph } from '../../inbound/whatsapp/testing/provider.ts'
import { DELIVERY_TIMING } from '../../jobs/delivery-timing.ts'
import { sweepDeliveries } from '../../jobs/sweep-deliveries.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { claimAgain } from '../deliveries/delivery-queries.ts'
import { applyStatuses } from '../messages/apply-statuses.ts'
import { recordOutcomes } from '../messages/record-outcomes.ts'
import { findPart } from './queries.ts'
import { takeTurns } from './take-turns.ts'

const app = await startApp({ deps: { settleMs: 50 } })
const { call, ctxOf, database, db, make } = app
const graph = await startGraph()
after(graph.stop)

let phones = 0

/** A broadcast whose messages are stored and claimed, as a worker leaves them before calling the provider. */
const begun = async (count: number) => {
  const workspace = await make.workspace()
  const number = await connect(app, workspace.id, { apiUrl: graph.url })
  await make.template(workspace.id, '102290129340398', { name: 'sale' })
  const contactIds: string[] = []
  for (let i = 0; i < count; i++) {
    const contact = await make.contact(workspace.id, { phone: `+35192${1_000_000 + phones++}`, email: null })
    await make.conversation(workspace.id, {
      contactId: contact.id,
      channel: 'whatsapp',
      channelAccountId: number,
    })
    contactIds.push(contact.id)
  }
  const { body } = await call(workspace.token, 'POST', '/broadcasts', {
    templateName: 'sale',
    audience: { type: 'contacts', contactIds },
  })
  const broadcastId: string = body.broadcast.id
  const ctx = ctxOf(workspace.id)
  const part = await findPart(ctx, { broadcastId, channelAccountId: number })
  const { ready } = await takeTurns(ctx, part!, { after: '', limit: 100 })
  assert.equal(ready.length, count)
  return {
    ctx,
    number,
    broadcastId,
    claims: ready.map(({ claim }) => claim),
    latest: async () => (await call(workspace.token, 'GET', `/broadcasts/${broadcastId}`)).body.broadcast,
    outcomes: async () =>
      (
        await db
          .selectFrom('broadcast_recipients')
          .select('outcome')
          .where('broadcast_id', '=', broadcastId)
          .execute()
      ).map(({ outcome }) => outcome),
  }
}

const unconfirmed = { is: 'unconfirmed', code: 'TIMEOUT', message: 'No answer.' } as const

const waitsForLock = async (): Promise<boolean> => {
  const { rows } = await database.pool.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return rows.length > 0
}

const sweep = () =>
  sweepDeliveries(
    { ...app.deps, log: app.app.log, timing: DELIVERY_TIMING, isStopping: () => false } as never,
    {},
  )

test('a status that settles a recipient while its send is recorded as unconfirmed counts', async () => {
  const { ctx, number, claims, latest, outcomes } = await begun(1)
  const [claim] = claims
  let writing: Promise<void> | undefined
  await inTransaction(ctx, async (inner) => {
    await applyStatuses(inner, [
      {
        channelAccountId: number,
        externalId: 'wamid.late',
        attemptId: await attemptOf(db, claim!.messageId),
        status: 'delivered',
        failure: null,
      },
    ])
    // This transaction has changed the recipient's row, so the other one has to wait for it.
    writing = recordOutcomes(ctx, [{ claim: claim!, outcome: unconfirmed }])
    await until(waitsForLock, 'the other transaction to wait')
  })
  await writing
  assert.deepEqual(await outcomes(), ['sent'])
  const { status, sentCount } = await latest()
  assert.deepEqual([status, sentCount], ['completed', 1])
})

test('the sweep ends a broadcast that an older version left waiting for reported messages', async () => {
  const { ctx, claims, latest, outcomes, broadcastId } = await begun(3)
  await recordOutcomes(
    ctx,
    claims.map((claim) => ({ claim, outcome: unconfirmed })),
  )
  // The stale state: the message is delivered, but its delivery and its recipient still wait.
  await db
    .updateTable('messages')
    .set({ status: 'delivered' })
    .where('workspace_id', '=', ctx.workspaceId)
    .where(
      'id',
      'in',
      claims.map(({ messageId }) => messageId),
    )
    .execute()
  // And one whose delivery is settled as well.
  await db
    .updateTable('deliveries')
    .set({ state: 'accepted' })
    .where('message_id', '=', claims[0]!.messageId)
    .execute()
  assert.deepEqual(await outcomes(), ['unconfirmed', 'unconfirmed', 'unconfirmed'])
  await sweep()
  assert.deepEqual(await outcomes(), ['sent', 'sent', 'sent'])
  const { status, sentCount } = await latest()
  assert.deepEqual([broadcastId.length, status, sentCount], [25, 'completed', 3])
})

test('a broadcast ends once all its recipients have an outcome, even if its counts say otherwise', async () => {
  const { broadcastId, latest } = await begun(2)
  await db
    .updateTable('broadcast_recipients')
    .set({ outcome: 'sent' })
    .where('broadcast_id', '=', broadcastId)
    .execute()
  assert.equal((await latest()).status, 'sending')
  await sweep()
  const { status, sentCount, totalRecipients } = await latest()
  assert.deepEqual([status, sentCount, totalRecipients], ['completed', 2, 2])
})

test('a message that the provider accepted late is not sent again, although it was requeued and tried since', async () => {
  const { ctx, claims, latest, outcomes } = await begun(2)
  const postponed = { is: 'postponed', until: ctx.now(), code: 'TIMEOUT', message: 'No answer.' } as const
  const ids = claims.map(({ messageId }) => messageId)
  await recordOutcomes(
    ctx,
    claims.map((claim) => ({ claim, outcome: postponed })),
  )
  const retried = await claimAgain(ctx, ids)
  await recordOutcomes(
    ctx,
    retried.map((claim) => ({ claim, outcome: postponed })),
  )
  await recordOutcomes(
    ctx,
    claims.map((claim) => ({ claim, outcome: { is: 'accepted', externalId: `wamid.${claim.id}` } })),
  )
  assert.deepEqual(await claimAgain(ctx, ids), [])
  assert.deepEqual(await outcomes(), ['sent', 'sent'])
  const { status, sentCount } = await latest()
  assert.deepEqual([retried.length, status, sentCount], [2, 'completed', 2])
})
