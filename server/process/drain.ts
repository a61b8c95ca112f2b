// Shuts down an HTTP server behind a proxy without losing any request the proxy sends.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { within } from '../platform/within.ts'

/** How long a connection without a request so far may still send one. */
const UNUSED_CONNECTION_MS = 300
/** Node closes idle connections once; those of requests that end later are found by checking this often. */
const LOOK_EVERY_MS = 50

/** In a turn of the event loop this short, no connections can be waiting unseen. */
const QUIET_TURN_MS = 1
const QUIET_TURNS_MAX = 200

/** Responses carry `Connection: close` during shutdown, so that a proxy opens its next connection elsewhere. */
export const closeConnectionsWhile = (app: FastifyInstance, isStopping: () => boolean): void => {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping()) reply.header('connection', 'close')
    done(null, payload)
  })
}

/**
 * Keeps serving for a while, so that proxies notice that it is no longer ready, then stops listening. Connections
 * accepted by the system but not yet by the server are lost with the listener, so it closes in a turn that found few.
 */
export const stopListening = async (server: Server, delayMs: number): Promise<void> => {
  await delay(delayMs)
  for (let turn = 0; turn < QUIET_TURNS_MAX; turn++) {
    const startMs = performance.now()
    await nextTurn()
    if (performance.now() - startMs < QUIET_TURN_MS) break
  }
  if (server.listening) server.close()
}

/** Waits for `closing` and for running requests. False if time ran out and the rest was cut off. */
type Drain = (closing: Promise<unknown>, timeoutMs: number) => Promise<boolean>

/** Tracks a server's connections from the start, so that it can be drained in the end. */
export const prepareDrain = (server: Server): Drain => {
  // Browsers open connections in advance. Node counts those as busy, and would wait for them.
  const unused = new Set<Socket>()
  const watch = (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  }
  server.on('connection', watch)
  server.on('secureConnection', watch)
  server.on('request', ({ socket }) => {
    unused.delete(socket)
  })

  return async (closing, timeoutMs) => {
    const looking = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS)
    try {
      if (await within(closing, UNUSED_CONNECTION_MS)) return true
      for (const socket of unused) socket.destroy()
      if (await within(closing, timeoutMs - UNUSED_CONNECTION_MS)) return true
      server.closeAllConnections()
      await closing
      return false
    } finally {
      clearInterval(looking)
    }
  }
}
