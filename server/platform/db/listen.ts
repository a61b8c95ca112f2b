// A connection that only listens for notifications committed by other processes, such as revoked tokens. It needs its
// own session, so it does not work through a transaction-pooling proxy.
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { type Connection, makeConnection } from './connection.ts'

export const REVOKED_CHANNEL = 'foyer_revoked'
const REVOCATIONS = 'revocations'

const sessionOf = (name: string): string => `foyer (${name})`
/** Every process that serves requests has one session with this name. */
export const REVOCATIONS_SESSION = sessionOf(REVOCATIONS)
/** A silently dropped connection is detected within the sum of these two. */
const HEARTBEAT_EVERY_MS = 1_000
const ANSWER_TIMEOUT_MS = 1_000
const RETRY_MIN_MS = 100
const RETRY_MAX_MS = 2_000

export type Listener = {
  /** Whether notifications are being received at the moment. */
  isListening: () => boolean
  /** Listens to a channel that was added to `channels` just now, unless the connection is lost: then it will. */
  hear: (channel: string) => Promise<void>
  close: () => Promise<void>
}

export type ListenOptions = {
  connectionString: string
  /** Read at each connection. */
  channels: ReadonlySet<string>
  /** What it listens for, shown in the log and the list of connections. */
  name: string
  onNotified: (payload: string, channel: string) => void
  /** Listening has (re)started: earlier notifications may have been missed. */
  onListening: () => void
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

type RevocationOptions = Omit<ListenOptions, 'channels' | 'name' | 'onNotified'> & {
  onRevoked: (tokenId: string) => void
}

export const listenForRevocations = ({ onRevoked, ...options }: RevocationOptions): Promise<Listener> =>
  listen({ ...options, channels: new Set([REVOKED_CHANNEL]), name: REVOCATIONS, onNotified: onRevoked })

/** Starts listening and keeps reconnecting. Resolves after the first attempt, whether or not it succeeded. */
export const listen = async (options: ListenOptions): Promise<Listener> => {
  const { log, name } = options
  const stopping = new AbortController()
  let current: Connection | null = null

  const attempted = Promise.withResolvers<void>()

  const connect = async (broken: AbortController): Promise<Connection> => {
    const client = makeConnection({
      connectionString: options.connectionString,
      applicationName: sessionOf(name),
      silenceTimeoutMs: ANSWER_TIMEOUT_MS,
    })
    client.once('end', () => {
      if (current === client) current = null
      broken.abort()
    })
    client.on('notification', ({ payload, channel }) => options.onNotified(payload ?? '', channel))
    await client.connect().catch((error) => {
      client.end().catch(() => {})
      throw error
    })
    return client
  }

  /** Listens until the connection breaks. */
  const follow = async (onConnected: () => void): Promise<void> => {
    const broken = new AbortController()
    const signal = AbortSignal.any([stopping.signal, broken.signal])
    const client = await connect(broken)
    try {
      // One that is added meanwhile is reached too, and one that is added later finds `current`.
      for (const channel of options.channels) await client.query(`listen ${channel}`)
      // Forget first: what was cached before we listened may have been revoked since.
      options.onListening()
      current = client
      onConnected()
      while (!stopping.signal.aborted) {
        await delay(HEARTBEAT_EVERY_MS, undefined, { signal }).catch(() => {})
        if (current !== client) throw new Error('the connection ended')
        await client.query('select 1')
      }
    } finally {
      current = null
      client.end().catch(() => {})
    }
  }

  const run = async (): Promise<void> => {
    let waitMs = RETRY_MIN_MS
    let isFirst = true
    while (!stopping.signal.aborted) {
      try {
        await follow(() => {
          if (!isFirst) log.info({}, `the connection that listens for ${name} is back`)
          isFirst = false
          waitMs = RETRY_MIN_MS
          attempted.resolve()
        })
      } catch (error) {
        if (stopping.signal.aborted) return
        if (waitMs === RETRY_MIN_MS)
          log.warn({ err: error }, `the connection that listens for ${name} was lost`)
      }
      isFirst = false
      attempted.resolve()
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
      waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)
    }
  }

  const running = run()
  await attempted.promise
  return {
    isListening: () => current !== null,
    hear: async (channel) => {
      // Without an answer the connection is given up, and the next listens to all of them.
      await current?.query(`listen ${channel}`).catch(() => {})
    },
    close: async () => {
      stopping.abort()
      await running
    },
  }
}
