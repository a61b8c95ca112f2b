// What happens, as server-sent events for the phone page. Nothing is kept: a page that was away reads the state again.
import type { ServerResponse } from 'node:http'

const PING_EVERY_MS = 20_000
const LISTENERS_MAX = 50
/** A reader that is this far behind is let go; it comes back and reads the state. */
const BUFFER_MAX_BYTES = 1_000_000

export type Feed = {
  tell: (event: string, data: () => unknown) => void
  listen: (response: ServerResponse) => boolean
  stop: () => void
}

export const makeFeed = (): Feed => {
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
    // The data is made only when somebody listens: a benchmark's sends cost nothing here.
    tell: (event, data) => {
      if (listeners.size > 0) write(`event: ${event}\ndata: ${JSON.stringify(data())}\n\n`)
    },
    listen: (response) => {
      if (listeners.size >= LISTENERS_MAX) return false
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
    stop: () => {
      clearInterval(ping)
      for (const listener of listeners) listener.end()
    },
  }
}
