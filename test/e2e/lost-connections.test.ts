// Database connections break, with an error or silently, and the server restarts, while email is being sent.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startSmtp } from '../smtp.ts'
import {
  atTheEnd,
  call,
  command,
  makeWorkspace,
  type Running,
  serve,
  temporaryDirectory,
  until,
} from './foyer.ts'
import { startPostgres, WITHOUT_POSTGRES } from './postgres.ts'
import { startProxy } from './proxy.ts'

/** How long a fault may last after its cause is gone. */
const RECOVERY_MAX_MS = 10_000
/** Extra time, because the machine may be busy. */
const SLACK_MS = 5_000
const ROUNDS = 8

suite('when connections to the database are lost', { skip: WITHOUT_POSTGRES }, () => {
  const env = {
    DATA_DIR: temporaryDirectory(),
    DATABASE_URL: '',
    SECRET_KEY: 'k'.repeat(40),
    OUTBOUND_ALLOW: '127.0.0.1',
  }
  let postgres: Awaited<ReturnType<typeof startPostgres>>
  let proxy: Awaited<ReturnType<typeof startProxy>>
  let smtp: Awaited<ReturnType<typeof startSmtp>>
  let foyer: Running
  let secret = ''

  before(async () => {
    postgres = await startPostgres()
    proxy = await startProxy(postgres.url)
    smtp = await startSmtp({ answerAfterMs: 20 })
    atTheEnd(smtp.stop)
    env.DATABASE_URL = postgres.url
    const made = await makeWorkspace(env)
    secret = made.secret
    await command(
      env,
      'channel',
      'add',
      'email',
      '--workspace',
      made.workspaceId,
      '--address',
      'help@northwind.example',
      '--smtp-url',
      smtp.url,
    )
    foyer = await serve({ ...env, DATABASE_URL: proxy.url })
  })

  /** Sends an email to a new contact and returns how long it took to reach the mail server. */
  const send = async (timeoutMs: number): Promise<number> => {
    const email = `${randomUUID()}@customers.example`
    const begin = performance.now()
    await until(
      'an accepted message',
      async () =>
        (await call(foyer.url, secret, 'POST', '/api/v1/conversations', { email, message: 'Hello.' }))
          .status === 200,
      timeoutMs,
    )
    await until('its way to the mail server', () => smtp.mailsTo(email).length > 0, timeoutMs)
    return performance.now() - begin
  }
  const isReady = async () => (await call(foyer.url, null, 'GET', '/readyz')).status === 200
  const hasEnded = () => foyer.process.exitCode !== null || foyer.process.signalCode !== null
  /** Keeps sending email, whatever the result, so that jobs are running when connections break. */
  const sendWhile = async (work: () => Promise<void>): Promise<void> => {
    let isOver = false
    const sending = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const body = { email: `${randomUUID()}@customers.example`, message: 'Hello.' }
        await call(foyer.url, secret, 'POST', '/api/v1/conversations', body).catch(() => {})
      }
    })
    await work()
    isOver = true
    await Promise.all(sending)
  }

  test('losing a connection of any pool doesn’t end the process or stop sending', async () => {
    await sendWhile(async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await postgres.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename = current_user',
        )
        await delay(300)
        assert.ok(!hasEnded(), foyer.output())
      }
    })
    await send(RECOVERY_MAX_MS + SLACK_MS)
    await until('readiness', isReady)
  })

  test('it recovers without a restart when PostgreSQL restarts while jobs are running', async () => {
    await sendWhile(async () => {
      for (let round = 0; round < 3; round++) {
        await postgres.stop()
        await delay(500)
        await postgres.start()
        await delay(500)
        assert.ok(!hasEnded(), foyer.output())
      }
    })
    await send(RECOVERY_MAX_MS + SLACK_MS)
    await until('readiness', isReady)
  })

  test('sending resumes within 10 s after connections are cut silently and new ones work', async () => {
    await send(RECOVERY_MAX_MS)
    proxy.forget()
    const tookMs = await send(RECOVERY_MAX_MS + SLACK_MS)
    console.log(`sent ${Math.round(tookMs)} ms after the cut`)
    await until('readiness', isReady)
  })

  test('during a network outage it is not ready, and sending resumes within 10 s of its end', async () => {
    proxy.freeze()
    const waiting = send(60_000)
    await until('the missing readiness', async () => !(await isReady()))
    await delay(8_000)
    assert.equal(await isReady(), false)
    proxy.thaw()
    const begin = performance.now()
    await waiting
    console.log(`sent ${Math.round(performance.now() - begin)} ms after the end`)
    assert.ok(performance.now() - begin < RECOVERY_MAX_MS + SLACK_MS)
    await until('readiness', isReady)
  })

  test('a process keeps serving if its jobs cannot start yet', async () => {
    await foyer.stop()
    const release = await postgres.lock('graphile_worker._private_jobs')
    try {
      foyer = await serve({ ...env, DATABASE_URL: proxy.url })
      await until('the first attempt', () => foyer.output().includes('the jobs cannot start yet'), 20_000)
      assert.ok(!hasEnded(), foyer.errors())
    } finally {
      await release()
    }
    await send(RECOVERY_MAX_MS + SLACK_MS)
  })

  test('it stops cleanly after all that', async () => {
    const { code } = await foyer.stop()
    assert.equal(code, 0, foyer.errors())
  })
})
