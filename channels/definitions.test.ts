import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHANNELS_OFFERED, DEFINITIONS } from './definitions.ts'
import { CHANNELS } from './names.ts'

test('every channel is offered', () => {
  assert.deepEqual([...CHANNELS_OFFERED].sort(), [...CHANNELS].sort())
})

test('the fields that a definition refers to exist, and its secrets are stored as secrets', () => {
  for (const [channel, { fields, sharedWebhook }] of Object.entries(DEFINITIONS)) {
    const secrets = Object.values(fields).flatMap(({ sendsSecrets = [] }) => sendsSecrets)
    if (sharedWebhook) {
      secrets.push(sharedWebhook.secretField)
      const place = fields[sharedWebhook.nameField]?.in
      assert.ok(place === 'settings' || place === 'address', channel)
    }
    for (const secret of secrets) assert.equal(fields[secret]?.in, 'secrets', `${channel}: ${secret}`)
  }
})

test('an account has at most one address and exactly one name', () => {
  for (const [channel, { fields }] of Object.entries(DEFINITIONS)) {
    const all = Object.values(fields)
    assert.ok(all.filter((field) => field.in === 'address' || field.isAddress).length <= 1, channel)
    assert.equal(all.filter((field) => field.in === 'name').length, 1, channel)
  }
})
