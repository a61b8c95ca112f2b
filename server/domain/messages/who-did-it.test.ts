// Every event says who did it, and for which request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { makeFlow } from '../../../test/make-flow.ts'
import { makeConductor } from '../../jobs/conduct.ts'
import { recordedActor } from '../../platform/ctx/actor.ts'
import { asCustomer } from '../../platform/ctx/ctx.ts'
import { closeConversation } from '../conversations/set-conversation-status.ts'
import { flowOf } from '../flow-runs/testing/conducted.ts'
import { advanceStatus } from './message-status.ts'
import { receiveMessages } from './receive-messages.ts'

const app = await startApp()
const { call, ctxOf, db, make } = app
const workspace = await make.workspace()
const agent = await make.agent(workspace.id, { role: 'admin' })
const web = await make.channelAccount(workspace.id, 'web')

const eventsOf = (conversationId: string) =>
  db
    .selectFrom('events')
    .select(['type', 'actor', 'request_id as requestId'])
    .where('conversation_id', '=', conversationId)
    .orderBy('tx')
    .orderBy('id')
    .execute()

test('a program and a person are named, with the id of their request', async () => {
  const { id } = await make.conversation(workspace.id)
  await call(workspace.token, 'POST', `/conversations/${id}/close`, undefined, {
    headers: { 'x-request-id': 'crm-17' },
  })
  const person = await signIn(app, workspace.id, agent.id)
  const reopened = await person.call('POST', `/conversations/${id}/reopen`)
  assert.deepEqual(await eventsOf(id), [
    { type: 'conversation.status', actor: `token:${workspace.tokenId}`, requestId: 'crm-17' },
    {
      type: 'conversation.status',
      actor: `agent:${agent.id}`,
      requestId: reopened.headers['x-request-id'],
    },
  ])
})

test('the operator and background work are named, and have no request', async () => {
  const conversation = await make.conversation(workspace.id)
  const { id } = conversation
  const message = await make.message(workspace.id, conversation, { senderType: 'agent' })
  await closeConversation({ ...ctxOf(workspace.id), actor: { type: 'operator' } }, id)
  await advanceStatus(asCustomer(ctxOf(workspace.id)), [message.id], 'delivered')
  await advanceStatus(ctxOf(workspace.id), [message.id], 'read')
  assert.deepEqual(await eventsOf(id), [
    { type: 'conversation.status', actor: 'operator', requestId: null },
    { type: 'message.status', actor: 'system', requestId: null },
    { type: 'message.status', actor: 'customer', requestId: null },
  ])
})

test('what a customer writes is theirs, also in a batch with what the business wrote elsewhere', async () => {
  const { id, contactId } = await make.conversation(workspace.id, { channelAccountId: web })
  const contact = { id: contactId, name: 'Ada', email: null }
  const sentAt = app.clock.now()
  const common = { channelAccountId: web, contact, externalId: null, sentAt }
  await receiveMessages(asCustomer(ctxOf(workspace.id)), 'web', [
    { ...common, direction: 'inbound', body: 'Hello' },
    { ...common, direction: 'outbound', body: 'From my phone' },
  ])
  assert.deepEqual(
    (await eventsOf(id)).map(({ type, actor }) => ({ type, actor })),
    [
      { type: 'message.created', actor: 'customer' },
      { type: 'message.created', actor: 'system' },
    ],
  )
})

test('a flow is named in what it writes and does', async () => {
  const flow = await makeFlow(app, workspace.id, {
    definition: flowOf([{ type: 'send', text: 'Hello' }, { type: 'close' }] as never),
  })
  const { id, contactId } = await make.conversation(workspace.id, { channelAccountId: web })
  const conductor = makeConductor({ ...app.deps, log: app.app.log })
  await receiveMessages(asCustomer(ctxOf(workspace.id)), 'web', [
    {
      channelAccountId: web,
      contact: { id: contactId, name: 'Ada', email: null },
      externalId: null,
      sentAt: app.clock.now(),
      direction: 'inbound',
      body: 'Hi',
    },
  ])
  await conductor.conductDue()
  const automation = recordedActor({ type: 'flow', flowId: flow.id, runId: '' })
  const [first, ...rest] = (await eventsOf(id)).map(({ type, actor }) => ({ type, actor }))
  assert.deepEqual(first, { type: 'message.created', actor: 'customer' })
  assert.deepEqual(
    rest.map(({ actor }) => actor),
    rest.map(() => automation),
  )
  assert.deepEqual(rest.map(({ type }) => type).sort(), [
    'conversation.status',
    'flow_run.updated',
    'message.created',
  ])
})
