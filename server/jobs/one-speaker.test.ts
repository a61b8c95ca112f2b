// No automated message is claimed for sending after a person's message was stored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { DeliveryError, type OutboundMessage } from '../../channels/channel.ts'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { claimHead, endTry, listOwnClaimsBeside } from '../domain/deliveries/delivery-queries.ts'
import { sendMessage } from '../domain/messages/send-message.ts'
import { withdrawOvertaken } from '../domain/messages/withdraw-message.ts'
import type { Actor } from '../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../platform/ctx/ctx.ts'
import { startWorker } from './worker.ts'

/** A provider that says of each call what it does with it, when the test says so. */
const telegram = {
  delivery: 'sent' as const,
  isResendHarmless: false,
  calls: [] as { conversationId: string; body: string; answer: (error?: DeliveryError) => void }[],
  send: (_account: unknown, { conversationId, body }: OutboundMessage) =>
    new Promise<{ externalId: string }>((resolve, reject) => {
      const answer = (error?: DeliveryError) => (error ? reject(error) : resolve({ externalId: body }))
      telegram.calls.push({ conversationId, body, answer })
      if (!body.startsWith('hold')) answer()
    }),
}

const app = await startApp({ channels: { telegram: telegram as never } })
const { ctxOf, database, db, deps, make } = app
/** Started by the tests that need it: the others claim by themselves. */
const work = () =>
  startWorker({
    connectionString: database.connectionString,
    deps: { ...deps, log: app.app.log },
    timing: { backoffMinMs: 60_000, backoffMaxMs: 60_000 },
    pollMs: 50,
  })

const setUp = async () => {
  const { id } = await make.workspace()
  await db.updateTable('workspaces').set({ is_automated: true }).where('id', '=', id).execute()
  const anna = await make.agent(id)
  const { id: conversationId } = await make.conversation(id, { channel: 'telegram' })
  const as = (actor: Actor): Ctx => ({ ...ctxOf(id), actor })
  return {
    conversationId,
    ctx: ctxOf(id),
    person: as({ type: 'agent', accountId: anna.id, role: 'admin', permissions: [] }),
    flow: as({ type: 'flow', flowId: 'welcome', runId: 'run' }),
    program: as({ type: 'token', tokenId: 'token' }),
  }
}

type Place = Awaited<ReturnType<typeof setUp>>

const send = (ctx: Ctx, { conversationId }: Place, body: string) => sendMessage(ctx, { conversationId, body })

const callsOf = ({ conversationId }: Place) =>
  telegram.calls.filter((call) => call.conversationId === conversationId)

const bodies = async ({ conversationId }: Place) => {
  const rows = await db
    .selectFrom('messages')
    .select('body')
    .where('conversation_id', '=', conversationId)
    .orderBy('id')
    .execute()
  return rows.map(({ body }) => body)
}

/** Some statement waits for a lock that another transaction has. */
const someoneWaits = (text: string) =>
  until(async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${text}%`}`.execute(
      db,
    )
    return rows.length > 0
  }, 'a statement that waits')

test('a claim that comes while a person’s message is being stored does not get what that withdraws', async () => {
  const place = await setUp()
  await send(place.flow, place, 'Which order?')
  await inTransaction(place.person, async (ctx) => {
    await send(ctx, place, 'Hi, Anna here.')
    assert.deepEqual(await claimHead(place.ctx, place.conversationId), { is: 'busy' })
  })
  const next = await claimHead(place.ctx, place.conversationId)
  assert.ok(next?.is === 'claimed')
  assert.deepEqual(await bodies(place), ['Hi, Anna here.'])
})

