// Old conversations of a channel account are closed and deleted by its rules, and nothing else is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { makeMember, signIn } from '../../../test/console.ts'
import { makeAttachments } from '../../../test/make-attachments.ts'
import { until } from '../../../test/until.ts'
import { applyRetention } from '../../jobs/apply-retention.ts'
import { DELIVERY_TIMING } from '../../jobs/delivery-timing.ts'
import { fileKey, MissingFileError } from '../../platform/files/store.ts'
import { applyRule } from './apply-rule.ts'

const app = await startApp()
const { clock, ctxOf, db, deps, make } = app
const DAY_MS = 24 * 3_600_000
const NOW = new Date('2026-11-24T12:00:00.000Z')
const TOMORROW = new Date(NOW.getTime() + DAY_MS)
clock.now = () => NOW
const mine = await make.workspace({ name: 'Acme' })
const theirs = await make.workspace({ name: 'Other' })
const admin = await signIn(app, mine.id, (await make.agent(mine.id, { role: 'admin' })).id)
const stranger = await signIn(app, theirs.id, (await make.agent(theirs.id, { role: 'admin' })).id)
const member = await signIn(app, mine.id, (await makeMember(app, mine.id, ['view_all_conversations'])).id)

const ago = (days: number, spareMs = 0): Date => new Date(TOMORROW.getTime() - days * DAY_MS - spareMs)

const makeOne = async (
  workspaceId: string,
  channelAccountId: string,
  { status = 'closed', at }: { status?: 'open' | 'closed'; at: Date },
) => {
  const conversation = await make.conversation(workspaceId, { channel: 'web', channelAccountId, status, at })
  const message = await make.message(workspaceId, conversation, { at })
  return { ...conversation, messageId: message.id }
}

const statusOf = async (id: string): Promise<string | undefined> =>
  (await db.selectFrom('conversations').select('status').where('id', '=', id).executeTakeFirst())?.status

const messagesOf = async (id: string) =>
  db.selectFrom('messages').select(['id', 'body', 'metadata']).where('conversation_id', '=', id).execute()

const save = async (channelId: string, closeAfterDays: number | null, deleteAfterDays: number | null) => {
  const answer = await admin.call('PUT', `/channels/${channelId}/retention`, {
    closeAfterDays,
    deleteAfterDays,
  })
  assert.equal(answer.status, 200, answer.text)
}

const job = { ...deps, log: app.app.log, timing: DELIVERY_TIMING, isStopping: () => false }
const apply = (at = TOMORROW) => applyRetention({ ...job, now: () => at })

const waiting = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return Number(rows[0]!.count)
}

const auditOf = async (channelId: string, action: string) =>
  (
    await sql<{ actor: string; changes: unknown }>`select actor, changes from audit_log
      where workspace_id = ${mine.id} and target_id = ${channelId} and action = ${action} order by id`.execute(
      db,
    )
  ).rows

