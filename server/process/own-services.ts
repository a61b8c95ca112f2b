// Where Foyer itself and its stores listen, so that no request that a workspace defines goes there.
import { parseAddress } from '../platform/db/address.ts'
import { isLoopbackHost } from '../platform/loopback.ts'
import type { Config } from './config.ts'

type Service = { host: string; port: number }

const DEFAULT_PORTS: Record<string, number> = {
  'http:': 80,
  'https:': 443,
  'redis:': 6379,
  'rediss:': 6379,
  'valkey:': 6379,
  'valkeys:': 6379,
  'smtp:': 25,
  'smtps:': 465,
}
const LOOPBACK = ['localhost', '127.0.0.1', '::1']

export const listOwnServices = (
  config: Pick<
    Config,
    'publicUrl' | 'databaseUrl' | 'redisUrl' | 'smtpUrl' | 'filesStorage' | 'host' | 'port'
  >,
): Service[] => {
  const { publicUrl, databaseUrl, redisUrl, smtpUrl, filesStorage, host, port } = config
  const urls = [publicUrl, redisUrl, smtpUrl, filesStorage?.endpoint ?? null].filter((url) => url !== null)
  return [
    { host, port },
    ...urls.map(serviceOf),
    ...(databaseUrl === null ? [] : parseAddress(databaseUrl).hosts),
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
