import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { until } from '../../../test/until.ts'
import { connect, deliver, messageOf, startGraph, webhook } from '../../inbound/whatsapp/testing/provider.ts'

const app = await startApp({ worker: true })
const { db, make } = app
const graph = await startGraph()
after(graph.stop)

test('a reply in the console to a certain message quotes it on WhatsApp, and no message of another conversation', async () => {
  const workspace = await make.workspace()
  const channelId = await connect(app, workspace.id, { apiUrl: graph.url })
  const people = [
    { waId: '16505551234', name: 'Ines' },
    { waId: '16505551235', name: 'Bo' },
  ]
  for (const [index, person] of people.entries())
    await deliver(app, channelId, webhook(messageOf(person, `Question ${index}`, { id: `wamid.q${index}` })))
  const asked = await db
    .selectFrom('messages')
    .select(['id', 'conversation_id', 'body'])
    .where('workspace_id', '=', workspace.id)
    .orderBy('body')
    .execute()
  const admin = await make.agent(workspace.id, { role: 'admin' })
  const { call } = await signIn(app, workspace.id, admin.id)
  const path = `/conversations/${asked[0]!.conversation_id}/messages`
  const { status, body, text } = await call('POST', path, { body: 'Yes', replyTo: asked[0]!.id })
  assert.equal(status, 200, text)
  assert.deepEqual([body.message.replyToMessageId, body.message.replyQuote], [asked[0]!.id, 'Question 0'])
  await until(() => graph.sent().length === 1, 'the message to go out')
  assert.deepEqual(graph.sent()[0]!.context, { message_id: 'wamid.q0' })
  for (const replyTo of [asked[1]!.id, 'nothing']) {
    const refused = await call('POST', path, { body: 'Yes', replyTo })
    assert.equal(refused.status, 400)
    assert.equal(refused.body.error.details[0].field, 'replyTo')
  }
})
