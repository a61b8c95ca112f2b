import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { SIGNATURE_MAX } from './signatures.ts'

const app = await startApp()
const { make } = app
const { id: w } = await make.workspace({ name: 'Northwind' })
const jane = await signIn(app, w, (await make.agent(w, { nickname: 'Jane Roe', role: 'admin' })).id)
const sam = await signIn(app, w, (await make.agent(w, { nickname: 'Sam', role: 'admin' })).id)
const mailbox = await make.channelAccount(w, 'email')
const contact = await make.contact(w, { name: 'Ines Moreau' })
const { id: conversationId } = await make.conversation(w, {
  channel: 'email',
  channelAccountId: mailbox,
  contactId: contact.id,
})
const below = async (who: typeof jane): Promise<string> =>
  (await who.call('GET', `/conversations/${conversationId}/signature`)).body.text

test('a person’s own signature goes below their emails, and the mailbox’s below those of everyone else', async () => {
  assert.equal(await below(jane), '')
  const set = await jane.call('PUT', `/channels/${mailbox}/signature`, {
    body: '{{agent.name}}\n{{workspace.name}}',
  })
  assert.equal(set.status, 200, set.text)
  assert.equal(await below(jane), 'Jane Roe\nNorthwind')
  await jane.call('PUT', '/signature', { body: 'Your {{agent.firstName}}, {{contact.firstName}}' })
  assert.equal(await below(jane), 'Your Jane, Ines')
  assert.equal(await below(sam), 'Sam\nNorthwind')
  assert.deepEqual((await sam.call('GET', '/signature')).body, { body: null })

  assert.deepEqual((await jane.call('PUT', '/signature', { body: ' ' })).body, { body: null })
  assert.equal(await below(jane), 'Jane Roe\nNorthwind')
  assert.deepEqual((await jane.call('GET', `/channels/${mailbox}/signature`)).body, {
    body: '{{agent.name}}\n{{workspace.name}}',
  })
})

test('a signature names only values that there are, and has at most 2,000 characters', async () => {
  const unknown = await jane.call('PUT', '/signature', { body: '{{run.x}}' })
  assert.deepEqual([unknown.status, unknown.body.error.details[0].field], [400, 'body'])
  assert.equal((await jane.call('PUT', '/signature', { body: 'x'.repeat(SIGNATURE_MAX + 1) })).status, 400)
  assert.equal((await jane.call('PUT', '/signature', { body: 'x'.repeat(SIGNATURE_MAX) })).status, 200)
})

test('only mailboxes have a signature, and only those of the workspace', async () => {
  const web = await make.channelAccount(w, 'web')
  const elsewhere = await make.channelAccount((await make.workspace()).id, 'email')
  for (const id of [web, elsewhere, 'nothing']) {
    assert.equal((await jane.call('GET', `/channels/${id}/signature`)).body.error.code, 'CHANNEL_NOT_FOUND')
    assert.equal((await jane.call('PUT', `/channels/${id}/signature`, { body: 'x' })).status, 404)
  }
})
