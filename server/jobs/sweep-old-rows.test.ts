import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { insertParked } from '../domain/messages/status-queries.ts'
import { insertLeftovers, leftoverOf, setShown } from '../inbound/leftovers/queries.ts'
import { newId } from '../platform/db/id.ts'
import {
  FLOW_STEPS_KEPT_MS,
  LEFTOVERS_KEPT_MS,
  PARKED_KEPT_MS,
  SILENT_VISITORS_KEPT_MS,
  sweepOldRows,
  UNSEEN_LEFTOVERS_KEPT_MS,
} from './sweep-old-rows.ts'

const { ctxOf, db, make } = await startApp()

test('visitors who never wrote are deleted after a month, others are not', async () => {
  const workspace = await make.workspace()
  const channelAccountId = await make.channelAccount(workspace.id, 'web')
  const contact = await make.contact(workspace.id)
  const visitor = async (name: string, seenAt: Date, contactId: string | null) =>
    db
      .insertInto('visitors')
      .values({
        workspace_id: workspace.id,
        id: newId(),
        channel_account_id: channelAccountId,
        token_hash: randomBytes(32),
        contact_id: contactId,
        name,
        created_at: seenAt,
        seen_at: seenAt,
      })
      .execute()
  const now = new Date()
  const before = (ms: number) => new Date(now.getTime() - SILENT_VISITORS_KEPT_MS - ms)
  await visitor('silent, a month ago', before(1), null)
  await visitor('silent, lately', before(-1_000), null)
  await visitor('spoke, a month ago', before(1), contact.id)
  await sweepOldRows({ db, now: () => now, isStopping: () => false })
  const kept = await db.selectFrom('visitors').select('name').orderBy('name').execute()
  assert.deepEqual(
    kept.map(({ name }) => name),
    ['silent, lately', 'spoke, a month ago'],
  )
})

test('what runs of flows did is deleted after 90 days', async () => {
  const { id: workspace_id } = await make.workspace()
  const now = new Date()
  for (const [seq, age] of [FLOW_STEPS_KEPT_MS + 1, FLOW_STEPS_KEPT_MS - 1_000].entries())
    await db
      .insertInto('flow_run_steps')
      .values({
        workspace_id,
        run_id: newId(),
        seq,
        step_id: 's1',
        type: 'send',
        outcome: 'done',
        detail: '{}',
        message_id: null,
        created_at: new Date(now.getTime() - age),
      })
      .execute()
  await sweepOldRows({ db, now: () => now, isStopping: () => false })
  const kept = await db.selectFrom('flow_run_steps').select('seq').execute()
  assert.deepEqual(kept, [{ seq: 1 }])
})

test('unmatched statuses are deleted after a day', async () => {
  const workspace = await make.workspace()
  const channelAccountId = await make.channelAccount(workspace.id, 'whatsapp')
  const now = new Date()
  for (const [externalId, spareMs] of [
    ['old', -1_000],
    ['new', 1_000],
  ] as const) {
    const at = new Date(now.getTime() - PARKED_KEPT_MS + spareMs)
    await insertParked({ ...ctxOf(workspace.id), now: () => at }, [
      { channelAccountId, externalId, status: 'sent', failure: null },
    ])
  }
  await sweepOldRows({ db, now: () => now, isStopping: () => false })
  const parked = await db.selectFrom('parked_statuses').select('external_id').execute()
  assert.deepEqual(parked, [{ external_id: 'new' }])
})

test('leftovers are deleted three months after an admin saw them, or after a year; those that may still be stored stay', async () => {
  const workspace = await make.workspace()
  const channelAccountId = await make.channelAccount(workspace.id, 'whatsapp')
  const now = new Date()
  const keep = async (
    name: string,
    ageMs: number,
    { isShown = false, replay = null as 'item' | null } = {},
  ) => {
    const ctx = { ...ctxOf(workspace.id), now: () => new Date(now.getTime() - ageMs) }
    const leftover = leftoverOf(channelAccountId, 'field', name, { replay })
    await insertLeftovers(ctx, [leftover])
    if (isShown) await setShown(ctx, [leftover])
  }
  const SPARE_MS = 1_000
  await keep('seen long ago', LEFTOVERS_KEPT_MS + SPARE_MS, { isShown: true })
  await keep('seen lately', LEFTOVERS_KEPT_MS - SPARE_MS, { isShown: true })
  await keep('never seen', LEFTOVERS_KEPT_MS + SPARE_MS)
  await keep('never seen in a year', UNSEEN_LEFTOVERS_KEPT_MS + SPARE_MS)
  await keep('to be stored', UNSEEN_LEFTOVERS_KEPT_MS + SPARE_MS, { isShown: true, replay: 'item' })
  await sweepOldRows({ db, now: () => now, isStopping: () => false })
  const left = await db.selectFrom('webhook_leftovers').select('raw').orderBy('raw').execute()
  assert.deepEqual(
    left.map(({ raw }) => raw),
    ['never seen', 'seen lately', 'to be stored'],
  )
})
