// Keeps the visitor's session and event stream alive: opens, resumes, detects silence, backs off, and
// reconnects when the network or the page comes back. It knows nothing of messages.
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

export type Connection = ReturnType<typeof createConnection>

export const createConnection = ({ api, getToken, renewSession, onEvent, onState }: Wiring) => {
  let isRunning = false
  /** With a known token the stream opens first, so a single session call loads everything without a gap. */
  let needsSession = getToken() === null
  let lastEventId: string | null = null
  let failures = 0
  let stream: AbortController | undefined
  let wake: (() => void) | undefined
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined
  let isParked = false
  let isHurried = false

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => wake?.(), ms)
      wake = () => {
        clearTimeout(timer)
        wake = undefined
        resolve()
      }
    })

  const run = async (): Promise<void> => {
    isRunning = true
    for (;;) {
      while (isParked) await pause(backoffMaxMs)
      let waitMs = 0
      try {
        if (needsSession) {
          lastEventId = await renewSession('merge')
          needsSession = false
        }
        await readStream()
        onState('connecting')
      } catch (error) {
        if (isFinal(error)) {
          onState('unavailable', error)
          isRunning = false
          return
        }
        if (isUnauthorized(error)) needsSession = true
        if (error instanceof ApiFailure) waitMs = error.retryAfterMs
        if (!isParked) onState('lost', error)
      }
      if (isHurried) isHurried = false
      else if (!isParked) await pause(Math.max(Math.min(waitMs, backoffMaxMs), backoff(failures++)))
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
    let lastByteAt = openedAt
    let hasBytes = false
    const watch = setInterval(() => {
      if (Date.now() - lastByteAt > (hasBytes ? silenceMaxMs : firstByteMaxMs)) abort.abort()
    }, silenceCheckMs)
    const isFirst = lastEventId === null
    const impatience = setTimeout(() => {
      if (isFirst) renewSession('merge').catch(() => {})
    }, openMaxMs)
    try {
      const response = await api.openEvents(token, lastEventId, abort.signal)
      clearTimeout(impatience)
      // Only once the stream is open can no event be lost between the session's response and the stream.
      if (isFirst) await renewSession('merge')
      onState('connected')
      const parse = createEventParser((event) => {
        if (event.id !== null) lastEventId = event.id
        if (event.event !== 'reset') onEvent(event)
        else {
          lastEventId = null
          void resynchronize(abort)
        }
      })
      const reader = response.body!.getReader()
      const decoder = new TextDecoder()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        lastByteAt = Date.now()
        hasBytes = true
        if (lastByteAt - openedAt > stableMs) failures = 0
        parse(decoder.decode(value, { stream: true }))
      }
    } finally {
      clearInterval(watch)
      clearTimeout(impatience)
      abort.abort()
    }
  }

  const resynchronize = async (abort: AbortController): Promise<void> => {
    try {
      await renewSession('replace')
    } catch {
      needsSession = true
      abort.abort()
    }
  }

  const setHidden = (isHidden: boolean): void => {
    clearTimeout(hiddenTimer)
    if (isHidden) {
      hiddenTimer = setTimeout(() => {
        isParked = true
        stream?.abort()
      }, hiddenMaxMs)
    } else {
      isParked = false
      wake?.()
    }
  }

  addEventListener('online', () => {
    failures = 0
    wake?.()
  })
  addEventListener('offline', () => {
    if (isRunning) onState('lost')
    stream?.abort()
  })
  document.addEventListener('visibilitychange', () => setHidden(document.visibilityState === 'hidden'))
  // An open stream would keep the host page out of the browser's back/forward cache.
  addEventListener('pagehide', () => {
    isParked = true
    stream?.abort()
  })
  addEventListener('pageshow', () => setHidden(false))

  return {
    start: (): void => {
      if (!isRunning) void run()
    },
    /** Starts over with a new session at once. */
    restart: (): void => {
      needsSession = true
      isHurried = wake === undefined
      stream?.abort()
      wake?.()
    },
    wake: (): void => wake?.(),
  }
}

const backoff = (failures: number): number => {
  const baseMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(failures, 5))
  return Math.min(backoffMaxMs, Math.max(backoffMinMs, baseMs * (0.5 + Math.random())))
}