test('without a rule nothing happens; with one, only what is older, on that channel, from the next day on', async () => {
  const channelId = await make.channelAccount(mine.id, 'web')
  const elsewhere = await make.channelAccount(mine.id, 'web')
  const ofOthers = await make.channelAccount(theirs.id, 'web')
  const old = { open: { status: 'open' as const, at: ago(400) }, closed: { at: ago(400) } }
  const kept = [
    await makeOne(mine.id, elsewhere, old.open),
    await makeOne(mine.id, elsewhere, old.closed),
    await makeOne(theirs.id, ofOthers, old.open),
    await makeOne(theirs.id, ofOthers, old.closed),
    await makeOne(mine.id, channelId, { status: 'open', at: ago(30) }),
    await makeOne(mine.id, channelId, { at: ago(90) }),
  ]
  const toClose = await makeOne(mine.id, channelId, { status: 'open', at: ago(30, 1) })
  const toDelete = await makeOne(mine.id, channelId, { at: ago(90, 1) })
  const before = await Promise.all(kept.map(({ id }) => statusOf(id)))
  await apply()
  assert.deepEqual([await statusOf(toClose.id), await statusOf(toDelete.id)], ['open', 'closed'])

  const preview = async (closeAfterDays: number | null, deleteAfterDays: number | null) =>
    (
      await admin.call('POST', `/channels/${channelId}/retention/preview`, {
        closeAfterDays,
        deleteAfterDays,
      })
    ).body
  clock.now = () => TOMORROW
  const one = { conversations: 1, messages: 1 }
  const none = { conversations: 0, messages: 0 }
  assert.deepEqual(await preview(30, 90), { close: one, delete: one })
  assert.deepEqual(await preview(null, 90), { close: none, delete: one })
  assert.deepEqual(await preview(null, null), { close: none, delete: none })
  clock.now = () => NOW
  await save(channelId, 30, 90)
  await apply(NOW)
  assert.deepEqual([await statusOf(toClose.id), await statusOf(toDelete.id)], ['open', 'closed'])

  await apply()
  assert.deepEqual([await statusOf(toClose.id), await statusOf(toDelete.id)], ['closed', undefined])
  assert.deepEqual(await Promise.all(kept.map(({ id }) => statusOf(id))), before)
  const line = (await messagesOf(toClose.id)).find(({ metadata }) => metadata !== null)!
  assert.deepEqual(
    [line.body, line.metadata],
    ['Foyer closed this conversation', { event: 'closed', by: 'system' }],
  )
  const { rows: events } = await sql<{ actor: string }>`select actor from events
    where conversation_id = ${toClose.id} and type = 'conversation.status'`.execute(db)
  assert.deepEqual(events, [{ actor: 'system' }])
  const contact = await db
    .selectFrom('contacts')
    .select(['conversation_count', 'latest_conversation_id'])
    .where('id', '=', toDelete.contactId)
    .execute()
  assert.deepEqual(contact, [{ conversation_count: 0, latest_conversation_id: null }])
  assert.deepEqual(await messagesOf(toDelete.id), [])
  const by = `agent:${admin.accountId}`
  assert.deepEqual(await auditOf(channelId, 'retention.updated'), [
    {
      actor: by,
      changes: { closeAfterDays: { from: null, to: 30 }, deleteAfterDays: { from: null, to: 90 } },
    },
  ])
  const totals = { closed: { to: 1 }, conversations: { to: 1 }, messages: { to: 1 } }
  assert.deepEqual(await auditOf(channelId, 'retention.applied'), [{ actor: 'system', changes: totals }])
  await apply()
  assert.equal((await auditOf(channelId, 'retention.applied')).length, 1)

  await save(channelId, null, null)
  await makeOne(mine.id, channelId, old.closed)
  await apply(new Date(TOMORROW.getTime() + DAY_MS))
  assert.equal((await auditOf(channelId, 'retention.applied')).length, 1)
})

