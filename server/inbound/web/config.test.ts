import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { languages } from '../../../widget/languages.ts'
import { CHAT_LANGUAGES } from '../../domain/chat-boxes/schema.ts'

const started = await startApp()
const { app, clock, make } = started

const newSite = async () => {
  const workspace = await make.workspace()
  const agent = await make.agent(workspace.id, { role: 'admin' })
  const admin = await signIn(started, workspace.id, agent.id)
  const channelId = await make.channelAccount(workspace.id)
  return { workspace, agent, admin, channelId }
}
const configOf = (channelId: string, headers = {}) =>
  app.inject({ url: `/widget/${channelId}/config`, headers })

test('a channel without settings has the defaults, which name nobody', async () => {
  const { channelId } = await newSite()
  const { statusCode, headers, body } = await configOf(channelId, { origin: 'https://shop.example' })
  assert.equal(statusCode, 200)
  assert.equal(headers['access-control-allow-origin'], 'https://shop.example')
  assert.match(String(headers['cache-control']), /max-age=30/)
  const { team, theme, side, language, isOpen, opensAt, replyMinutes } = JSON.parse(body)
  assert.deepEqual(
    [team, theme, side, language, isOpen, opensAt, replyMinutes],
    [[], 'auto', 'auto', 'auto', null, null, null],
  )
})

test('settings are changed one by one, and shown on the site; another workspace can’t', async () => {
  const { admin, agent, channelId } = await newSite()
  const path = `/channels/${channelId}/chat-box`
  const { status, body } = await admin.call('PATCH', path, {
    greeting: ' Hello ',
    color: '#2f5d50',
    showsTeam: true,
  })
  assert.equal(status, 200)
  assert.equal(body.chatBox.settings.greeting, 'Hello')
  await admin.call('PATCH', path, { theme: 'dark' })
  const config = JSON.parse((await configOf(channelId)).body)
  assert.deepEqual(
    [config.greeting, config.color, config.theme, config.team],
    ['Hello', '#2f5d50', 'dark', [agent.nickname]],
  )
  for (const change of [
    { color: 'red' },
    { theme: 'blue' },
    { side: 'top' },
    { language: 'sv' },
    { greeting: 'x'.repeat(501) },
    { launcherLabel: 'x'.repeat(31) },
  ])
    assert.equal((await admin.call('PATCH', path, change)).status, 400)
  const other = await newSite()
  assert.equal((await other.admin.call('PATCH', path, { theme: 'light' })).status, 404)
  assert.equal((await other.admin.call('GET', path)).status, 404)
})

test('hours come from the default business hours, unless they are hidden', async () => {
  const { admin, channelId } = await newSite()
  await admin.call('POST', '/business-hours', {
    name: 'Never',
    isDefault: true,
    timeZone: 'UTC',
    weekly: {},
    exceptions: [],
  })
  const shut = JSON.parse((await configOf(channelId)).body)
  assert.deepEqual([shut.isOpen, shut.opensAt], [false, null])
  const hidden = await newSite()
  await hidden.admin.call('PATCH', `/channels/${hidden.channelId}/chat-box`, { showsHours: false })
  assert.equal(JSON.parse((await configOf(hidden.channelId)).body).isOpen, null)
})

test('the usual reply time is the median of first replies by people, once there are five', async () => {
  const { workspace, agent, channelId } = await newSite()
  const reply = async (minutes: number) => {
    const conversation = await make.conversation(workspace.id, {
      channel: 'web',
      channelAccountId: channelId,
    })
    const asked = clock.now()
    await make.message(workspace.id, conversation, { at: asked })
    await make.message(workspace.id, conversation, {
      senderType: 'agent',
      senderId: agent.id,
      at: new Date(asked.getTime() + minutes * 60_000),
    })
  }
  for (const minutes of [1, 2, 30, 50]) await reply(minutes)
  assert.equal(JSON.parse((await configOf(channelId)).body).replyMinutes, null)
  await reply(500)
  const second = await make.channelAccount(workspace.id)
  assert.equal(JSON.parse((await configOf(second)).body).replyMinutes, 30)
})

test('the languages of the settings are those with words', () => {
  assert.deepEqual([...CHAT_LANGUAGES], [...languages])
})
