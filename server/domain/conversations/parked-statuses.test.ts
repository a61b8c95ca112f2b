// A status may arrive just as the response to the send is recorded. Whichever comes first, the status counts: both
// orders are tested, each in the middle of the other's transaction.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { until } from '../../../test/until.ts'
import { connect } from '../../inbound/whatsapp/testing/provider.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { claimHead } from '../deliveries/delivery-queries.ts'
import type { Alteration } from '../messages/alter-message.ts'
import { applyStatuses, type ReportedStatus } from '../messages/apply-statuses.ts'
import { alterOrPark } from '../messages/parked-alterations.ts'
import { recordOutcomes } from '../messages/record-outcomes.ts'
import { sendMessage } from '../messages/send-message.ts'

const app = await startApp()
const { ctxOf, database, db, make } = app

/** A message that is being sent, its provider's response, and the provider's report without our id of the attempt. */
const claimed = async () => {
  const workspace = await make.workspace()
  const channelAccountId = await connect(app, workspace.id)
  const contact = await make.contact(workspace.id, { phone: '+351912345678', email: null })
  const conversation = await make.conversation(workspace.id, {
    contactId: contact.id,
    channel: 'whatsapp',
    channelAccountId,
  })
  await db
    .updateTable('conversations')
    .set({ last_inbound_at: new Date() })
    .where('id', '=', conversation.id)
    .execute()
  const ctx = ctxOf(workspace.id)
  const { id } = await sendMessage(ctx, { conversationId: conversation.id, body: 'Hello' })
  const head = await claimHead(ctx, conversation.id)
  assert.ok(head?.is === 'claimed')
  const report: ReportedStatus = {
    channelAccountId,
    externalId: 'wamid.both',
    attemptId: null,
    status: 'delivered',
    failure: null,
  }
  const accepted = { claim: head.claim, outcome: { is: 'accepted', externalId: 'wamid.both' } } as const
  return {
    ctx,
    channelAccountId,
    reportedByOurs: () => applyStatuses(ctx, [{ ...report, attemptId: head.claim.id }]),
    metadata: async () =>
      (await db.selectFrom('messages').select('metadata').where('id', '=', id).executeTakeFirstOrThrow())
        .metadata,
    answered: () => recordOutcomes(ctx, [accepted]),
    answeredIn: (inner: typeof ctx) => recordOutcomes(inner, [accepted]),
    reported: () => applyStatuses(ctx, [report]),
    reportedIn: (inner: typeof ctx) => applyStatuses(inner, [report]),
    status: async () =>
      (await db.selectFrom('messages').select('status').where('id', '=', id).executeTakeFirstOrThrow())
        .status,
    parked: () =>
      db.selectFrom('parked_statuses').selectAll().where('workspace_id', '=', workspace.id).execute(),
  }
}

/** Until the work waits for a lock, or finishes without waiting. */
const waitsOrEnds = async (work: Promise<void>): Promise<void> => {
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  await until(async () => {
    const { rows } = await database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return isDone || rows.length > 0
  }, 'the other transaction to wait')
}

test('a status that arrives while the response to the send is recorded is applied', async () => {
  const { ctx, answeredIn, reported, status, parked } = await claimed()
  let reporting: Promise<void> | undefined
  await inTransaction(ctx, async (inner) => {
    await answeredIn(inner)
    reporting = reported()
    await waitsOrEnds(reporting)
  })
  await reporting
  assert.deepEqual([await status(), await parked()], ['delivered', []])
})

test('a response recorded while a status for it is being parked applies the status', async () => {
  const { ctx, answered, reportedIn, status, parked } = await claimed()
  let answering: Promise<void> | undefined
  await inTransaction(ctx, async (inner) => {
    await reportedIn(inner)
    answering = answered()
    await waitsOrEnds(answering)
  })
  await answering
  assert.deepEqual([await status(), await parked()], ['delivered', []])
})

const reaction = (channelAccountId: string): Alteration => ({
  channelAccountId,
  targetId: 'wamid.both',
  by: 'customer',
  at: new Date(),
  is: 'reaction',
  emoji: '👍',
})

test('a reaction that arrives before the response to the send is applied once the response, or a status, has the id', async () => {
  for (const way of ['answered', 'reportedByOurs'] as const) {
    const one = await claimed()
    await alterOrPark(one.ctx, reaction(one.channelAccountId))
    assert.equal((await one.metadata())?.reactions, undefined)
    await one[way]()
    assert.match(JSON.stringify((await one.metadata())?.reactions), /👍/, way)
  }
})
