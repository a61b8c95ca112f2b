// Server-sent events: a response that stays open. Written to the raw response, because a client that does not keep up
// must be disconnected rather than waited for. The owner of a stream decides what is sent over it.
// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { ApiError } from '../errors.ts'

type ServerSentEvent = { event: string; data: unknown; id?: string }

export type EventStream = {
  /** `onWritten` runs once the event has left this process. */
  send(event: ServerSentEvent, onWritten?: () => void): void
  /**
   * Sends many, a few at a time, waiting for a client that reads slowly. False if it doesn't read at all, or once the
   * signal is aborted.
   */
  sendAll(events: readonly ServerSentEvent[], signal: AbortSignal): Promise<boolean>
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
/** Of those that are sent at once, so that they fit into the backlog. */
const TOGETHER_MAX = 10
/** A client that takes longer for those is disconnected, and resumes from the last event that it has. */
const READ_WITHIN_MS = 30_000
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
  readWithinMs = READ_WITHIN_MS,
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
      const isRead = async (events: readonly ServerSentEvent[], signal: AbortSignal): Promise<boolean> => {
        const written = Promise.withResolvers<boolean>()
        const waiting = new AbortController()
        write(events.map(toText).join(''), () => written.resolve(true))
        const result = await Promise.race([
          written.promise,
          delay(readWithinMs, false, { signal: AbortSignal.any([signal, waiting.signal]) }).catch(
            () => false,
          ),
        ])
        waiting.abort()
        return result
      }
      const stream: EventStream = {
        sendAll: async (events, signal) => {
          for (let at = 0; at < events.length; at += TOGETHER_MAX)
            if (!(await isRead(events.slice(at, at + TOGETHER_MAX), signal))) return false
          return true
        },
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