test('a process that is killed anywhere leaves the rest to the next, with its files and totals; a customer who writes meanwhile keeps theirs', async () => {
  const channelId = await make.channelAccount(mine.id, 'web')
  await save(channelId, null, 90)
  const long = await makeOne(mine.id, channelId, { at: ago(95) })
  await sql`insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body,
      status, created_at)
    select ${mine.id}, 'c' || lpad(n::text, 24, '0'), ${long.id}, ${channelId}, 'customer', ${long.contactId},
      'Hello', 'sent', ${ago(95)}
    from generate_series(1, 600) n`.execute(db)
  const short = await makeOne(mine.id, channelId, { at: ago(94) })
  const { attachmentId } = await makeAttachments(app, mine, short.messageId)
  const key = fileKey(mine.id, attachmentId)
  const { files } = ctxOf(mine.id)
  await files.put(key, Buffer.from('A map'), { mimeType: 'text/plain' })
  await db.updateTable('attachments').set({ storage_key: key }).where('id', '=', attachmentId).execute()
  await sql`insert into feed_heads (workspace_id, seq) values (${mine.id}, 1)`.execute(db)
  await sql`insert into feed (workspace_id, seq, id, type, conversation_id, contact_id, data, object, occurred_at,
      numbered_at)
    values (${mine.id}, 1, ${short.messageId}, 'message.created', ${short.id}, ${short.contactId}, '{}',
      '{"body":"Hello"}', ${ago(94)}, ${ago(94)})`.execute(db)
  const ctx = { ...ctxOf(mine.id), now: () => TOMORROW }
  const runUntil = async (checks: number): Promise<boolean> => {
    let left = checks
    const isStopping = () => {
      if (left-- === 0) throw new Error('killed')
      return false
    }
    try {
      return await applyRule(ctx, channelId, { isStopping, batch: 2 })
    } catch (error) {
      assert.equal((error as Error).message, 'killed')
      return false
    }
  }
  let kills = 0
  while ((await messagesOf(long.id)).length === 601) assert.equal(await runUntil(kills++), false)
  assert.equal((await messagesOf(long.id)).length, 101)
  const late = await make.message(mine.id, long, { at: TOMORROW, body: 'Are you there?' })
  while (!(await runUntil(kills++)));
  assert.equal(await statusOf(short.id), undefined)
  await assert.rejects(files.open(key), MissingFileError)
  const { rows } = await sql<{
    object: unknown
  }>`select object from feed where workspace_id = ${mine.id}`.execute(db)
  assert.deepEqual(rows, [{ object: null }])
  const kept = await messagesOf(long.id)
  assert.equal(kept.length, 102)
  assert.ok(kept.some(({ id }) => id === late.id))
  const totals = { files: { to: 1 }, messages: { to: 501 }, conversations: { to: 1 } }
  const entries = await auditOf(channelId, 'retention.applied')
  assert.deepEqual(entries, [{ actor: 'system', changes: totals }])
})

test('a customer who writes while their conversation is about to be closed or deleted keeps it', async () => {
  const channelId = await make.channelAccount(mine.id, 'web')
  await save(channelId, 30, 90)
  for (const status of ['open', 'closed'] as const) {
    const one = await makeOne(mine.id, channelId, { status, at: ago(95) })
    const ctx = { ...ctxOf(mine.id), now: () => TOMORROW }
    let applied: Promise<boolean> | undefined
    await db.transaction().execute(async (trx) => {
      await sql`update conversations set updated_at = ${TOMORROW} where id = ${one.id}`.execute(trx)
      applied = applyRule(ctx, channelId, { isStopping: () => false })
      await until(async () => (await waiting()) > 0, 'the rule to wait for the customer')
    })
    assert.equal(await applied, true)
    assert.equal(await statusOf(one.id), status)
    assert.equal((await messagesOf(one.id)).length, 1)
  }
})

test('only admins of the workspace see and change a rule, within its limits', async () => {
  const path = `/channels/${await make.channelAccount(mine.id, 'web')}/retention`
  const rule = { closeAfterDays: null, deleteAfterDays: 1 }
  for (const [who, expected] of [
    [stranger, 404],
    [member, 403],
  ] as const) {
    assert.equal((await who.call('GET', path)).status, expected)
    assert.equal((await who.call('POST', `${path}/preview`, rule)).status, expected)
    assert.equal((await who.call('PUT', path, rule)).status, expected)
  }
  for (const deleteAfterDays of [0, -1, 1.5, 3_651, '', 'x'])
    assert.equal(
      (await admin.call('PUT', path, { ...rule, deleteAfterDays })).status,
      400,
      String(deleteAfterDays),
    )
  assert.deepEqual((await admin.call('GET', path)).body.rule, { closeAfterDays: null, deleteAfterDays: null })
  assert.deepEqual(
    (await admin.call('PUT', path, { ...rule, deleteAfterDays: 3_650 })).body.rule.deleteAfterDays,
    3_650,
  )
})