test('a claim of what a person’s message had to leave waits for its commit, and finds itself overtaken', async () => {
  const place = await setUp()
  const { id } = await send(place.flow, place, 'Which order?')
  const stored = Promise.withResolvers<void>()
  const claimed = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  // As the report of a provider does, or a claim that is not committed yet.
  const holding = inTransaction(place.ctx, async ({ db }) => {
    await db.selectFrom('deliveries').select('id').where('message_id', '=', id).forUpdate().execute()
    held.resolve()
    await stored.promise
  })
  await held.promise
  const storing = inTransaction(place.person, async (ctx) => {
    await send(ctx, place, 'Hi, Anna here.')
    stored.resolve()
    await claimed.promise
  })
  await holding
  const claiming = claimHead(place.ctx, place.conversationId)
  await someoneWaits('for share of s')
  claimed.resolve()
  await storing
  assert.deepEqual(await claiming, { is: 'overtaken' })
  await withdrawOvertaken(place.ctx, place.conversationId)
  assert.deepEqual(await bodies(place), ['Hi, Anna here.'])
})

test('a person’s message that comes while a claim is being made is stored after it', async () => {
  const place = await setUp()
  const { id } = await send(place.flow, place, 'Which order?')
  const sending = inTransaction(place.ctx, async (ctx) => {
    const head = await claimHead(ctx, place.conversationId)
    assert.ok(head?.is === 'claimed')
    assert.equal(head.claim.messageId, id)
    const stored = send(place.person, place, 'Hi, Anna here.')
    await someoneWaits('automation_states')
    return { stored }
  })
  await (await sending).stored
  assert.deepEqual(await bodies(place), ['Which order?', 'Hi, Anna here.'])
  // It is on its way, so it stays: nobody can call it back.
  assert.deepEqual(await claimHead(place.ctx, place.conversationId), { is: 'busy' })
})

test('what was being tried is withdrawn when it comes back, even before its next try is due', async () => {
  const place = await setUp()
  await send(place.flow, place, 'Which order?')
  const head = await claimHead(place.ctx, place.conversationId)
  assert.ok(head?.is === 'claimed')
  await send(place.person, place, 'Hi, Anna here.')
  const notBefore = new Date(place.ctx.now().getTime() + 3_600_000)
  await endTry(place.ctx, head.claim, { state: 'pending', notBefore })
  assert.deepEqual(await claimHead(place.ctx, place.conversationId), { is: 'overtaken' })
  await withdrawOvertaken(place.ctx, place.conversationId)
  assert.deepEqual(await bodies(place), ['Hi, Anna here.'])
})

test('a claim whose response was lost is withdrawn too', async () => {
  const place = await setUp()
  await send(place.flow, place, 'Which order?')
  assert.equal((await claimHead(place.ctx, place.conversationId))?.is, 'claimed')
  await send(place.person, place, 'Hi, Anna here.')
  const worker = await work()
  try {
    await until(() => callsOf(place).length > 0, 'Anna’s message')
    assert.deepEqual(
      callsOf(place).map(({ body }) => body),
      ['Hi, Anna here.'],
    )
  } finally {
    await worker.stop()
  }
  assert.deepEqual(await bodies(place), ['Hi, Anna here.'])
  assert.deepEqual(await listOwnClaimsBeside(db, [], 10), [])
})

test('a message that the provider puts off is not sent once a person has written, and the person’s goes out at once', async () => {
  const place = await setUp()
  const worker = await work()
  try {
    await send(place.flow, place, 'hold: Which order?')
    await until(() => callsOf(place).length === 1, 'the first call')
    await send(place.program, place, 'Your order was shipped.')
    await send(place.person, place, 'Hi, Anna here.')
    callsOf(place)[0]!.answer(new DeliveryError('retry', '429', 'Too fast.', { retryAfterMs: 60_000 }))
    await until(() => callsOf(place).length === 3, 'what waited behind it')
    assert.deepEqual(
      callsOf(place).map(({ body }) => body),
      ['hold: Which order?', 'Your order was shipped.', 'Hi, Anna here.'],
    )
    assert.deepEqual(await bodies(place), ['Your order was shipped.', 'Hi, Anna here.'])
  } finally {
    await worker.stop()
  }
})
