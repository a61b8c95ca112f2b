// One stream of a workspace's events for this tab: opens, resumes, detects silence, backs off, and reconnects when the
// network or the page comes back. EventSource doesn't expose keep-alive lines or let a new connection resume from an
// id; fetch does.
import { createEventParser } from '../../widget/parse-events.ts'
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
/** The server writes at least every 20 s; longer silence means a dead socket (sleep, lost network). */
const SILENCE_MAX_MS = 45_000
/**
 * Browsers allow six connections per host over HTTP/1.1, so of the hidden tabs only one keeps its stream, for the
 * unread count in its title.
 */
const HIDDEN_MAX_MS = 20_000
const BACKGROUND_LOCK = 'foyer.background-stream'

type Wiring = {
  url: string
  onEvent: (event: ServerEvent) => void
  /** Events may have been missed: refetch everything. */
  onReset: () => void
  onState: (state: ConnectionState) => void
  onSignedOut: () => void
  /** The workspace doesn't exist, or the user is no longer a member. */
  onNotFound: () => void
}

const readEvents = async (
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
  onEvent: Parameters<typeof createEventParser>[0],
): Promise<void> => {
  const parse = createEventParser(onEvent)
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    parse(decoder.decode(value, { stream: true }))
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
    // Without an id to resume from, everything since the last stream may have been missed.
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
        // The next attempt will tell.
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
  /** Keeps the stream of the first tab to get the lock; pages not served over https have no locks. */
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
