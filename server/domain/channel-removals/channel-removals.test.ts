// A channel's life: tested before it is added, known to fail, removed, and added again with its conversations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { until } from '../../../test/until.ts'
import { json, startProvider } from '../../inbound/items/testing/provider.ts'
import { applyRetention } from '../../jobs/apply-retention.ts'
import { DELIVERY_TIMING } from '../../jobs/delivery-timing.ts'
import { findChannelAccount } from '../channel-accounts/queries.ts'

const SECRET = 'a-webhook_secret'
const app = await startApp({ worker: { backoffMinMs: 60_000, backoffMaxMs: 60_000 } })
const { call, ctxOf, db, deps, make } = app

let isDown = false
let webhook: string | undefined
const bot = await startProvider(({ url, text }, response) => {
  const method = url.split('/').at(-1)
  if (!url.includes('/bot77:'))
    return json(response, { ok: false, error_code: 401, description: 'Unauthorized' }, 401)
  if (method === 'setWebhook') webhook = JSON.parse(text).url
  if (method === 'deleteWebhook') webhook = undefined
  if (method === 'getMe') return json(response, { ok: true, result: { username: 'kiln_bot' } })
  if (method === 'getWebhookInfo') return json(response, { ok: true, result: { url: webhook ?? '' } })
  if (method === 'sendMessage' && isDown)
    return json(response, { ok: false, error_code: 500, description: 'Internal' }, 500)
  json(response, { ok: true, result: { message_id: 900, chat: { id: 5, type: 'private' } } })
})
const telegram = { channel: 'telegram', botToken: '77:a', webhookSecret: SECRET, apiUrl: bot.url }

