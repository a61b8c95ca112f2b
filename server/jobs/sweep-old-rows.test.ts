import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { newId } from '../db/id.ts'
import { SILENT_VISITORS_KEPT_MS, sweepOldRows } from './sweep-old-rows.ts'

const { db, make } = await startApp()

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
