// Workers with a wrong clock: the database's clock decides what is due and which claims are too old.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startApp, TEST_SECRET_KEY } from '../../test/app.ts'
import { startSmtp } from '../../test/smtp.ts'
import { until } from '../../test/until.ts'
import { addChannelAccount } from '../domain/channel-accounts/add-channel-account.ts'

const HOUR_MS = 3_600_000
/** An email takes most of the send timeout. */
const ANSWER_AFTER_MS = 3_000
const TIMING = { sendTimeoutMs: 10_000, claimMarginMs: 5_000, backoffMinMs: 50, overdueAfterMs: 1_000 }
const WATCHED_MS = 3_000
/** Here an idle worker looks at each of its ten queues up to thirty times a second; a tight loop at one alone adds some 700. */
const TRANSACTIONS_MAX = 500 * (WATCHED_MS / 1000)

const { call, ctxOf, database, make, seal } = await startApp()
const smtp = await startSmtp({ answerAfterMs: ANSWER_AFTER_MS })
after(smtp.stop)
const workspace = await make.workspace()
await addChannelAccount(
  { ...ctxOf(workspace.id), seal, publicUrl: 'http://foyer.test' },
  { channel: 'email', fields: { address: 'support@northwind.example', smtpUrl: smtp.url } },
)

const WORKER = new URL('./testing/worker-process.ts', import.meta.url).pathname
const SHIFTED = new URL('../../test/shifted-clock.ts', import.meta.url).pathname

const startWorker = async (shiftMs: number): Promise<ChildProcess> => {
  const child = spawn(
    process.execPath,
    ['--import', SHIFTED, WORKER, database.connectionString, TEST_SECRET_KEY, JSON.stringify(TIMING)],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, CLOCK_SHIFT_MS: String(shiftMs) } },
  )
  after(() => child.kill('SIGKILL'))
  await once(child.stdout!, 'data')
  return child
}

const send = async (email: string): Promise<string> => {
  const { status, body } = await call(workspace.token, 'POST', '/conversations', { email, message: 'Hello' })
  assert.equal(status, 200)
  return body.message.id
}

const statusOf = async (id: string): Promise<string> =>
  (await database.db.selectFrom('messages').select('status').where('id', '=', id).executeTakeFirstOrThrow())
    .status

const countTransactions = async (): Promise<number> => {
  const { rows } = await database.pool.query<{ count: number }>(
    'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
  )
  return rows[0]!.count
}

test('a worker whose clock is an hour behind sends immediately and does not poll in a tight loop', async () => {
  const worker = await startWorker(-HOUR_MS)
  const id = await send('behind@customers.example')
  await until(async () => (await statusOf(id)) === 'sent', 'the mail')
  const before = await countTransactions()
  await delay(WATCHED_MS)
  const count = (await countTransactions()) - before
  assert.ok(count < TRANSACTIONS_MAX, `${count} transactions in ${WATCHED_MS} ms`)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
})

test("a worker whose clock is an hour ahead does not treat another's claim as abandoned: an email is sent once", async () => {
  const right = await startWorker(0)
  const id = await send('ahead@customers.example')
  await until(() => smtp.mailsTo('ahead@customers.example').length > 0, 'the mail to be on its way')
  const ahead = await startWorker(HOUR_MS)
  await until(async () => (await statusOf(id)) === 'sent', 'the mail')
  const { rows } = await database.pool.query<{ tries: number }>(
    'select tries from deliveries where message_id = $1',
    [id],
  )
  assert.deepEqual(rows, [{ tries: 1 }])
  assert.equal(smtp.mailsTo('ahead@customers.example').length, 1)
  for (const worker of [right, ahead]) worker.kill('SIGKILL')
})
