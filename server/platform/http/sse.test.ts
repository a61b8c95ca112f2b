import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Fastify from 'fastify'
import { openEvents, until } from '../../inbound/web/testing/visitor.ts'
import { type EventStream, makeEventStreams } from './sse.ts'

/** A server whose every request opens a stream. */
const startServer = async (options: Parameters<typeof makeEventStreams>[0] = {}) => {
  const streams = makeEventStreams(options)
  const opened: EventStream[] = []
  let closed = 0
  const app = Fastify()
  app.get('/events', async (_request, reply) => {
    opened.push(
      streams.open(reply, () => {
        closed += 1
      }),
    )
  })
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/events`
  after(() => {
    streams.closeAll()
    return app.close()
  })
  return { streams, opened, closedCount: () => closed, url }
}

test('a client that does not keep up is disconnected, and the others receive everything', async () => {
  const { streams, opened, closedCount, url } = await startServer()
  const slow = await openEvents(url, 'x')
  slow.pause()
  const quick = await openEvents(url, 'x')
  const padding = 'x'.repeat(64 * 1024)
  let sent = 0
  // The kernel's own buffers take some megabytes before anything is held back.
  await until(async () => {
    for (const stream of opened) stream.send({ event: 'message', data: { n: sent, padding } })
    sent += 1
    await until(() => quick.text().includes(`"n":${sent - 1},`))
    return closedCount() > 0
  })
  assert.equal(closedCount(), 1)
  assert.equal(streams.count(), 1)
  assert.deepEqual(
    quick.events().map(({ data }) => data.n),
    Array.from({ length: sent }, (_, n) => n),
  )
  quick.close()
})

test('a silent stream is kept alive', async () => {
  const { url } = await startServer({ heartbeatMs: 20 })
  const events = await openEvents(url, 'x')
  await until(() => events.text().split(': ping\n\n').length > 3)
  events.close()
})

test('a disconnect is noticed, and events that were not written are not confirmed', async () => {
  const { streams, opened, closedCount, url } = await startServer()
  const events = await openEvents(url, 'x')
  let written = 0
  const confirm = () => {
    written += 1
  }
  opened[0]?.send({ event: 'message', data: {} }, confirm)
  await until(() => written === 1)
  events.close()
  await until(() => closedCount() === 1)
  assert.equal(streams.count(), 0)
  opened[0]?.send({ event: 'message', data: {} }, confirm)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(written, 1)
})

test('no stream opens after closeAll', async () => {
  const { streams, url } = await startServer()
  const events = await openEvents(url, 'x')
  streams.closeAll()
  await until(() => events.isEnded())
  const refused = await fetch(url)
  assert.equal(refused.status, 503)
  assert.equal(streams.count(), 0)
})
