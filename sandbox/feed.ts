// Live updates for the phone page (server-sent events). Nothing is stored: a page reloads the state on reconnect.
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

const PING_EVERY_MS = 20_000
const LISTENERS_MAX = 50
/** A client this far behind is disconnected; it reconnects and reloads the state. */
const BUFFER_MAX_BYTES = 1_000_000

export type Feed = ReturnType<typeof makeFeed>

export const makeFeed = () => {
  const listeners = new Set<ServerResponse>()
  const ping = setInterval(() => write(': ping\n\n'), PING_EVERY_MS)
  ping.unref()

  const write = (text: string): void => {
    for (const listener of listeners) {
      if (listener.writableLength > BUFFER_MAX_BYTES) listener.destroy()
      else listener.write(text)
    }
  }

  return {
    // The data is only built when a page is listening, so it costs a benchmark's sends nothing.
    publish: (event: string, data: () => unknown): void => {
      if (listeners.size > 0) write(`event: ${event}\ndata: ${JSON.stringify(data())}\n\n`)
    },
    /** Whether there is room for another page; if so, this takes over the reply. */
    listen: (reply: FastifyReply): boolean => {
      if (listeners.size >= LISTENERS_MAX) return false
      reply.hijack()
      const response = reply.raw
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      response.write('retry: 1000\n: open\n\n')
      listeners.add(response)
      response.on('close', () => listeners.delete(response))
      return true
    },
    stop: (): void => {
      clearInterval(ping)
      for (const listener of listeners) listener.end()
    },
  }
}
