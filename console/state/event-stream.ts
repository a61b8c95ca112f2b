// One stream of a workspace's events for this tab: opens, resumes where it was, notices silence, backs off, and wakes
// when the network or the page comes back. EventSource cannot show the server's keep-alive lines, nor give its last id
// to a connection of our own making; fetch can.
import { refusalOf } from './api.ts'

export type ServerEvent = {
  type: string
  conversationId: string | null
  contactId: string | null
  data: Record<string, unknown>
}

export type ConnectionState = 'connecting' | 'live' | 'lost'

const BACKOFF_MIN_MS = 500
const BACKOFF_MAX_MS = 20_000
/** The server writes at least every 20 s; longer silence is a dead socket (sleep, a lost network). */
const SILENCE_MAX_MS = 45_000
/**
 * A browser allows six connections to a host over HTTP/1.1: of the tabs that nobody looks at, one keeps its stream, for the
 * unread count in its title, and the others give theirs back.
 */
const HIDDEN_MAX_MS = 20_000
const BACKGROUND_LOCK = 'foyer.background-stream'
const PENDING_MAX = 1_000_000

type Wiring = {
  url: string
  onEvent: (event: ServerEvent) => void
  /** Something may have been missed: ask for everything again. */
  onReset: () => void
  onState: (state: ConnectionState) => void
  onSignedOut: () => void
  /** The workspace is not, or no longer, theirs. */
  onNotFound: () => void
}

/** Splits what arrives into events; `onLine` hears of every sign of life. */
const readEvents = async (
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
  onFrame: (frame: { id: string | null; event: string; data: string }) => void,
): Promise<void> => {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader()
  let pending = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    pending += value
    if (pending.length > PENDING_MAX) throw new Error('an event without an end')
    for (;;) {
      const end = /\r?\n\r?\n/.exec(pending)
      if (!end) break
      const block = pending.slice(0, end.index)
      pending = pending.slice(end.index + end[0].length)
      const frame = { id: null as string | null, event: 'message', data: '' }
      for (const line of block.split(/\r?\n/)) {
        const at = line.indexOf(':')
        if (at <= 0) continue
        const value = line.slice(at + 1).replace(/^ /, '')
        const name = line.slice(0, at)
        if (name === 'id') frame.id = value
        else if (name === 'event') frame.event = value
        else if (name === 'data') frame.data += frame.data ? `\n${value}` : value
      }
      if (frame.data || frame.event !== 'message' || frame.id) onFrame(frame)
    }
  }
}

export const openEventStream = ({ url, onEvent, onReset, onState, onSignedOut, onNotFound }: Wiring) => {
  let isClosed = false
  let lastEventId: string | null = null
  let wasLive = false
  let failures = 0
  let abort: AbortController | undefined
  let wake: (() => void) | undefined
  let heardMs = performance.now()
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined
  let isParked = false
  let leaveBackground: (() => void) | undefined

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => wake?.(), ms)
      wake = () => {
        clearTimeout(timer)
        wake = undefined
        resolve()
      }
    })

  const connect = async (): Promise<void> => {
    abort = new AbortController()
    heardMs = performance.now()
    const response = await fetch(url, {
      headers: {
        accept: 'text/event-stream',
        'x-foyer-console': '1',
        ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
      },
      cache: 'no-store',
      signal: abort.signal,
    })
    if (!response.ok || !response.body) {
      const refusal = await refusalOf(response)
      if (refusal.status === 401) {
        isClosed = true
        onSignedOut()
      }
      if (refusal.status === 404) onNotFound()
      throw refusal
    }
    // Without an id to resume from, whatever happened since the last stream is unknown.
    if (wasLive && !lastEventId) onReset()
    wasLive = true
    failures = 0
    onState('live')
    await readEvents(
      response.body,
      () => {
        heardMs = performance.now()
      },
      ({ id, event, data }) => {
        if (id !== null) lastEventId = id || null
        if (event === 'reset') onReset()
        else if (data) {
          const parsed = JSON.parse(data) as Partial<ServerEvent>
          onEvent({
            type: parsed.type ?? event,
            conversationId: parsed.conversationId ?? null,
            contactId: parsed.contactId ?? null,
            data: parsed.data ?? {},
          })
        }
      },
    )
  }

  const run = async (): Promise<void> => {
    while (!isClosed) {
      while (isParked && !isClosed) await pause(BACKOFF_MAX_MS)
      if (isClosed) return
      try {
        await connect()
      } catch {
        // The next attempt will say.
      }
      if (isClosed || isParked) continue
      onState('lost')
      const waitMs = Math.min(BACKOFF_MIN_MS * 2 ** failures++, BACKOFF_MAX_MS)
      await pause(waitMs * (0.75 + Math.random() / 2))
    }
  }

  const hurry = (): void => {
    failures = 0
    wake?.()
  }
  const check = (): void => {
    if (performance.now() - heardMs > SILENCE_MAX_MS) abort?.abort()
  }
  const silence = setInterval(check, 5_000)
  const park = (): void => {
    isParked = true
    abort?.abort()
  }
  /** Keeps the stream of the first tab that asks; there are no locks where the page is not served securely. */
  const rest = async (): Promise<void> => {
    if (!navigator.locks) return park()
    await navigator.locks.request(BACKGROUND_LOCK, { ifAvailable: true }, (lock) => {
      if (!lock) return park()
      return new Promise<void>((resolve) => {
        leaveBackground = resolve
      })
    })
  }
  const onVisible = (): void => {
    clearTimeout(hiddenTimer)
    if (document.visibilityState === 'hidden') {
      hiddenTimer = setTimeout(() => void rest(), HIDDEN_MAX_MS)
      return
    }
    leaveBackground?.()
    isParked = false
    check()
    hurry()
  }
  const onOnline = (): void => hurry()
  const onOffline = (): void => abort?.abort()
  document.addEventListener('visibilitychange', onVisible)
  window.addEventListener('online', onOnline)
  window.addEventListener('offline', onOffline)
  void run()

  return {
    close: (): void => {
      isClosed = true
      clearInterval(silence)
      clearTimeout(hiddenTimer)
      leaveBackground?.()
      document.removeEventListener('visibilitychange', onVisible)
      window.removeEventListener('online', onOnline)
      window.removeEventListener('offline', onOffline)
      abort?.abort()
      wake?.()
    },
  }
}
