// Events of the feed, posted to a local address as webhooks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { makeSecret } from '../server/domain/webhooks/secrets.ts'
import { makeEvents } from '../server/domain/webhooks/testing/make-events.ts'
import { startReceiver } from '../server/domain/webhooks/testing/receiver.ts'
import { startApp } from '../test/app.ts'
import { listen } from './listen-command.ts'

const app = await startApp()
const workspace = await app.make.workspace()
const { secret: token } = await app.make.token(workspace.id)
const server = new URL(await app.app.listen({ port: 0, host: '127.0.0.1' }))

/** Listens until a line says that this number was forwarded. */
const listenUntil = async (last: number, given: { forwardTo: URL; secret: string; cursor?: string }) => {
  const stop = new AbortController()
  const lines: string[] = []
  const cursor = await listen({
    ...{ server, token, types: 'message.*', cursor: undefined, signal: stop.signal },
    ...given,
    print: (line) => {
      lines.push(line)
      if (line.startsWith(`${last} `)) setImmediate(() => stop.abort())
    },
  })
  return { cursor, lines }
}

test('events are posted in order, signed, one line each, and listening goes on where it ended', async () => {
  const receiver = await startReceiver(({ event }) => (event.sequence === 3 ? 500 : 200))
  const forwardTo = new URL(receiver.url)
  const secret = makeSecret()
  const { body } = await app.call(token, 'GET', '/events')
  await makeEvents(app, workspace.id, [{}, { type: 'tag.created' }, {}])
  const first = await listenUntil(3, { forwardTo, secret, cursor: body.cursor })
  assert.deepEqual(first.lines, [
    `Signing secret: ${secret}`,
    `Forwarding events to ${forwardTo}`,
    '1 message.created: 200',
    '3 message.created: 500',
  ])
  for (const { headers, body } of receiver.received) new Webhook(secret).verify(body, headers)
  assert.deepEqual(
    receiver.received.map(({ event }) => [event.sequence, event.previous]),
    [
      [1, null],
      [3, 1],
    ],
  )
  await makeEvents(app, workspace.id, [{}])
  await listenUntil(4, { forwardTo, secret, cursor: first.cursor! })
  assert.deepEqual(receiver.sequences(), [1, 3, 4])
})

test('a local address that doesn’t respond is said in the line, and an unknown token ends it', async () => {
  const { body } = await app.call(token, 'GET', '/events')
  const [made] = await makeEvents(app, workspace.id, [{}])
  // Nothing listens on port 1.
  const given = { forwardTo: new URL('http://127.0.0.1:1/'), secret: makeSecret(), cursor: body.cursor }
  const { lines } = await listenUntil(made!.seq, given)
  assert.match(lines.at(-1)!, /^5 message\.created: no response \(/)
  const stop = new AbortController()
  const wrong = { ...given, server, token: 'wrong', types: undefined, signal: stop.signal, print: () => {} }
  await assert.rejects(listen(wrong), /responded 401/)
})
