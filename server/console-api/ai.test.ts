import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { DEFAULT_SETTINGS, DEFAULT_SPEAKING } from '../domain/ai/default-settings.ts'
import { AFTER_MINUTES_MAX, AI_NAME_MAX, EXPECTATION_MAX } from '../domain/ai/schema.ts'

const app = await startApp()
const { make } = app

const fresh = async () => {
  const workspace = await make.workspace()
  const admin = await make.agent(workspace.id, { role: 'admin' })
  return signIn(app, workspace.id, admin.id)
}

const DEFAULTS = {
  isStopped: false,
  name: null,
  speaking: DEFAULT_SETTINGS.speaking,
  handOver: { agentId: null, teamId: null, tagId: null },
  expectation: null,
  handOverTexts: {},
  asksAddress: false,
  budget: { day: null, month: null },
  privacy: { hidesContacts: false, requestsKeptDays: 30, sendsPictures: false },
}
const SPENDING = [
  { period: 'day', currency: 'USD', cost: 0, budget: null },
  { period: 'month', currency: 'USD', cost: 0, budget: null },
]

test('settings have defaults until they are saved, keep what a change leaves out, and belong to one workspace', async () => {
  const ada = await fresh()
  const other = await fresh()
  const { body } = await ada.call('GET', '/ai-settings')
  assert.deepEqual(body, { settings: DEFAULTS, isEnabled: false, isOff: false, spending: SPENDING })
  await ada.call('PUT', '/ai-agent', { enabled: true })
  const given = {
    name: 'J'.repeat(AI_NAME_MAX),
    speaking: { web: { mode: 'silent', afterMinutes: AFTER_MINUTES_MAX, audience: { tagIds: ['vip'] } } },
    expectation: 'x'.repeat(EXPECTATION_MAX),
    handOverTexts: { de: 'Bald: {{expectation}}', fi: 'y'.repeat(EXPECTATION_MAX) },
    asksAddress: true,
    budget: { day: 5_000_000, month: null },
    privacy: { hidesContacts: true, requestsKeptDays: 365, sendsPictures: true },
  }
  const saved = await ada.call('PATCH', '/ai-settings', given)
  assert.deepEqual(saved.body, {
    settings: {
      ...DEFAULTS,
      ...given,
      speaking: {
        ...DEFAULTS.speaking,
        web: {
          ...DEFAULT_SPEAKING,
          ...given.speaking.web,
          audience: { ...DEFAULT_SPEAKING.audience, tagIds: ['vip'] },
        },
      },
    },
    isEnabled: true,
    isOff: false,
    spending: [{ ...SPENDING[0], budget: 5_000_000 }, SPENDING[1]],
  })
  assert.deepEqual((await ada.call('GET', '/ai-settings')).body, saved.body)
  assert.deepEqual((await other.call('GET', '/ai-settings')).body.settings, DEFAULTS)
  assert.deepEqual((await ada.call('PATCH', '/ai-settings', {})).body, saved.body)
  const { web } = (await ada.call('PATCH', '/ai-settings', { speaking: { web: { mode: 'new' } } })).body
    .settings.speaking
  assert.deepEqual(web, { ...saved.body.settings.speaking.web, mode: 'new' })
  const cleared = await ada.call('PATCH', '/ai-settings', { name: null, budget: DEFAULTS.budget })
  assert.deepEqual([cleared.body.settings.name, cleared.body.settings.budget], [null, DEFAULTS.budget])
  assert.equal(cleared.body.settings.expectation, given.expectation)
})

test('what is stopped stays stopped when the settings are saved, until it is started', async () => {
  const ada = await fresh()
  const { body } = await ada.call('PUT', '/ai-settings/stopped', { isStopped: true })
  assert.equal(body.settings.isStopped, true)
  await ada.call('PATCH', '/ai-settings', { name: 'Juno' })
  const shown = (await ada.call('GET', '/ai-settings')).body.settings
  assert.deepEqual([shown.isStopped, shown.name], [true, 'Juno'])
  await ada.call('PUT', '/ai-settings/stopped', { isStopped: false })
  assert.equal((await ada.call('GET', '/ai-settings')).body.settings.isStopped, false)
})

test('values beyond the limits are refused by name', async () => {
  const ada = await fresh()
  for (const [field, change] of [
    ['name', { name: 'J'.repeat(AI_NAME_MAX + 1) }],
    ['name', { name: '' }],
    ['expectation', { expectation: 'x'.repeat(EXPECTATION_MAX + 1) }],
    ['expectation', { expectation: 'Hello {{contact.email}}' }],
    ['handOverTexts.de', { handOverTexts: { de: 'x'.repeat(EXPECTATION_MAX + 1) } }],
    ['handOverTexts.de', { handOverTexts: { de: '{{name}}' } }],
    ['speaking.web.hours', { speaking: { web: { hours: 'sometimes' } } }],
    ['speaking.sms.mode', { speaking: { sms: { mode: 'always' } } }],
    ['speaking.web.afterMinutes', { speaking: { web: { afterMinutes: 0 } } }],
    ['speaking.web.afterMinutes', { speaking: { web: { afterMinutes: AFTER_MINUTES_MAX + 1 } } }],
    ['privacy.requestsKeptDays', { privacy: { hidesContacts: true, requestsKeptDays: -1 } }],
    ['privacy.requestsKeptDays', { privacy: { hidesContacts: true, requestsKeptDays: 366 } }],
    ['budget.day', { budget: { day: -1, month: null } }],
  ] as const) {
    const { status, body, text } = await ada.call('PATCH', '/ai-settings', change)
    assert.equal(status, 400, text)
    assert.equal(body.error.details[0].field, field)
  }
})
