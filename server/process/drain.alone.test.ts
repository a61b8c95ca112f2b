import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import Fastify from 'fastify'
import { prepareDrain } from './drain.ts'

/** Before requests were held, each lost about four. */
const ROUNDS = 8

test('a busy server stops listening without losing a connection that was accepted for it', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    let isStopping = false
    const app = Fastify({ return503OnClosing: false, forceCloseConnections: 'idle' })
    const drain = prepareDrain(app, () => isStopping)
    app.post('/', async () => {
      const until = performance.now() + 1
      while (performance.now() < until);
      await delay(2)
      return {}
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const clients = new Worker(new URL('./testing/eager-clients.ts', import.meta.url), {
      workerData: { port },
    })
    await once(app.server, 'request')
    isStopping = true
    assert.equal(await drain({ delayMs: 100, timeoutMs: 15_000 }), true)
    clients.postMessage('stop')
    const [errors] = await once(clients, 'message')
    assert.deepEqual(errors, [])
  }
})
