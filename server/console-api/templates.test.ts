import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { connect, startGraph } from '../inbound/whatsapp/testing/provider.ts'

const app = await startApp()
const { call: api, make } = app
const graph = await startGraph()
after(graph.stop)

const template = (name: string, more: object = {}) => ({
  name,
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
  id: '1',
  components: [{ type: 'BODY', text: 'Hello {{1}}', example: { body_text: [['Ines']] } }],
  ...more,
})

test('templates in every state are listed live for any member, each with the numbers that can send it now', async () => {
  const workspace = await make.workspace()
  const { call } = await signIn(app, workspace.id, (await make.agent(workspace.id)).id)
  assert.deepEqual((await call('GET', '/templates')).body, { templates: [] })
  const first = await connect(app, workspace.id, { apiUrl: graph.url })
  const second = await connect(app, workspace.id, {
    apiUrl: graph.url,
    phoneNumber: '+15550783882',
    phoneNumberId: '2',
    businessAccountId: 'another',
  })
  graph.answer = ({ url }, response) => {
    const isFirst = url.includes('102290129340398')
    const data = isFirst
      ? [template('shared'), template('refused', { status: 'REJECTED', rejected_reason: 'SPAM' })]
      : [template('shared', { status: 'PAUSED' }), template('own')]
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
  }
  const { body, status } = await call('GET', '/templates')
  assert.equal(status, 200)
  const shown = body.templates.map(
    ({ name, status, isSendable, rejectedReason, sendingNumbers }: Record<string, unknown>) => [
      name,
      status,
      isSendable,
      rejectedReason,
      (sendingNumbers as { id: string }[]).map(({ id }) => id),
    ],
  )
  assert.deepEqual(shown, [
    ['own', 'APPROVED', true, null, [second]],
    ['refused', 'REJECTED', false, 'SPAM', []],
    ['shared', 'APPROVED', true, null, [first]],
  ])
  assert.deepEqual(body.templates[0].sendingNumbers, [{ id: second, address: '+15550783882' }])
  assert.deepEqual(body.templates[0].exampleValues, ['Ines'])
  // What does not answer is shown as it last was.
  graph.answer = (_, response) => void response.writeHead(500).end()
  assert.deepEqual((await call('GET', '/templates')).body, body)
})

test('the parameter count in the API is the number that a send requires', async () => {
  const workspace = await make.workspace()
  await connect(app, workspace.id, { apiUrl: graph.url })
  graph.answer = undefined
  graph.templates = [
    template('everywhere', {
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
        { type: 'BODY', text: 'Hello {{1}}' },
        {
          type: 'BUTTONS',
          buttons: [{ type: 'URL', text: 'Track', url: 'https://northwind.example/{{1}}' }],
        },
      ],
    }),
  ]
  const { body } = await api(workspace.token, 'GET', '/whatsapp/templates')
  assert.equal(body.templates[0].variableCount, 3)
  const send = (count: number) =>
    api(workspace.token, 'POST', '/whatsapp/messages', {
      to: '+351912345678',
      templateName: 'everywhere',
      parameters: Array.from({ length: count }, (_, index) => `value ${index}`),
    })
  assert.equal((await send(3)).status, 200)
  for (const count of [1, 2, 4]) {
    const refused = await send(count)
    assert.deepEqual(
      refused.body.error.details.map(({ field }: { field: string }) => field),
      ['parameters'],
    )
  }
})
