import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type ChannelAccount, DeliveryError, type OutboundMessage } from '../../channels/channel.ts'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { sendMessage } from '../domain/messages/send-message.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { circuitOf } from './account-circuit.ts'
import { isAnswering } from './deliver-messages.ts'
import { DELIVERY_TIMING } from './delivery-timing.ts'
import { sweepDeliveries } from './sweep-deliveries.ts'

const SEND_TIMEOUT_MS = 4_000
/** TURNS=full tests the full size: a backlog of 5,000 beside ten accounts with 300 hanging messages. */
const IS_FULL = process.env.TURNS === 'full'
const HANGING = IS_FULL ? 30 : 8
const BACKLOG = IS_FULL ? { conversations: 250, each: 20 } : { conversations: 20, each: 12 }
const SLOW_MS = IS_FULL ? 1_000 : 50
const PROBES = IS_FULL ? 200 : 20
/** How an account's provider behaves; by default it accepts a message immediately. */
const behaviours = new Map<string, 'hangs' | 'slow'>()
const sent = new Map<string, string[]>()
let hanging = 0
let hangingMax = 0
let checks = 0

const telegram = {
  delivery: 'sent' as const,
  isResendHarmless: false,
  send: async ({ id }: ChannelAccount, message: OutboundMessage, { timeoutMs }: { timeoutMs: number }) => {
    if (behaviours.get(id) === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    if (behaviours.get(id) === 'hangs') {
      hangingMax = Math.max(hangingMax, ++hanging)
      await new Promise((resolve) => setTimeout(resolve, timeoutMs))
      hanging--
      throw new DeliveryError('unknown', 'TIMEOUT', 'The provider did not respond in time.')
    }
    sent.set(id, [...(sent.get(id) ?? []), message.id])
    return { externalId: `tg-${message.id}` }
  },
  check: async ({ id }: ChannelAccount) => {
    checks++
    return [{ name: 'token', ok: behaviours.get(id) !== 'hangs', message: '' }]
  },
}

const { app, ctxOf, db, deps, make } = await startApp({
  channels: { telegram: telegram as never },
  worker: { sendTimeoutMs: SEND_TIMEOUT_MS, claimMarginMs: 2_000 },
  deps: { settleMs: 100 },
})

/** A workspace with conversations on a separate channel account. */
const makeAccount = async (conversations: number) => {
  const workspace = await make.workspace()
  const channelAccountId = await make.channelAccount(workspace.id, 'telegram')
  const ids: string[] = []
  for (let n = 0; n < conversations; n++) {
    const { id } = await make.conversation(workspace.id, { channel: 'telegram', channelAccountId })
    ids.push(id)
  }
  return { ...workspace, channelAccountId, conversations: ids }
}
type Account = Awaited<ReturnType<typeof makeAccount>>

const queue = async ({ id, conversations }: Account, each: number): Promise<void> => {
  const ctx = ctxOf(id)
  for (let n = 0; n < each; n++)
    await Promise.all(
      conversations.map((conversationId) => sendMessage(ctx, { conversationId, body: `No. ${n}` })),
    )
}

const countIn = async ({ id }: Account, state: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from deliveries where workspace_id = ${id} and state = ${state}`.execute(db)
  return rows[0]!.count
}

const problemOf = async ({ channelAccountId }: Account): Promise<string | null> => {
  const { problem } = await db
    .selectFrom('channel_accounts')
    .select('problem')
    .where('id', '=', channelAccountId)
    .executeTakeFirstOrThrow()
  return problem?.code ?? null
}

test("ten accounts with hanging providers and one with a backlog don't delay another account's messages", async () => {
  const ten = await Promise.all(Array.from({ length: 10 }, () => makeAccount(HANGING)))
  for (const { channelAccountId } of ten) behaviours.set(channelAccountId, 'hangs')
  const busy = await makeAccount(BACKLOG.conversations)
  behaviours.set(busy.channelAccountId, 'slow')
  const other = await makeAccount(5)
  await Promise.all([...ten.map((account) => queue(account, 1)), queue(busy, BACKLOG.each)])
  assert.ok((await countIn(busy, 'pending')) > 50, 'the backlog is there')
  await until(() => hangingMax >= 20, 'calls that hang')
  const waitsMs: number[] = []
  for (let n = 0; n < PROBES; n++) {
    const startMs = performance.now()
    await queue({ ...other, conversations: [other.conversations[n % 5]!] }, 1)
    await until(() => sent.get(other.channelAccountId)?.length === n + 1, 'the message of another')
    waitsMs.push(performance.now() - startMs)
  }
  waitsMs.sort((one, other) => one - other)
  const at = (share: number) => Math.round(waitsMs[Math.ceil(waitsMs.length * share) - 1]!)
  const waiting = await countIn(busy, 'pending')
  console.log(`p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${waiting} of the backlog left`)
  // Waiting for any of the hanging calls would take full timeouts.
  assert.ok(Math.max(...waitsMs) < SEND_TIMEOUT_MS / 2, `${Math.max(...waitsMs)} ms`)
  assert.ok(hangingMax <= 10 * 4, `${hangingMax} hanging calls at once`)
})

test('messages to a provider that stopped responding stay queued, the console shows it, and sending resumes automatically', async () => {
  const account = await makeAccount(30)
  const { channelAccountId } = account
  behaviours.set(channelAccountId, 'hangs')
  await queue(account, 1)
  await until(async () => (await problemOf(account)) === 'PROVIDER_SILENT', 'the problem of the channel')
  await until(() => checks > 0, 'a check')
  const risked = await countIn(account, 'unconfirmed')
  assert.ok(risked < 10, `${risked} of 30 messages have an unknown outcome`)
  behaviours.delete(channelAccountId)
  await until(
    async () => (await countIn(account, 'accepted')) === 30 - (await countIn(account, 'unconfirmed')),
    'the rest',
  )
  assert.ok((await countIn(account, 'unconfirmed')) < 10)
  assert.equal(await problemOf(account), null)
  assert.equal(new Set(sent.get(channelAccountId)).size, sent.get(channelAccountId)!.length)
})

test('a check made while the provider was silent does not delay the next one by a full send timeout', async () => {
  const account = await makeAccount(0)
  const timeoutsMs: number[] = []
  const check = async (_: ChannelAccount, { timeoutMs }: { timeoutMs: number }) => {
    timeoutsMs.push(timeoutMs)
    return [{ name: 'token', ok: false, message: '' }]
  }
  const channels = { ...deps.channels, telegram: { ...telegram, check } as never }
  const jobDeps = { ...deps, channels, log: app.log, timing: DELIVERY_TIMING, isStopping: () => false }
  const circuit = circuitOf(account.id)
  while (!circuit.isOpen()) circuit.silent()
  const ctx = systemCtx(jobDeps, account.id)
  assert.equal(await isAnswering(jobDeps, ctx, account.channelAccountId, circuit), false)
  assert.deepEqual(timeoutsMs, [5_000])
})

test('messages that waited for a silent provider for more than a day fail', async () => {
  const account = await makeAccount(12)
  behaviours.set(account.channelAccountId, 'hangs')
  await queue(account, 1)
  await until(async () => (await problemOf(account)) !== null, 'the problem of the channel')
  const waiting = await countIn(account, 'pending')
  assert.ok(waiting > 0)
  const sweep = () =>
    sweepDeliveries(
      {
        ...deps,
        log: app.log,
        now: () => new Date(Date.now() + 25.5 * 3_600_000),
        timing: DELIVERY_TIMING,
        isStopping: () => false,
      },
      {},
    )
  // A sweep fails a limited number at a time, and earlier tests left some.
  await until(async () => {
    await sweep()
    return (await countIn(account, 'pending')) === 0
  }, 'all to be given up')
  assert.ok((await countIn(account, 'refused')) > 0)
  const { rows } = await sql`
    select from messages where workspace_id = ${account.id} and status = 'failed'
      and metadata #>> '{error,code}' = 'PROVIDER_SILENT'`.execute(db)
  assert.ok(rows.length > 0)
  behaviours.delete(account.channelAccountId)
})
