import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { until } from '../../test/until.ts'
import { connectFresh, hang, json, startProvider } from '../inbound/items/testing/provider.ts'
import { kill, startKillable } from './testing/killable.ts'

const REACTIONS = 12

const app = await startApp()
const { database, db, make } = app

test('workers killed before, during and after the calls leave each message with its reaction, and nothing waits', async () => {
  const bot = await startProvider((_, response) => json(response, { ok: true, result: true }))
  const { workspace, channelId } = await connectFresh(app, 'telegram', {
    botToken: '7:token',
    webhookSecret: 'shh',
    apiUrl: bot.url,
  })
  const jane = await signIn(app, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
  const contact = await make.contact(workspace.id)
  await db
    .insertInto('identities')
    .values({
      ...{ workspace_id: workspace.id, contact_id: contact.id, kind: 'telegram', value: '9' },
      created_at: new Date(),
    })
    .execute()
  const place = { contactId: contact.id, channel: 'telegram', channelAccountId: channelId } as const
  const conversation = await make.conversation(workspace.id, place)
  const ids: string[] = []
  for (let index = 0; index < REACTIONS; index++)
    ids.push((await make.message(workspace.id, conversation, { externalId: `9:${index}` })).id)
  const react = async (emoji: string | null) => {
    for (const id of ids)
      assert.equal((await jane.call('PUT', `/messages/${id}/reaction`, { emoji })).status, 200)
  }
  const open = async () =>
    (await db.selectFrom('sent_reactions').select('state').where('state', '<>', 'sent').execute()).length
  /** What the customer sees. */
  const seen = new Map<number, string | null>()
  const answerAll = bot.answer
  bot.answer = (asked, response) => {
    const { message_id, reaction } = JSON.parse(asked.text)
    seen.set(message_id, reaction[0]?.emoji ?? null)
    answerAll(asked, response)
  }
  const accepting = bot.answer

  // Nobody sends when they are given; the worker that takes them up is killed while the provider is silent.
  await react('👍')
  bot.answer = hang
  const first = await startKillable(database.connectionString)
  await until(() => bot.asked.length > 0, 'a call')
  await kill(first)
  bot.answer = accepting
  const second = await startKillable(database.connectionString)
  await until(async () => (await open()) === 0, 'all to be sent', 30_000)
  assert.deepEqual([...seen.values()], Array(REACTIONS).fill('👍'))

  // Killed anywhere in between, with others wanted meanwhile.
  await react('❤️')
  await until(() => bot.asked.length > REACTIONS, 'some calls')
  await kill(second)
  await react(null)
  const third = await startKillable(database.connectionString)
  await until(async () => (await open()) === 0, 'all to be sent', 30_000)
  await kill(third)
  assert.equal(seen.size, REACTIONS)
  assert.deepEqual([...seen.values()], Array(REACTIONS).fill(null))
})
