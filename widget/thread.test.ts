import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createEventParser, type ServerEvent } from './parse-events.ts'
import { createThread } from './thread.ts'
import type { Message } from './types.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const message = (id: string, minute: number, fields: Partial<Message> = {}): Message => ({
  id,
  conversationId: 'c',
  body: id,
  senderType: 'agent',
  sender: { nickname: 'Mara' },
  status: 'sent',
  createdAt: new Date(noon + minute * 60_000).toISOString(),
  ...fields,
})
const own = (id: string, minute: number, body: string) =>
  message(id, minute, { senderType: 'customer', body })
const outgoing = (clientId: string, body: string) => ({
  clientId,
  body,
  createdAt: new Date(noon).toISOString(),
})
const shown = (thread: ReturnType<typeof createThread>) =>
  thread.bubbles().map(({ body, state }) => `${body} ${state}`)

test('messages are shown once and in order, however often and in whatever order they arrive', () => {
  const thread = createThread([])
  for (const id of ['c', 'a', 'b', 'a', 'c']) thread.merge(message(id, id.charCodeAt(0)))
  assert.deepEqual(shown(thread), ['a sent', 'b sent', 'c sent'])
})

test('an echo that arrives before the response to its send is not shown twice', () => {
  const thread = createThread([])
  thread.enqueue(outgoing('k1', 'Hi'))
  const key = thread.bubbles()[0]!.key
  thread.merge(own('m1', 0, 'Hi'))
  assert.deepEqual(shown(thread), ['Hi sending'])
  thread.settle('k1', own('m1', 0, 'Hi'))
  assert.deepEqual(shown(thread), ['Hi sent'])
  assert.equal(thread.bubbles()[0]!.key, key)
})

test('an echo with its client id replaces the unsent bubble, and the late response changes nothing', () => {
  const thread = createThread([])
  thread.enqueue(outgoing('k1', 'Hi'))
  thread.merge({ ...own('m1', 0, 'Hi'), clientId: 'k1' })
  assert.deepEqual(shown(thread), ['Hi sent'])
  assert.equal(thread.bubbles()[0]!.key, 'k1')
  thread.settle('k1', own('m1', 0, 'Hi'))
  thread.fail('k1', false)
  assert.deepEqual(shown(thread), ['Hi sent'])
})

test('the same text sent twice is shown twice, and an older equal message is no echo', () => {
  const thread = createThread([])
  thread.merge(own('old', -60, 'Hi'))
  thread.enqueue(outgoing('k1', 'Hi'))
  thread.enqueue(outgoing('k2', 'Hi'))
  thread.merge(own('m1', 0, 'Hi'))
  assert.deepEqual(shown(thread), ['Hi sent', 'Hi sending', 'Hi sending'])
  thread.settle('k1', own('m1', 0, 'Hi'))
  thread.settle('k2', own('m2', 0, 'Hi'))
  assert.deepEqual(shown(thread), ['Hi sent', 'Hi sent', 'Hi sent'])
})

test('a status only moves forward', () => {
  const thread = createThread([])
  thread.merge(own('m1', 0, 'Hi'))
  thread.setStatus('m1', 'read')
  thread.setStatus('m1', 'delivered')
  thread.merge(own('m1', 0, 'Hi'))
  assert.deepEqual(shown(thread), ['Hi read'])
})

test('messages to the visitor after the last one seen are unread, unless read elsewhere', () => {
  const thread = createThread([])
  thread.merge(message('a', 1))
  thread.merge(own('b', 2, 'b'))
  thread.merge(message('c', 3))
  thread.merge(message('d', 4))
  assert.equal(thread.unread(null).length, 3)
  assert.equal(thread.unread('a').length, 2)
  thread.setStatus('c', 'read')
  assert.equal(thread.unread('a').length, 1)
  assert.equal(thread.unread('d').length, 0)
})

test('a failed message stays in the outbox until it is retried', () => {
  const thread = createThread([outgoing('k1', 'one'), outgoing('k2', 'two')])
  thread.fail('k1', false)
  thread.fail('k2', true)
  assert.equal(thread.nextToSend(), undefined)
  thread.retryUnrefused()
  assert.equal(thread.nextToSend()?.clientId, 'k1')
  assert.deepEqual(shown(thread), ['one sending', 'two failed'])
})

const asking = (id: string, minute: number) =>
  message(id, minute, {
    body: 'Which?\n1. Red\n2. Blue',
    choices: { text: 'Which?', options: ['Red', 'Blue'].map(option) },
  })
const option = (title: string, index: number) => ({ number: index + 1, title, description: null })
const states = (thread: ReturnType<typeof createThread>) =>
  thread.bubbles().map(({ body, chosen, isAnswered }) => [body, chosen, isAnswered])

test('a question shows its text without the options, and the option tapped last is the chosen one', () => {
  const thread = createThread([])
  thread.merge(asking('q', 0))
  assert.deepEqual(states(thread), [['Which?', null, false]])
  thread.merge(message('m1', 1, { senderType: 'customer', choice: { messageId: 'q', number: 2 } }))
  thread.merge(message('m2', 2, { senderType: 'customer', choice: { messageId: 'q', number: 1 } }))
  assert.deepEqual(states(thread)[0], ['Which?', 1, true])
})

test('a tap marks its option before it is stored, and no longer once it has failed', () => {
  const thread = createThread([])
  thread.merge(asking('q', 0))
  thread.enqueue({ ...outgoing('k1', 'Blue'), choice: { messageId: 'q', number: 2 } })
  assert.deepEqual(states(thread)[0], ['Which?', 2, true])
  thread.fail('k1', false)
  assert.deepEqual(states(thread)[0], ['Which?', null, false])
})

test('a question that was answered in words has no chosen option', () => {
  const thread = createThread([])
  thread.merge(asking('q', 0))
  thread.merge(own('m1', 1, 'The blue one'))
  assert.deepEqual(states(thread)[0], ['Which?', null, true])
})

test('a tap keeps its client id until it is stored; tapping again later is another message', () => {
  const thread = createThread([])
  const tap = { messageId: 'q', number: 2 }
  thread.merge(asking('q', 0))
  const first = thread.tapIdOf(tap)
  thread.enqueue({ ...outgoing(first, 'Blue'), choice: tap })
  assert.equal(thread.tapIdOf(tap), first)
  assert.notEqual(thread.tapIdOf({ ...tap, number: 1 }), first)
  thread.settle(first, message('m1', 1, { senderType: 'customer', choice: tap }))
  assert.notEqual(thread.tapIdOf(tap), first)
})

test('an event stream is parsed the same however it is split', () => {
  const stream =
    ': ping\r\n\r\nid: 7\nevent: message\ndata: {"a":\ndata: "ä😀"}\n\nid:8\r\ndata:x\r\n\r\ndata: half'
  const expected: ServerEvent[] = [
    { id: '7', event: 'message', data: '{"a":\n"ä😀"}' },
    { id: '8', event: 'message', data: 'x' },
  ]
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 12 }), (cuts) => {
      const seen: ServerEvent[] = []
      const parse = createEventParser((event) => seen.push(event))
      const edges = [0, ...cuts.sort((a, b) => a - b), stream.length]
      for (let index = 1; index < edges.length; index++) parse(stream.slice(edges[index - 1], edges[index]))
      assert.deepEqual(seen, expected)
    }),
  )
})
