// One stream of a workspace's events for this tab: opens, resumes, detects silence, backs off, and reconnects when the
// network or the page comes back. EventSource doesn't expose keep-alive lines or let a new connection resume from an
// id; fetch does.
import { createEventParser } from '../../widget/parse-events.ts'
import { ApiError, refusalOf } from './api.ts'

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
/** The server answers a new stream at once. */
const CONNECTING_MAX_MS = 15_000
/** As many connections as browsers keep to a server; see `closeDeadSockets`. */
const SOCKETS_MAX = 6
const PROBE_MAX_MS = 3_000
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

const request = async (
  url: string,
  lastEventId: string | null,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> => {
  const response = await fetch(url, {
    headers: {
      accept: 'text/event-stream',
      'x-foyer-console': '1',
      ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
    },
    cache: 'no-store',
    signal,
  })
  if (!response.ok || !response.body) throw await refusalOf(response)
  return response.body
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

/**
 * When a socket is dead, so are those that the browser keeps for further requests. A request that is aborted closes the
 * one that it was given, so that nothing else has to wait for it.
 */
const closeDeadSockets = (): Promise<unknown> =>
  Promise.allSettled(
    Array.from({ length: SOCKETS_MAX }, () =>
      fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(PROBE_MAX_MS) }).then((it) =>
        it.text(),
      ),
    ),
  )

const parseEvent = (name: string, data: string): ServerEvent => {
  const parsed = JSON.parse(data) as Partial<ServerEvent>
  return {
    type: parsed.type ?? name,
    conversationId: parsed.conversationId ?? null,
    contactId: parsed.contactId ?? null,
    data: parsed.data ?? {},
  }
}

/** A wait that can be ended early. */
const makePause = () => {
  let end: (() => void) | undefined
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => end?.(), ms)
      end = () => {
        clearTimeout(timer)
        end = undefined
        resolve()
      }
    })
  return { pause, wake: (): void => end?.() }
}

/** Calls `onPark` when this tab has to give up its stream, and `onShow` whenever it is looked at again. */
const watchVisibility = (onPark: () => void, onShow: () => void): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let leaveBackground: (() => void) | undefined
  /** Keeps the stream of the first tab to get the lock; pages not served over https have no locks. */
  const rest = async (): Promise<void> => {
    if (!navigator.locks) return onPark()
    await navigator.locks.request(BACKGROUND_LOCK, { ifAvailable: true }, (lock) => {
      if (!lock) return onPark()
      return new Promise<void>((resolve) => {
        leaveBackground = resolve
      })
    })
  }
  const onChange = (): void => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') {
      timer = setTimeout(() => void rest(), HIDDEN_MAX_MS)
      return
    }
    leaveBackground?.()
    onShow()
  }
  document.addEventListener('visibilitychange', onChange)
  return () => {
    clearTimeout(timer)
    leaveBackground?.()
    document.removeEventListener('visibilitychange', onChange)
  }
}

export const openEventStream = ({ url, onEvent, onReset, onState, onSignedOut, onNotFound }: Wiring) => {
  let isClosed = false
  let lastEventId: string | null = null
  let wasLive = false
  let failures = 0
  let abort: AbortController | undefined
  let heardMs = performance.now()
  let isParked = false
  let isConnecting = false
  let wasSilent = false
  const { pause, wake } = makePause()

  const connect = async (): Promise<void> => {
    heardMs = performance.now()
    if (wasSilent) await closeDeadSockets()
    wasSilent = false
    abort = new AbortController()
    heardMs = performance.now()
    isConnecting = true
    const body = await request(url, lastEventId, abort.signal).finally(() => {
      isConnecting = false
    })
    heardMs = performance.now()
    // Without an id to resume from, everything since the last stream may have been missed.
    if (wasLive && !lastEventId) onReset()
    wasLive = true
    failures = 0
    onState('live')
    const onBytes = (): void => {
      heardMs = performance.now()
    }
    await readEvents(body, onBytes, ({ id, event, data }) => {
      if (id !== null) lastEventId = id || null
      if (event === 'reset') onReset()
      else if (data) onEvent(parseEvent(event, data))
    })
  }

  const onProblem = (error: unknown): void => {
    // Anything else may pass: the next attempt will tell.
    if (!(error instanceof ApiError)) return
    if (error.status === 401) {
      isClosed = true
      onSignedOut()
    }
    if (error.status === 404) onNotFound()
  }

  const run = async (): Promise<void> => {
    while (!isClosed) {
      while (isParked && !isClosed) await pause(BACKOFF_MAX_MS)
      if (isClosed) return
      await connect().catch(onProblem)
      if (isClosed || isParked) continue
      onState('lost')
      const waitMs = Math.min(BACKOFF_MIN_MS * 2 ** failures++, BACKOFF_MAX_MS)
      await pause(waitMs * (0.75 + Math.random() / 2))
    }
  }

  const hurry = (): void => {
    failures = 0
    wake()
  }
  const check = (): void => {
    if (performance.now() - heardMs < (isConnecting ? CONNECTING_MAX_MS : SILENCE_MAX_MS)) return
    wasSilent = true
    abort?.abort()
  }
  const disconnect = (): void => abort?.abort()
  const silence = setInterval(check, 5_000)
  const unwatch = watchVisibility(
    () => {
      isParked = true
      disconnect()
    },
    () => {
      isParked = false
      check()
      hurry()
    },
  )
  window.addEventListener('online', hurry)
  window.addEventListener('offline', disconnect)
  void run()

  return {
    close: (): void => {
      isClosed = true
      clearInterval(silence)
      unwatch()
      window.removeEventListener('online', hurry)
      window.removeEventListener('offline', disconnect)
      disconnect()
      wake()
    },
  }
}
