// Stopping the AI agent, in each phase of a turn: nothing of it is said after the stop is committed.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { until } from '../../../test/until.ts'
import { makeConductor } from '../../jobs/conduct.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { claimHead } from '../deliveries/delivery-queries.ts'
import { lockPlaces } from '../flow-runs/fact-queries.ts'
import { handOverAll, setAiStopped, updateAiSettings } from './settings.ts'
import { findSettings, holdReplies } from './settings-queries.ts'
import { startAssisting } from './testing/assisted.ts'
import { takeTurn } from './turn/take-turn.ts'
import { claimTurn } from './turn-queries.ts'

const app = await startApp()
const { place, settle, thinker, conductor } = startAssisting(app)
after(async () => {
  await thinker.stop()
  await conductor.stop()
})
const { db, deps } = app
const HANDED_OVER = 'agent: Someone from our team will reply here.'

/** The agent has the conversation and a turn that waits. */
const waiting = async (channel: 'web' | 'telegram' = 'web') => {
  const there = await place({ channel })
  await there.writes('How much is shipping?')
  await there.assign()
  const { id } = await db
    .selectFrom('ai_turns')
    .select('id')
    .where('workspace_id', '=', there.workspaceId)
    .executeTakeFirstOrThrow()
  const replies = async () => (await there.thread()).slice(1)
  const stop = () => setAiStopped(there.ctx, { isStopped: true })
  /** Nothing but the word of the hand-over, and people have it. */
  const isLeft = async (phase: string) => {
    await settle()
    assert.deepEqual(await replies(), [HANDED_OVER], phase)
    assert.equal(await there.agentId(), null, phase)
  }
  return { ...there, turnId: id, replies, stop, isLeft }
}

test('a turn that waits, is thought about, or was thought about says nothing after a stop', async () => {
  const early = await waiting()
  await early.stop()
  await early.isLeft('waiting')

  const thinking = await waiting()
  const claimed = await claimTurn(thinking.ctx, thinking.turnId)
  await thinking.stop()
  await takeTurn(thinking.ctx, claimed!)
  await thinking.isLeft('thinking')

  const thought = await waiting()
  const own = await claimTurn(thought.ctx, thought.turnId)
  await takeTurn(thought.ctx, own!)
  await thought.stop()
  await thought.isLeft('thought')

  const conducted = await waiting()
  const before = await claimTurn(conducted.ctx, conducted.turnId)
  await conducted.stop()
  await conductor.conductDue()
  await takeTurn(conducted.ctx, before!)
  await conducted.isLeft('after the hand-over')
})

test('a message that is queued when it is stopped is not sent', async () => {
  const { stop, replies, ctx, conversationId } = await waiting('telegram')
  await settle()
  assert.match((await replies()).at(-1)!, /Shipping is free/)
  await stop()
  assert.deepEqual(await claimHead(ctx, conversationId()), { is: 'overtaken' })
})

const locksWaited = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_locks where locktype = 'advisory' and not granted`.execute(db)
  return rows[0]!.count
}

test('a stop waits for conductors that have read the settings, and those that come later see it', async () => {
  const { ctx, conversationId, stop, isLeft, turnId } = await waiting()
  const turn = await claimTurn(ctx, turnId)
  await takeTurn(ctx, turn!)
  let stopping: Promise<unknown> | undefined
  await inTransaction(ctx, async (inside) => {
    assert.equal((await lockPlaces(inside, [conversationId()])).length, 1)
    stopping = stop()
    await until(async () => (await locksWaited()) === 1, 'the stop to wait')
  })
  await stopping
  await isLeft('stopped')
})

test('a stop is not undone by settings that were saved at the same moment', async () => {
  const { ctx, stop } = await waiting()
  let changes: Promise<unknown> | undefined
  await inTransaction(ctx, async (inside) => {
    await holdReplies(inside)
    const stopping = stop()
    await until(async () => (await locksWaited()) === 1, 'the stop to wait')
    changes = Promise.all([stopping, updateAiSettings(ctx, { name: 'Juno' })])
    await until(async () => (await locksWaited()) === 2, 'the settings to wait')
  })
  await changes
  const { isStopped, name } = await findSettings(ctx)
  assert.deepEqual([isStopped, name], [true, 'Juno'])
})

test('where the operator has turned it off, its conversations are handed over at the start, and so is what is assigned later', async () => {
  const { ctx, isLeft, send, writes, agentId, thread } = await waiting()
  const off = makeConductor({ ...deps, isAiOff: true, log: app.app.log })
  await handOverAll({ ...ctx, isAiOff: true })
  await off.conductDue()
  await isLeft('off')
  await send('POST', '/close')
  await writes('How much is shipping?')
  await send('POST', '/assign', { agentId: 'ai' })
  await off.conductDue()
  await off.stop()
  assert.equal(await agentId(), null)
  assert.equal((await thread()).at(-1), HANDED_OVER)
})
