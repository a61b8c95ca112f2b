import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import {
  connect,
  deliver,
  messageOf,
  refuse,
  startGraph,
  webhook,
} from '../../inbound/whatsapp/testing/provider.ts'

const app = await startApp({ worker: true, deps: { settleMs: 3_000 } })
const { call, make } = app
const graph = await startGraph()
after(graph.stop)

test('a send that is refused for the number’s own sake is the channel’s problem until one goes out', async () => {
  const workspace = await make.workspace()
  const channelId = await connect(app, workspace.id, { apiUrl: graph.url })
  const admin = await signIn(app, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
  await deliver(app, channelId, webhook(messageOf({ waId: '16505551234', name: 'Ines' }, 'Hello')))
  const [conversation] = (await call(workspace.token, 'GET', '/conversations')).body.conversations
  const reply = async () =>
    (await call(workspace.token, 'POST', `/conversations/${conversation.id}/messages`, { body: 'Hi' })).body
      .message
  const problem = async () => (await admin.call('GET', '/channels')).body.channels[0].problem
  graph.answer = refuse(131026)
  assert.equal((await reply()).status, 'failed')
  assert.equal(await problem(), null)
  graph.answer = refuse(190, 401)
  assert.equal((await reply()).status, 'failed')
  const { code, message } = await problem()
  assert.equal(code, '190')
  assert.ok(message.length > 10)
  graph.answer = undefined
  assert.equal((await reply()).status, 'sent')
  assert.equal(await problem(), null)
})
