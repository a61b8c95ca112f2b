import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { startApp, TEST_SECRET_KEY } from '../../test/app.ts'
import { startSmtp } from '../../test/smtp.ts'
import { until } from '../../test/until.ts'
import { startAssisting } from '../domain/ai/testing/assisted.ts'
import { addChannelAccount } from '../domain/channel-accounts/add-channel-account.ts'
import { addJob } from '../platform/queue/add-job.ts'

const app = await startApp()
const { call, ctxOf, database, db, make, seal } = app
const workspace = await make.workspace()

const WORKER = new URL('./testing/worker-process.ts', import.meta.url).pathname
/** The guarantee is ten seconds; the rest is margin for a busy machine. */
const TAKEN_UP_MAX_MS = 15_000
const LOCK_SEED = 7_030_004

const children: ChildProcess[] = []
after(() => {
  for (const child of children) child.kill('SIGKILL')
})

const startProcess = async (): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [WORKER, database.connectionString, TEST_SECRET_KEY, '{}'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  await once(child.stdout!, 'data')
  return child
}

/** Sessions whose locks show that a worker is alive. */
const countLiving = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(distinct l.pid)::int as count
    from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.mode = 'ShareLock' and l.granted
      and a.datname = current_database() and a.application_name = 'foyer (worker lives)'`.execute(db)
  return rows[0]!.count
}

const countJobs = async (): Promise<number> => {
  const { rows } = await sql<{
    count: number
  }>`select count(*)::int as count from graphile_worker._private_jobs
    where job_queue_id is not null`.execute(db)
  return rows[0]!.count
}

test('jobs and queues locked by a dead worker are released within 10 s', async () => {
  // A worker as the others see it: a session with a lock, and rows with its id.
  const other = new pg.Client({ connectionString: database.connectionString })
  await other.connect()
  await other.query("select pg_advisory_lock_shared(hashtextextended('pool-other', $1))", [LOCK_SEED])
  const nothing = 'c'.padEnd(25, '0')
  const payload = { workspaceId: workspace.id, channelAccountId: nothing, conversationId: nothing }
  await addJob({ db }, 'mark_read', payload)
  await sql`update graphile_worker._private_job_queues set locked_at = now(), locked_by = 'pool-other'`.execute(
    db,
  )
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool-other'
    where job_queue_id is not null`.execute(db)
  await startProcess()

  await delay(8_000)
  assert.equal(await countJobs(), 1, 'the other one lives: nothing that it holds is touched')
  await other.end()
  await until(async () => (await countJobs()) === 0, 'the work of the dead one', TAKEN_UP_MAX_MS)
})

test('a running worker signals that it is alive, and a killed one does not', async () => {
  const before = await countLiving()
  const child = await startProcess()
  await until(async () => (await countLiving()) === before + 1, 'the lock')
  child.kill('SIGKILL')
  await until(async () => (await countLiving()) === before, 'the end of the lock')
})

test('what a dead worker was sending and downloading is released within 10 s, and nothing is sent twice', async () => {
  const smtp = await startSmtp()
  after(smtp.stop)
  await addChannelAccount(
    { ...ctxOf(workspace.id), seal, publicUrl: 'http://foyer.test' },
    { channel: 'email', fields: { address: 'support@northwind.example', smtpUrl: smtp.url } },
  )
  const telegram = await make.channelAccount(workspace.id, 'telegram')
  const { body } = await call(workspace.token, 'POST', '/conversations', { email: 'customer@example.com' })
  const send = async (text: string): Promise<string> => {
    const path = `/conversations/${body.conversation.id}/messages`
    return (await call(workspace.token, 'POST', path, { body: text })).body.message.id
  }
  const [mail, text] = [await send('Sent again'), await send('Never sent again')]
  await sql`update deliveries set state = 'sending', tries = 1, claimed_by = 'dead', claimed_at = now(), updated_at = now(),
      channel_account_id = case message_id when ${text} then ${telegram} else channel_account_id end`.execute(
    db,
  )
  await sql`insert into attachments (workspace_id, id, message_id, type, name, mime_type, size, state, source,
      channel_account_id, not_before, claimed_by, created_at)
    values (${workspace.id}, ${'c1'.padEnd(25, '0')}, ${mail}, 'file', 'a.pdf', 'application/pdf', 1, 'pending', null,
      ${telegram}, now() + interval '150 seconds', 'dead', now())`.execute(db)
  const stateOf = async (messageId: string) =>
    (
      await db
        .selectFrom('deliveries')
        .select('state')
        .where('message_id', '=', messageId)
        .executeTakeFirstOrThrow()
    ).state
  const fileTries = async () =>
    (await db.selectFrom('attachments').select('tries').executeTakeFirstOrThrow()).tries

  await startProcess()
  await until(async () => (await stateOf(mail)) === 'accepted', 'the mail to be sent', TAKEN_UP_MAX_MS)
  await until(async () => (await stateOf(text)) === 'unconfirmed', 'the text to be given up', TAKEN_UP_MAX_MS)
  await until(async () => (await fileTries()) > 0, 'the file to be fetched', TAKEN_UP_MAX_MS)
})

test('what a dead worker was thinking about is thought about again at once, and not after the lease', async () => {
  const { place } = startAssisting(app)
  const there = await place()
  await there.writes('How much is shipping?')
  await there.assign()
  // A claim that doesn't run out.
  await sql`update ai_turns set state = 'thinking', tries = 1, claimed_by = 'dead', claimed_at = now() + interval '1 hour'
    where workspace_id = ${there.workspaceId}`.execute(db)
  await startProcess()
  const replies = async () => (await there.thread()).filter((line) => /Shipping is free/.test(line)).length
  await until(async () => (await replies()) === 1, 'the reply', TAKEN_UP_MAX_MS)
})
