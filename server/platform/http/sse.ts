// Server-sent events: a response that stays open. Written by hand over the raw response, because a reader that does not
// keep up must be dropped rather than waited for. What goes over a stream, and to whom, is the business of its owner.
// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
import type { FastifyReply } from 'fastify'
import { ApiError } from '../errors.ts'

type ServerSentEvent = { event: string; data: unknown; id?: string }

export type EventStream = {
  /** `onWritten` runs once the event has left this process, and never when it did not. */
  send(event: ServerSentEvent, onWritten?: () => void): void
  end(): void
}

export type EventStreams = {
  /** Takes the response over. `onClose` runs once, however the stream ends. */
  open(reply: FastifyReply, onClose: () => void): EventStream
  count(): number
  /** Ends all of them and refuses new ones: their readers come back to another process, or to the next start. */
  closeAll(): void
}

/** Proxies and phones cut what is silent; the widget gives a stream up after 45 s without a byte. */
const HEARTBEAT_MS = 20_000
/** What may wait for a reader. One who is further behind is cut off, and resumes from its last event. */
const BACKLOG_MAX_BYTES = 256 * 1024
/** How long a reader may take to fetch the end of a stream. */
const END_WITHIN_MS = 1_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // nginx and those who follow it collect a response before they pass it on, unless told not to.
  'x-accel-buffering': 'no',
  // Not to be used again: once the stream has ended, a server that stops need not wait for it.
  connection: 'close',
}

const toText = ({ event, data, id }: ServerSentEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

export const makeEventStreams = ({
  heartbeatMs = HEARTBEAT_MS,
  backlogMaxBytes = BACKLOG_MAX_BYTES,
} = {}): EventStreams => {
  const opened = new Set<EventStream>()
  let isClosing = false

  return {
    open(reply, onClose) {
      if (isClosing) throw new ApiError('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '1' } })
      const given = reply.getHeaders()
      reply.hijack()
      const { raw } = reply
      raw.writeHead(200, { ...(given as Record<string, string>), ...HEADERS })

      const write = (text: string, onWritten?: () => void): void => {
        if (raw.writableEnded || raw.destroyed) return
        raw.write(text, (error) => {
          if (!error) onWritten?.()
        })
        if (raw.writableLength > backlogMaxBytes) raw.destroy()
      }
      const heartbeat = setInterval(() => write(': ping\n\n'), heartbeatMs)
      const stream: EventStream = {
        send: (event, onWritten) => write(toText(event), onWritten),
        end: () => {
          raw.end()
          setTimeout(() => raw.destroy(), END_WITHIN_MS).unref()
        },
      }
      const close = () => {
        clearInterval(heartbeat)
        opened.delete(stream)
        onClose()
      }
      opened.add(stream)
      // Who left while the request was being answered is never announced again.
      if (raw.destroyed) setImmediate(close)
      else raw.once('close', close)
      // A reader that is gone shows as an error first; the close that follows does what is needed.
      raw.on('error', () => {})
      write(': open\n\n')
      return stream
    },
    count: () => opened.size,
    closeAll() {
      isClosing = true
      for (const stream of opened) stream.end()
    },
  }
}
