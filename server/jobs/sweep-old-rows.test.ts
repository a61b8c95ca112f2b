import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { newId } from '../db/id.ts'
import { insertLeftovers, leftoverOf } from '../inbound/leftovers.ts'
import { insertParked } from '../resources/conversations/status-queries.ts'
import { LEFTOVERS_KEPT_MS, PARKED_KEPT_MS, SILENT_VISITORS_KEPT_MS, sweepOldRows } from './sweep-old-rows.ts'

const { ctxOf, db, make } = await startApp()

test('a visitor who never wrote is forgotten after a month, one who did is not', async () => {
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

test('statuses that nobody waits for go after a day, what was not understood after three months', async () => {
  const workspace = await make.workspace()
  const channelAccountId = await make.channelAccount(workspace.id, 'whatsapp')
  const now = new Date()
  for (const [name, spareMs] of [
    ['old', -1_000],
    ['new', 1_000],
  ] as const) {
    const at = (keptMs: number) => ({
      ...ctxOf(workspace.id),
      now: () => new Date(now.getTime() - keptMs + spareMs),
    })
    const parked = { channelAccountId, externalId: name, status: 'sent' as const, failure: null }
    await insertParked(at(PARKED_KEPT_MS), [parked])
    await insertLeftovers(at(LEFTOVERS_KEPT_MS), [leftoverOf(channelAccountId, 'field', name)])
  }
  await sweepOldRows({ db, now: () => now, isStopping: () => false })
  const parked = await db.selectFrom('parked_statuses').select('external_id').execute()
  const leftovers = await db.selectFrom('webhook_leftovers').select('raw').execute()
  assert.deepEqual([parked, leftovers], [[{ external_id: 'new' }], [{ raw: 'new' }]])
})
