// Server-sent events: a response that stays open. Written to the raw response, because a client that does not keep up
// must be disconnected rather than waited for. The owner of a stream decides what is sent over it.
// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
import type { FastifyReply } from 'fastify'
import { ApiError } from '../errors.ts'

type ServerSentEvent = { event: string; data: unknown; id?: string }

export type EventStream = {
  /** `onWritten` runs once the event has left this process. */
  send(event: ServerSentEvent, onWritten?: () => void): void
  end(): void
}

export type EventStreams = {
  /** Takes over the response. `onClose` runs once, however the stream ends. */
  open(reply: FastifyReply, onClose: () => void): EventStream
  count(): number
  /** Ends all of them and rejects new ones: clients reconnect to another process, or after the restart. */
  closeAll(): void
}

/** Proxies and phones close idle connections; the widget reconnects after 45 s without a byte. */
const HEARTBEAT_MS = 20_000
/** A client further behind than this is disconnected, and resumes from its last event. */
const BACKLOG_MAX_BYTES = 256 * 1024
/** How long a client may take to read the end of a stream. */
const END_WITHIN_MS = 1_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Otherwise nginx, and proxies that follow its conventions, buffer the response.
  'x-accel-buffering': 'no',
  // No keep-alive: a server that stops need not wait for the connection once the stream has ended.
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
      // A client that disconnected before this causes no more events.
      if (raw.destroyed) setImmediate(close)
      else raw.once('close', close)
      // A disconnect may be reported as an error first; the `close` that follows is handled.
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
