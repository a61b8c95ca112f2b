// Redis or Valkey, shared by several processes: rate limits and new-event notifications. Requests never depend on it:
// while it is down each process limits by itself and polls for events every second.
import type { FastifyBaseLogger } from 'fastify'
import { Redis, type RedisOptions } from 'ioredis'
import { parseRedisAddress } from './redis-address.ts'

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
  const address = parseRedisAddress(url)
  const retryStrategy = (times: number): number => Math.min(times * RETRY_STEP_MS, RETRY_MAX_MS)
  const options: RedisOptions = {
    ...address.options,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy,
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    // A former primary that became a replica: the next connection leads to the new one.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  }
  const open = (more: RedisOptions): Redis =>
    address.url === null
      ? new Redis({ ...options, ...more })
      : new Redis(address.url, { ...options, ...more })
  const commands = open({
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
  })
  const events = open({ lazyConnect: false, maxRetriesPerRequest: null })
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
  // With Sentinels, the library's promise stays open until one of them responds.
  const failed = new Promise<void>((done) => commands.once('error', () => done()))
  await Promise.race([commands.connect().catch(() => {}), failed])
  return {
    commands,
    events,
    close: () => {
      commands.disconnect()
      events.disconnect()
    },
  }
}
