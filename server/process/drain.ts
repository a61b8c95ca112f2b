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

/** Without a new connection for this long, none is waiting unseen. */
const QUIET_MS = 100
/** Under steady arrivals there is no such moment; the listener closes anyway. */
const HOLD_MAX_MS = 1_000

/** Finishes with closing the app. False if time ran out, and requests were cut off. */
export type Drain = (limits: { delayMs: number; timeoutMs: number }) => Promise<boolean>

/**
 * Drains an app's server in the end: it serves on for `delayMs`, so that proxies notice that it is no longer ready,
 * stops listening, and has `timeoutMs` for the requests it still has. Responses carry `Connection: close` meanwhile, so
 * that a proxy opens its next connection elsewhere.
 */
export const prepareDrain = (app: FastifyInstance, isStopping: () => boolean): Drain => {
  const { server } = app
  const unused = watchUnused(server)
  const holdRequests = makeHold(app)
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping()) reply.header('connection', 'close')
    done(null, payload)
  })

  return async ({ delayMs, timeoutMs }) => {
    if (delayMs > 0) {
      await delay(delayMs)
      if (server.listening) await stopListening(server, holdRequests)
    }
    const closing = app.close()
    const looking = setInterval(() => setImmediate(() => server.closeIdleConnections()), LOOK_EVERY_MS)
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

/** Browsers open connections in advance. Node counts those as busy, and would wait for them. */
const watchUnused = (server: Server): ReadonlySet<Socket> => {
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
  return unused
}

/** Requests that arrive while they are held start when they are released. */
const makeHold = (app: FastifyInstance) => {
  let held: (() => void)[] | null = null
  app.addHook('onRequest', (_request, _reply, done) => {
    if (held) held.push(done)
    else done()
  })
  return () => {
    const starts: (() => void)[] = []
    held = starts
    return function release() {
      held = null
      for (const start of starts) start()
    }
  }
}

/**
 * Connections accepted by the system but not yet by the server are lost with the listener. So requests are held until
 * no connection has come for a moment: clients that wait for a response open no more. A process that has just slept is
 * rarely interrupted, so what may come between the last look and the close is a matter of microseconds.
 */
const stopListening = async (server: Server, holdRequests: () => () => void): Promise<void> => {
  const startMs = performance.now()
  let latestMs = startMs
  server.on('connection', () => {
    latestMs = performance.now()
  })
  const release = holdRequests()
  do {
    await delay(QUIET_MS)
    // Right after a turn has read from every connection, no request is waiting unseen on an idle one.
    await nextTurn()
    server.closeIdleConnections()
    await nextTurn()
  } while (performance.now() - latestMs < QUIET_MS && performance.now() - startMs < HOLD_MAX_MS)
  server.close()
  release()
}