const fresh = async () => {
  const workspace = await make.workspace()
  const admin = await signIn(app, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
  const shown = async (id: string) =>
    (await admin.call('GET', '/channels')).body.channels.find((channel: { id: string }) => channel.id === id)
  const add = async (more: object = {}) => {
    const { status, body, text } = await admin.call('POST', '/channels?mustWork=true', {
      ...telegram,
      ...more,
    })
    assert.equal(status, 200, text)
    return body
  }
  const write = async (id: string, body: string, secret = SECRET) =>
    (
      await app.app.inject({
        method: 'POST',
        url: `/webhooks/telegram/${id}`,
        payload: {
          update_id: 1,
          message: {
            message_id: Math.ceil(Math.random() * 1e9),
            date: Math.floor(Date.now() / 1000),
            text: body,
            from: { id: 5, is_bot: false, first_name: 'Nic' },
            chat: { id: 5, type: 'private', first_name: 'Nic' },
          },
        },
        headers: { 'x-telegram-bot-api-secret-token': secret },
      })
    ).statusCode
  const conversations = async () =>
    (await call(workspace.token, 'GET', '/conversations')).body.conversations as {
      id: string
      lastMessage: { body: string }
    }[]
  return { workspace, admin, shown, add, write, conversations }
}

test('a channel is tested before it is added, and a bot’s webhook is registered at once', async () => {
  const { admin, add } = await fresh()
  const refused = await add({ botToken: '78:a' })
  assert.equal(refused.channel, null)
  assert.deepEqual([refused.checks.length, refused.checks[0].ok], [1, false])
  assert.deepEqual((await admin.call('GET', '/channels')).body.channels, [])
  const { channel, checks } = await add()
  assert.deepEqual(
    checks.map(({ ok }: { ok: boolean }) => ok),
    [true, true],
  )
  assert.ok(webhook?.endsWith(`/webhooks/telegram/${channel.id}`))
  assert.equal(channel.problem, null)
  assert.ok(channel.checkedAt && channel.workedAt)
  // Whoever wants it untested, because the provider is not ready, may have it so.
  const sms = {
    channel: 'sms',
    phoneNumber: '+15550783882',
    accountSid: 'AC1',
    authToken: 's',
    apiUrl: bot.url,
  }
  assert.equal((await admin.call('POST', '/channels?mustWork=true', sms)).body.channel, null)
  assert.ok((await admin.call('POST', '/channels', sms)).body.channel.id)
  const again = await admin.call('POST', '/channels?mustWork=true', telegram)
  assert.equal(again.body.error.code, 'VALIDATION_ERROR')
})

test('a failed test and wrong signatures are the channel’s problem, with what to do, until it works again', async () => {
  const { admin, add, shown, write } = await fresh()
  const { id } = (await add()).channel
  await admin.call('PATCH', `/channels/${id}`, { botToken: '77:b' })
  webhook = undefined
  const check = () => admin.call('POST', `/channels/${id}/check`)
  await check()
  const { problem } = await shown(id)
  assert.deepEqual([problem.code, problem.advice], ['WEBHOOK_CHECK_FAILED', 'Register the webhook below.'])
  await admin.call('POST', `/channels/${id}/webhook`)
  assert.equal((await shown(id)).problem, null)

  await sql`update channel_accounts set worked_at = null where id = ${id}`.execute(db)
  // A public program and the console say the same, apart from the advice.
  const later = app.clock.now
  app.clock.now = () => new Date(later().getTime() + 6_000)
  assert.equal(await write(id, 'Hi', 'another'), 401)
  assert.match((await shown(id)).problem.advice, /webhook secret/)
  app.clock.now = () => new Date(later().getTime() + 12_000)
  assert.equal(await write(id, 'Hi'), 200)
  const after = await shown(id)
  assert.deepEqual([after.problem, after.workedAt !== null], [null, true])
  app.clock.now = later
})

test('a removed channel sends and receives nothing, and is added again with its conversations', async () => {
  const { workspace, admin, add, shown, write, conversations } = await fresh()
  const { id } = (await add()).channel
  assert.equal(await write(id, 'Hello'), 200)
  const [conversation] = await conversations()
  const reply = (body: string) => admin.call('POST', `/conversations/${conversation!.id}/messages`, { body })
  isDown = true
  const waiting = (await reply('Wait')).body.message
  await until(
    async () =>
      (
        await sql`select 1 from deliveries where message_id = ${waiting.id} and state = 'pending' and tries = 1`.execute(
          db,
        )
      ).rows.length === 1,
    'the message to wait for its next try',
  )
  const preview = (await admin.call('GET', `/channels/${id}/removal`)).body
  assert.deepEqual(preview, { conversations: 1, open: 1, waiting: 1, flows: [], deleteAfterDays: null })
  const removed = await admin.call('POST', `/channels/${id}/remove`, { conversations: 'keep' })
  assert.deepEqual(removed.body, { notice: null })
  isDown = false
  assert.equal(webhook, undefined)
  assert.equal(await shown(id), undefined)
  assert.deepEqual((await call(workspace.token, 'GET', '/channels')).body.channels, [])
  const stored = await sql<{
    secrets: unknown
  }>`select secrets from channel_accounts where id = ${id}`.execute(db)
  assert.equal(stored.rows[0]!.secrets, null)
  assert.equal((await admin.call('POST', `/channels/${id}/remove`, { conversations: 'keep' })).status, 404)

  const failed = async () => {
    const { messages } = (await call(workspace.token, 'GET', `/conversations/${conversation!.id}/messages`))
      .body
    return messages.find((message: { id: string }) => message.id === waiting.id)
  }
  await until(async () => (await failed()).status === 'failed', 'the message to fail')
  assert.equal((await failed()).metadata.error.code, 'CHANNEL_REMOVED')
  const details = (await admin.call('GET', `/conversations/${conversation!.id}/details`)).body
  assert.equal(details.canReply, false)
  assert.match(details.cannotReplyReason, /removed/)
  assert.equal((await reply('Still there?')).body.error.code, 'CHANNEL_NOT_SUPPORTED')
  app.clock.now = (
    (now) => () =>
      new Date(now().getTime() + 6_000)
  )(app.clock.now)
  assert.equal(await write(id, 'Anyone?'), 404)

  const anew = (await add({ botToken: '77:replaced' })).channel
  assert.equal(anew.id, id)
  assert.equal(await write(id, 'Back again'), 200)
  assert.deepEqual(
    (await conversations()).map(({ id, lastMessage }) => [id, lastMessage.body]),
    [[conversation!.id, 'Back again']],
  )
  assert.equal((await reply('Yes')).body.message.status, 'sent')
  const { entries } = (await admin.call('GET', '/audit-log')).body
  assert.deepEqual(
    entries
      .map(({ action }: { action: string }) => action)
      .filter((action: string) => action.startsWith('channel.')),
    ['channel.added', 'channel.removed', 'channel.added'],
  )
})

test('a channel is removed with its conversations; adding it again keeps what comes then', async () => {
  const { admin, add, write, conversations } = await fresh()
  const { id } = (await add()).channel
  await write(id, 'Hello')
  assert.equal((await conversations()).length, 1)
  await admin.call('POST', `/channels/${id}/remove`, { conversations: 'delete' })
  const job = { ...deps, log: app.app.log, timing: DELIVERY_TIMING, isStopping: () => false }
  await applyRetention(job)
  await until(async () => (await conversations()).length === 0, 'the conversations to be deleted')
  await add()
  assert.equal(await write(id, 'New'), 200)
  await applyRetention({ ...job, now: () => new Date(Date.now() + 48 * 3_600_000) })
  assert.equal((await conversations()).length, 1)
})

test('of two removals at once one does it, and no other workspace’s channel is removed', async () => {
  const [mine, theirs] = [await fresh(), await fresh()]
  const { id } = (await mine.add()).channel
  const remove = (admin: typeof mine.admin) =>
    admin.call('POST', `/channels/${id}/remove`, { conversations: 'delete' })
  assert.equal((await remove(theirs.admin)).status, 404)
  assert.equal((await theirs.admin.call('GET', `/channels/${id}/removal`)).status, 404)
  assert.ok(await findChannelAccount(ctxOf(mine.workspace.id), id))
  const answers = await Promise.all([remove(mine.admin), remove(mine.admin)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404])
  // The same bot in another workspace gets a channel of its own.
  assert.notEqual((await theirs.add()).channel.id, id)
})
