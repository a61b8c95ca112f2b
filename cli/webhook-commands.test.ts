// Webhooks from the command line, against a receiver: two commands in a process of their own, the others in this one.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { makeEvents } from '../server/domain/webhooks/testing/make-events.ts'
import { startReceiver } from '../server/domain/webhooks/testing/receiver.ts'
import { readConfig } from '../server/process/config.ts'
import { startApp, TEST_SECRET_KEY } from '../test/app.ts'
import { PROGRAM } from '../test/program.ts'
import { webhookCommands } from './webhook-commands.ts'

const ROOT = resolve(import.meta.dirname, '..')

const app = await startApp()
const [{ id: workspace }, other] = [await app.make.workspace(), await app.make.workspace()]
const receiver = await startReceiver()

const env = {
  DATABASE_URL: app.database.connectionString,
  SECRET_KEY: TEST_SECRET_KEY,
  PUBLIC_URL: 'https://inbox.example.com/',
  OUTBOUND_ALLOW: '127.0.0.1',
}

// biome-ignore lint/suspicious/noExplicitAny: each command has a document of its own
type Answer = { code: number; stderr: string; json: any }

/** As it is typed, with what is on standard input. */
const type = (args: string[], input: string): Promise<Answer> =>
  new Promise((done) => {
    const child = execFile(
      process.execPath,
      [PROGRAM, 'webhook', ...args, '--workspace', workspace],
      { cwd: ROOT, env: { PATH: process.env.PATH, ...env } },
      (error, stdout, stderr) =>
        done({ code: error ? Number(error.code) : 0, stderr, json: stdout ? JSON.parse(stdout) : {} }),
    )
    child.stdin?.end(input)
  })

// biome-ignore lint/suspicious/noExplicitAny: each command has a document of its own
const run = async (verb: string, operand = '', flags: Record<string, string> = {}): Promise<any> => {
  const all: Record<string, string> = { workspace, ...flags }
  const command = webhookCommands.find(({ words }) => words === `webhook ${verb}`)
  return command!.run({ flags: all, flag: (name) => String(all[name]), operand }, () => readConfig(env, ROOT))
}

const created = await type(
  ['create', '--url', receiver.url, '--event-types', 'message.*', '--filter', '{}', '--headers-stdin'],
  'Authorization: Bearer mine\n',
)
const { id }: { id: string } = created.json.webhookEndpoint
const secret: string = created.json.secret

test('an endpoint is created with its secret, which is never shown again', async () => {
  assert.deepEqual([created.code, created.stderr], [0, ''])
  const { webhookEndpoints } = await run('list')
  assert.deepEqual(
    webhookEndpoints.map((one: Record<string, unknown>) => [one.id, one.url, one.eventTypes, one.headers]),
    [[id, receiver.url, ['message.*'], [{ name: 'authorization', isSet: true }]]],
  )
  assert.ok(!JSON.stringify(webhookEndpoints).includes(secret))
})

test('a test is sent at once, and shows what was signed and what came back', async () => {
  receiver.behave((_, response) => void response.writeHead(202).end('thanks'))
  const { attempt, signed, delivery } = await run('test', id, { type: 'message.created' })
  assert.deepEqual([attempt.status, attempt.responseBody, delivery.kind], [202, null, 'test'])
  const { headers, body } = receiver.received.at(-1)!
  assert.equal(headers.authorization, 'Bearer mine')
  assert.deepEqual(signed, { id: headers['webhook-id'], timestamp: headers['webhook-timestamp'], body })
  new Webhook(secret).verify(body, headers)
})

test('deliveries are listed, shown with their bytes, replayed by range and retried one by one', async () => {
  const made = await makeEvents(app, workspace, [{}, {}])
  const { deliveries } = await run('deliveries', id, {
    type: 'message.created',
    state: 'pending',
    limit: '1',
  })
  assert.deepEqual(
    deliveries.map(({ eventId }: { eventId: string }) => eventId),
    [made[1]!.id],
  )
  const { requestBody } = await run('delivery', deliveries[0].id)
  assert.equal(JSON.parse(requestBody).id, made[1]!.id)
  const { replay } = await run('replay', id, { from: '1', to: String(made[0]!.seq), types: 'message.*' })
  assert.equal(replay.count, 1)
  assert.equal((await run('replay', id, { from: '2026-01-01T00:00:00Z', state: 'failed' })).replay.count, 0)
  assert.equal((await run('retry', deliveries[0].id)).delivery.id, deliveries[0].id)
})

test('an endpoint is changed, paused, disabled, enabled, given another secret, and deleted', async () => {
  const changed = (await run('update', id, { name: 'CRM', eventTypes: 'all', maxInFlight: '3' }))
    .webhookEndpoint
  assert.deepEqual([changed.name, changed.eventTypes, changed.maxInFlight], ['CRM', null, 3])
  for (const [verb, status] of [
    ['pause', 'paused'],
    ['disable', 'disabled'],
  ] as const)
    assert.equal((await run(verb, id)).webhookEndpoint.status, status)
  assert.equal((await run('enable', id, { backlog: 'skip' })).webhookEndpoint.status, 'enabled')
  const rotated = await run('rotate', id, { overlap: '0' })
  assert.notEqual(rotated.secret, secret)
  assert.equal(rotated.previousValidUntil, null)
  assert.deepEqual(await run('delete', id), { success: true })
  assert.deepEqual(await run('list'), { webhookEndpoints: [] })
})

test('what is wrong names its flag, and another workspace’s endpoint isn’t found', async () => {
  const typed = await type(['update', id, '--max-in-flight', 'many'], '')
  assert.deepEqual([typed.code, typed.stderr], [1, '--max-in-flight must be an integer\n'])
  const listed = await type(['update', id, '--event-types', 'message.*,nope'], '')
  assert.match(listed.stderr, /^--event-types nope must be /)
  await assert.rejects(run('create', '', { url: 'http://10.0.0.1/' }), /VALIDATION_ERROR|invalid/i)
  await assert.rejects(run('create', '', { url: receiver.url, filter: '{' }), /--filter must be JSON/)
  await assert.rejects(run('update', id), /Give a setting/)
  await assert.rejects(run('replay', id, { from: 'yesterday' }), /invalid/i)
  const { webhookEndpoint } = await run('create', '', { url: receiver.url })
  for (const verb of ['test', 'pause', 'delete', 'deliveries'])
    await assert.rejects(run(verb, webhookEndpoint.id, { workspace: other.id }), /not found/)
})
