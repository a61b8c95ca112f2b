import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PUBLIC_TYPES, type PublicTypeName, type RecordedEvent, toPublic } from './catalogue.ts'
import { requireFitting } from './testing/require-fitting.ts'

const recorded = (type: string, data: Record<string, unknown>, more: Partial<RecordedEvent> = {}) =>
  toPublic({ type, data, actor: 'system', ...more })

for (const type of Object.keys(PUBLIC_TYPES) as PublicTypeName[]) {
  const { data, example, description } = PUBLIC_TYPES[type]
  test(`the example of ${type} fits its data, and its name is noun.past`, () => {
    requireFitting({ type, data: example })
    assert.deepEqual(Object.keys(example).sort(), Object.keys(data.properties).sort())
    assert.match(type, /^(ping|[a-z_]+\.[a-z_]+)$/)
    assert.match(description, /\.$/)
  })
}

test('one recorded type becomes several public ones, by what has happened', () => {
  const conversationId = 'c1'
  const by = 'system'
  const typeOf = (type: string, data: Record<string, unknown>) => recorded(type, data)?.type ?? null
  const moved = (status: string, previousStatus: string) =>
    typeOf('conversation.status', { conversationId, status, previousStatus, by })
  assert.equal(moved('closed', 'open'), 'conversation.closed')
  assert.equal(moved('open', 'closed'), 'conversation.reopened')
  const assigned = (agentId: string | null, previousAgentId: string | null) =>
    typeOf('conversation.assigned', { conversationId, agentId, previousAgentId })
  assert.equal(assigned('a', null), 'conversation.assigned')
  assert.equal(assigned('a', 'b'), 'conversation.assigned')
  assert.equal(assigned(null, 'b'), 'conversation.unassigned')
  const broadcast = (step: string | null, status: string) =>
    typeOf('broadcast.updated', { broadcastId: 'b', step, status })
  assert.deepEqual(
    [
      broadcast('started', 'sending'),
      broadcast('progressed', 'sending'),
      broadcast('ended', 'completed'),
      broadcast('ended', 'failed'),
      broadcast(null, 'sending'),
    ],
    ['broadcast.started', 'broadcast.progressed', 'broadcast.completed', 'broadcast.failed', null],
  )
  const template = (status: string) =>
    typeOf('template.status', { name: 'n', language: 'en', status, reason: null })
  assert.deepEqual(['APPROVED', 'REINSTATED', 'REJECTED', 'PAUSED', 'PENDING', 'constructor'].map(template), [
    'template.approved',
    'template.approved',
    'template.rejected',
    'template.paused',
    null,
    null,
  ])
  const message = (status: string) => typeOf('message.status', { messageId: 'm', status })
  assert.deepEqual(['queued', 'sent', 'delivered', 'read', 'failed'].map(message), [
    null,
    'message.sent',
    'message.delivered',
    'message.read',
    'message.failed',
  ])
})

test('a step of a flow, an unknown type and what an earlier release recorded are private', () => {
  assert.equal(recorded('flow_run.updated', { runId: 'r', flowId: 'f', status: 'running' }), null)
  assert.equal(recorded('contact.blocked', { contactId: 'k', visitor: true, address: '203.0.113.7' }), null)
  assert.equal(recorded('something.else', {}), null)
  assert.equal(recorded('toString', {}), null)
  assert.equal(recorded('note.created', { noteId: 'n' })?.type, 'note.created')
  assert.equal(recorded('note.created', { noteId: 'n' }, { actor: null }), null)
})
