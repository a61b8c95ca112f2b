// The end of an HTTP server that has answers to finish first.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { within } from '../within.ts'

/** How long a connection on which nothing was asked yet may still ask. */
const UNUSED_CONNECTION_MS = 300
/** Node closes idle connections once; those of requests that end later are closed by looking again this often. */
const LOOK_EVERY_MS = 50

/** Waits for `closing` and for the answers under way. False when the time was over and what was left was cut off. */
type Drain = (closing: Promise<unknown>, timeoutMs: number) => Promise<boolean>

/** Watches the connections of a server from its beginning, so that it can be drained in the end. */
export const prepareDrain = (server: Server): Drain => {
  // Browsers open connections in advance. Node takes those for busy, and would wait for them.
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
