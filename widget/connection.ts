// Keeps the visitor's session and event stream alive: opens, resumes, detects silence, backs off, and
// reconnects when the network or the page comes back. Messages are handled elsewhere.
import { type Api, ApiFailure, isFinal, isUnauthorized } from './api.ts'
import { createEventParser, type ServerEvent } from './parse-events.ts'

const backoffMinMs = 1_000
const backoffMaxMs = 30_000
/** The server writes at least every 20 s; longer silence means a dead socket (sleep, lost network). */
const silenceMaxMs = 45_000
/** A proxy that buffers lets nothing through: check sooner, because each new start synchronises. */
const firstByteMaxMs = 25_000
/** A proxy may even hold back the response headers; the thread does not wait for them. */
const openMaxMs = 3_000
const silenceCheckMs = 5_000
/** A page in the background shows no badge, and browsers allow only six streams over HTTP/1.1. */
const hiddenMaxMs = 60_000
const stableMs = 5_000

export type ConnectionState = 'connecting' | 'connected' | 'lost' | 'unavailable'

type Wiring = {
  api: Api
  getToken: () => string | null
  /** Starts or renews the session; returns the event id to stream from, if the server gives one. */
  renewSession: (mode: 'merge' | 'replace') => Promise<string | null>
  onEvent: (event: ServerEvent) => void
  onState: (state: ConnectionState, error?: unknown) => void
}

export const createConnection = ({ api, getToken, renewSession, onEvent, onState }: Wiring) => {
  let isRunning = false
  /** With a known token the stream opens first, so a single session call loads everything without a gap. */
  let needsSession = getToken() === null
  let lastEventId: string | null = null
  const backoff = createBackoff()
  let stream: AbortController | undefined
  let isHurried = false
  let isStopped = false
  const page = followPage({
    onOnline: backoff.reset,
    onOffline: () => {
      if (isRunning) onState('lost')
      stream?.abort()
    },
    onPark: () => stream?.abort(),
  })

  const run = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    for (;;) {
      while (page.isParked()) await page.wait(backoffMaxMs)
      if (isStopped) return
      let waitMs = 0
      try {
        if (needsSession) {
          lastEventId = await renewSession('merge')
          needsSession = false
        }
        await readStream()
        onState('connecting')
      } catch (error) {
        if (isStopped) return
        if (isFinal(error)) {
          onState('unavailable', error)
          isRunning = false
          return
        }
        if (isUnauthorized(error)) needsSession = true
        if (error instanceof ApiFailure) waitMs = error.retryAfterMs
        if (!page.isParked()) onState('lost', error)
      }
      if (isHurried) isHurried = false
      else if (!page.isParked()) await page.wait(Math.max(Math.min(waitMs, backoffMaxMs), backoff.next()))
    }
  }

  const readStream = async (): Promise<void> => {
    const token = getToken()
    if (token === null) {
      needsSession = true
      return
    }
    const abort = new AbortController()
    stream = abort
    const openedAt = Date.now()
    const silence = watchSilence(abort)
    const isFirst = lastEventId === null
    const impatience = setTimeout(() => isFirst && renewSession('merge').catch(() => {}), openMaxMs)
    try {
      const response = await api.openEvents(token, lastEventId, abort.signal)
      clearTimeout(impatience)
      // Only once the stream is open can no event be lost between the session's response and the stream.
      if (isFirst) await renewSession('merge')
      onState('connected')
      const parse = createEventParser((event) => handle(event, abort))
      await readChunks(response, (text) => {
        silence.end()
        if (Date.now() - openedAt > stableMs) backoff.reset()
        parse(text)
      })
    } finally {
      silence.stop()
      clearTimeout(impatience)
      abort.abort()
    }
  }

  const handle = (event: ServerEvent, abort: AbortController): void => {
    if (event.id !== null) lastEventId = event.id
    if (event.event !== 'reset') onEvent(event)
    else {
      lastEventId = null
      renewSession('replace').catch(() => {
        needsSession = true
        abort.abort()
      })
    }
  }

  return {
    start: (): void => void run(),
    /** Starts over with a new session at once. */
    restart: (): void => {
      needsSession = true
      isHurried = !page.isWaiting()
      stream?.abort()
      page.wake()
    },
    wake: page.wake,
    /** For good. */
    stop: (): void => {
      isStopped = true
      stream?.abort()
      page.wake()
    },
  }
}

/** Aborts a stream that has been silent for too long. */
const watchSilence = (abort: AbortController) => {
  let since = Date.now()
  let maxMs = firstByteMaxMs
  const timer = setInterval(() => {
    if (Date.now() - since > maxMs) abort.abort()
  }, silenceCheckMs)
  return {
    end: (): void => {
      since = Date.now()
      maxMs = silenceMaxMs
    },
    stop: (): void => clearInterval(timer),
  }
}

const readChunks = async (response: Response, onChunk: (text: string) => void): Promise<void> => {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onChunk(decoder.decode(value, { stream: true }))
  }
}

type PageListeners = { onOnline: () => void; onOffline: () => void; onPark: () => void }

/** Parks a page that was left or has been hidden for a while. A wait ends early when the network or the page is back. */
const followPage = ({ onOnline, onOffline, onPark }: PageListeners) => {
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined
  let isParked = false
  let wake: (() => void) | undefined
  const park = (): void => {
    isParked = true
    onPark()
  }
  const setHidden = (isHidden: boolean): void => {
    clearTimeout(hiddenTimer)
    if (isHidden) hiddenTimer = setTimeout(park, hiddenMaxMs)
    else {
      isParked = false
      wake?.()
    }
  }
  addEventListener('online', () => {
    onOnline()
    wake?.()
  })
  addEventListener('offline', onOffline)
  document.addEventListener('visibilitychange', () => setHidden(document.visibilityState === 'hidden'))
  // An open stream would keep the host page out of the browser's back/forward cache.
  addEventListener('pagehide', park)
  addEventListener('pageshow', () => setHidden(false))
  return {
    isParked: (): boolean => isParked,
    isWaiting: (): boolean => wake !== undefined,
    wake: (): void => wake?.(),
    wait: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(() => wake?.(), ms)
        wake = () => {
          clearTimeout(timer)
          wake = undefined
          resolve()
        }
      }),
  }
}

const createBackoff = () => {
  let failures = 0
  return {
    reset: (): void => {
      failures = 0
    },
    next: (): number => {
      const baseMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(failures++, 5))
      return Math.min(backoffMaxMs, Math.max(backoffMinMs, baseMs * (0.5 + Math.random())))
    },
  }
}
