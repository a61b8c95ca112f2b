import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { insertLeftovers, leftoverOf, readLeftovers } from '../leftovers/queries.ts'
import { connect } from '../whatsapp/testing/provider.ts'
import { replayLeftover } from './replay.ts'

const app = await startApp()
const { ctxOf, db, make } = app

/** As kept by versions in which WhatsApp had a separate item format. */
const item = (externalId: string, more: object = {}) =>
  JSON.stringify({
    type: 'message',
    source: { field: 'messages', businessAccountId: null, phoneNumberId: null, displayPhone: null },
    sentAt: '2026-01-01T00:00:00.000Z',
    externalId,
    from: {
      ...{ userId: null, parentUserId: null, waId: '16505551234', phone: '+16505551234' },
      ...{ name: 'Ines', username: null },
    },
    content: {
      ...{ kind: 'text', body: 'Kept', media: null, location: null, contacts: [], choice: null },
      ...{ order: null, failure: null, raw: null },
    },
    ...{ quote: null, referral: null, groupId: null },
    ...more,
  })

const fresh = async () => {
  const workspace = await make.workspace()
  const channelId = await connect(app, workspace.id)
  const admin = await make.agent(workspace.id, { role: 'admin' })
  const caller = await signIn(app, workspace.id, admin.id)
  const ctx = ctxOf(workspace.id)
  return { workspace, channelId, caller, ctx }
}

test('an admin sees leftovers with their reason, retries one into its conversation, and dismisses the rest', async () => {
  const { workspace, channelId, caller, ctx } = await fresh()
  const error = new Error('simulated')
  await insertLeftovers(ctx, [
    leftoverOf(channelId, 'failed', item('wamid.good'), { replay: 'item', error }),
    leftoverOf(channelId, 'failed', item('wamid.bad', { from: null }), { replay: 'item', error }),
    leftoverOf(channelId, 'field', '{"field":"flows"}'),
  ])
  const list = async () => (await caller.call('GET', '/leftovers')).body
  const { leftovers, total } = await list()
  assert.equal(total, 3)
  const find = (text: string) => leftovers.find(({ raw }: { raw: string }) => raw.includes(text))
  const { id, reason, error: why, canRetry, channelName } = find('wamid.good')
  assert.deepEqual([reason, why, canRetry, typeof channelName], ['failed', 'simulated', true, 'string'])
  assert.deepEqual((await caller.call('POST', '/leftovers/retry', { leftoverId: id })).body, {
    stored: true,
    problem: null,
  })
  const again = await caller.call('POST', '/leftovers/retry', { leftoverId: id })
  assert.deepEqual([again.status, again.body.error.code], [404, 'LEFTOVER_NOT_FOUND'])
  const failed = await caller.call('POST', '/leftovers/retry', { leftoverId: find('wamid.bad').id })
  assert.equal(failed.body.stored, false)
  assert.ok(failed.body.problem)
  assert.equal(
    (await caller.call('POST', '/leftovers/retry', { leftoverId: find('flows').id })).body.stored,
    false,
  )
  const rest = (await list()).leftovers
  assert.deepEqual(rest.length, 2)
  const leftoverIds = rest.map((one: { id: string }) => one.id)
  assert.deepEqual((await caller.call('POST', '/leftovers/dismiss', { leftoverIds })).body, { dismissed: 2 })
  assert.deepEqual(await list(), { leftovers: [], total: 0 })
  const { body } = await db
    .selectFrom('messages')
    .select('body')
    .where('workspace_id', '=', workspace.id)
    .executeTakeFirstOrThrow()
  assert.equal(body, 'Kept')
})

test('an item kept by an earlier version in WhatsApp’s own format is stored like a current one', async () => {
  const { workspace, channelId, ctx } = await fresh()
  const location = { latitude: 38.7, longitude: -9.1, name: 'Office', address: null, url: null }
  const content = {
    ...{ kind: 'location', body: 'Location: Office, 38.7, -9.1', media: null, location, contacts: [] },
    ...{ choice: null, order: null, failure: null, raw: null },
  }
  const old = item('wamid.old', {
    content,
    quote: { messageId: 'wamid.asked', isForwarded: false, product: null },
  })
  const parsed = {
    ...JSON.parse(item('wamid.new', { content })),
    sentAt: new Date('2026-01-01T00:00:00.000Z'),
  }
  const today = JSON.stringify(ctx.channels.whatsapp.readKept(parsed))
  const stop = item('wamid.stop', { content: { ...content, kind: 'text', body: 'STOP', location: null } })
  for (const raw of [old, today, stop]) {
    const leftover = leftoverOf(channelId, 'failed', raw, { replay: 'item' })
    await insertLeftovers(ctx, [leftover])
    assert.deepEqual(await replayLeftover(ctx, leftover), { stored: true, problem: null })
  }
  const messages = await db
    .selectFrom('messages')
    .select(['body', 'external_id', 'metadata'])
    .where('workspace_id', '=', workspace.id)
    .orderBy('id')
    .execute()
  const metadata = { type: 'location', sentAt: '2026-01-01T00:00:00.000Z', location }
  const { body } = content
  assert.deepEqual(messages, [
    { body, external_id: 'wamid.old', metadata: { ...metadata, quotedExternalId: 'wamid.asked' } },
    { body, external_id: 'wamid.new', metadata },
    { body: 'STOP', external_id: 'wamid.stop', metadata: { sentAt: metadata.sentAt } },
  ])
  const files = await db
    .selectFrom('attachments')
    .select(['type', 'name', 'state'])
    .where('workspace_id', '=', workspace.id)
    .execute()
  const file = { type: 'location', name: 'Office', state: 'inline' }
  assert.deepEqual(files, [file, file])
  const contacts = await db
    .selectFrom('contacts')
    .select(['phone', 'opted_out_at'])
    .where('workspace_id', '=', workspace.id)
    .execute()
  assert.deepEqual(contacts, [{ phone: '+16505551234', opted_out_at: metadata.sentAt }])
})

test("another workspace's leftovers can't be seen, retried or dismissed", async () => {
  const [one, other] = [await fresh(), await fresh()]
  await insertLeftovers(one.ctx, [leftoverOf(one.channelId, 'failed', item('wamid.x'), { replay: 'item' })])
  const [{ id }] = (await one.caller.call('GET', '/leftovers')).body.leftovers
  assert.equal((await other.caller.call('GET', '/leftovers')).body.total, 0)
  assert.equal((await other.caller.call('POST', '/leftovers/retry', { leftoverId: id })).status, 404)
  const dismissed = await other.caller.call('POST', '/leftovers/dismiss', { leftoverIds: [id] })
  assert.deepEqual(dismissed.body, { dismissed: 0 })
  assert.equal((await one.caller.call('GET', '/leftovers')).body.total, 1)
})

test('the metrics show how many leftovers wait for a retry, and for how long', async () => {
  const { ctx, channelId } = await fresh()
  await db.deleteFrom('webhook_leftovers').execute()
  assert.deepEqual(await readLeftovers(db), { depth: 0, oldestSeconds: 0 })
  const earlier = { ...ctx, now: () => new Date(Date.now() - 100_000) }
  await insertLeftovers(earlier, [
    leftoverOf(channelId, 'failed', item('wamid.y'), { replay: 'item' }),
    leftoverOf(channelId, 'field', '{}'),
  ])
  const { depth, oldestSeconds } = await readLeftovers(db)
  assert.equal(depth, 1)
  assert.ok(oldestSeconds >= 100, String(oldestSeconds))
})
