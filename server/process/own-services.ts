// Where Foyer itself and its stores listen, so that no request that a workspace defines goes there.
import { parseAddress } from '../platform/db/address.ts'
import { isLoopbackHost } from '../platform/loopback.ts'
import { parseRedisAddress } from '../platform/redis-address.ts'
import type { Config } from './config.ts'

type Service = { host: string; port: number }

const DEFAULT_PORTS: Record<string, number> = {
  'http:': 80,
  'https:': 443,
  'smtp:': 25,
  'smtps:': 465,
}
const LOOPBACK = ['localhost', '127.0.0.1', '::1']

export const listOwnServices = (
  config: Pick<
    Config,
    | 'publicUrl'
    | 'databaseUrl'
    | 'databaseReplicaUrl'
    | 'redisUrl'
    | 'smtpUrl'
    | 'filesStorage'
    | 'tracesUrl'
    | 'host'
    | 'port'
  >,
): Service[] => {
  const { publicUrl, redisUrl, smtpUrl, filesStorage, tracesUrl, host, port } = config
  const databases = [config.databaseUrl, config.databaseReplicaUrl].filter((url) => url !== null)
  const urls = [publicUrl, smtpUrl, filesStorage?.endpoint ?? null, tracesUrl].filter((url) => url !== null)
  return [
    { host, port },
    ...urls.map(serviceOf),
    // The servers that Sentinels name are not known here; their Sentinels are.
    ...(redisUrl === null ? [] : parseRedisAddress(redisUrl).hosts),
    ...databases.flatMap((url) => parseAddress(url).hosts),
  ]
    .map(({ host, port }) => ({ host: host.replace(/^\[|\]$/g, ''), port }))
    .flatMap(({ host, port }) =>
      isLoopbackHost(host) || host === '0.0.0.0' || host === '::'
        ? LOOPBACK.map((host) => ({ host, port }))
        : [{ host, port }],
    )
}

const serviceOf = (url: string): Service => {
  const { protocol, hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0) }
}
