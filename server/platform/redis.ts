// Redis or Valkey, shared by several processes: rate limits and new-event notifications. Requests never depend on it:
// while it is down each process limits by itself and polls for events every second.
import type { FastifyBaseLogger } from 'fastify'
import { Redis } from 'ioredis'

const CONNECT_TIMEOUT_MS = 2_000
const COMMAND_TIMEOUT_MS = 500
const RETRY_STEP_MS = 100
const RETRY_MAX_MS = 2_000

type RedisConnections = {
  /** Responds or fails at once: a request waits for it. */
  commands: Redis
  /** Waits for Redis to come back: for publishing and, duplicated, for subscribing. */
  events: Redis
  close: () => void
}

/** Resolves after the first connection attempt, whether or not it succeeded; retries continue. */
export const connectRedis = async (
  url: string,
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>,
): Promise<RedisConnections> => {
  const address = url.replace(/^valkey/, 'redis')
  const options = {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: (times: number) => Math.min(times * RETRY_STEP_MS, RETRY_MAX_MS),
  }
  const commands = new Redis(address, {
    ...options,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
  })
  const events = new Redis(address, { ...options, lazyConnect: false, maxRetriesPerRequest: null })
  let isAway = false
  commands.on('error', (error) => {
    if (!isAway)
      log.warn({ err: error }, 'Redis is not responding; each process counts limits on its own for now')
    isAway = true
  })
  commands.on('ready', () => {
    if (isAway) log.info({}, 'Redis is responding again')
    isAway = false
  })
  events.on('error', () => {})
  await commands.connect().catch(() => {})
  return {
    commands,
    events,
    close: () => {
      commands.disconnect()
      events.disconnect()
    },
  }
}
