// One connection that only listens: revoked tokens are announced on it, by whichever process revoked them. It needs a
// session of its own, so a pooler that shares sessions between transactions cannot stand in between.
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'

const CHANNEL = 'foyer_revoked'
/** A connection that broke without a word is noticed within the sum of these two. */
const HEARTBEAT_EVERY_MS = 1_000
const ANSWER_TIMEOUT_MS = 1_000
const CONNECT_TIMEOUT_MS = 5_000
const RETRY_MIN_MS = 100
const RETRY_MAX_MS = 2_000

export type Listener = {
  /** Whether a revocation would be heard at this moment. */
  isListening: () => boolean
  close: () => Promise<void>
}

type Options = {
  connectionString: string
  onRevoked: (tokenId: string) => void
  /** It listens (again): whatever was announced before has been missed. */
  onListening: () => void
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** Begins to listen, and goes on for ever. Resolves after the first attempt, whether or not it succeeded. */
export const listenForRevocations = async (options: Options): Promise<Listener> => {
  const { log } = options
  const stopping = new AbortController()
  let current: pg.Client | null = null

  const attempted = Promise.withResolvers<void>()

  const connect = async (broken: AbortController): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: options.connectionString,
      application_name: 'foyer (hears revocations)',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
    })
    // `end` follows every error.
    client.on('error', () => {})
    client.once('end', () => {
      if (current === client) current = null
      broken.abort()
    })
    client.on('notification', ({ payload }) => options.onRevoked(payload ?? ''))
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
      return client
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
  }

  /** Listens until the connection breaks. */
  const follow = async (onConnected: () => void): Promise<void> => {
    const broken = new AbortController()
    const signal = AbortSignal.any([stopping.signal, broken.signal])
    const client = await connect(broken)
    // Forgotten first: what was remembered before we listened may have been revoked meanwhile.
    options.onListening()
    current = client
    onConnected()
    try {
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
          if (!isFirst) log.info({}, 'revoked tokens are heard of at once again')
          isFirst = false
          waitMs = RETRY_MIN_MS
          attempted.resolve()
        })
      } catch (error) {
        if (stopping.signal.aborted) return
        if (waitMs === RETRY_MIN_MS) log.warn({ err: error }, 'the connection that hears revocations broke')
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
    close: async () => {
      stopping.abort()
      await running
    },
  }
}
