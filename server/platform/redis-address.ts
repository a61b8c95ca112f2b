// REDIS_URL: one server, or Sentinels that say which server is the primary. The client library takes Sentinels as options
// rather than as a URL; the form of the URL is that of other clients.
import type { RedisOptions } from 'ioredis'

const SINGLE = ['redis:', 'rediss:', 'valkey:', 'valkeys:']
const SENTINEL_PATTERN =
  /^(redis|rediss|valkey|valkeys)\+sentinel:\/\/(?:([^/?#@:]*)(?::([^/?#@]*))?@)?([^/?#@]+)\/([^/?#]+)(?:\/(\d+))?(?:\?([^#]*))?$/
const SENTINEL_PORT = 26_379
const SENTINELS_MAX = 10
const DEFAULT_PORT = 6_379
const PARAMETERS = ['sentinelUsername', 'sentinelPassword']

type Host = { host: string; port: number }

export type RedisAddress = {
  /** The servers or Sentinels that are named. */
  hosts: readonly Host[]
  /** For the client library. */
  options: RedisOptions
  /** Null with Sentinels. */
  url: string | null
}

/** Throws an error whose message completes the sentence "REDIS_URL …". */
export const parseRedisAddress = (text: string): RedisAddress => {
  const parsed = URL.canParse(text) ? new URL(text) : null
  if (parsed && SINGLE.includes(parsed.protocol))
    return {
      hosts: [{ host: parsed.hostname, port: Number(parsed.port) || DEFAULT_PORT }],
      options: {},
      url: text.replace(/^valkey/, 'redis'),
    }
  if (!/^(?:redis|valkey)s?\+sentinel:/.test(text))
    throw new Error(
      `must be a URL that begins with ${SINGLE.map((p) => `${p}//`).join(' or ')}, or with redis+sentinel://`,
    )
  return parseSentinels(text)
}

const parseSentinels = (text: string): RedisAddress => {
  const [, scheme, username, password, authority = '', name, db, query = ''] =
    SENTINEL_PATTERN.exec(text) ?? []
  if (!scheme || !name)
    throw new Error('must list the Sentinels and the name they use: redis+sentinel://host1,host2,host3/name')
  const hosts = authority.split(',').map(parseHost)
  if (hosts.length > SENTINELS_MAX) throw new Error(`must name at most ${SENTINELS_MAX} Sentinels`)
  const parameters = new URLSearchParams(query)
  const unknown = [...parameters.keys()].find((key) => !PARAMETERS.includes(key))
  if (unknown) throw new Error(`has the option ${unknown}, which is not ${PARAMETERS.join(' or ')}`)
  const [sentinelUsername, sentinelPassword] = PARAMETERS.map((key) => parameters.get(key))
  const hasTls = scheme === 'rediss' || scheme === 'valkeys'
  const options: RedisOptions = {
    sentinels: hosts,
    name: decodeURIComponent(name),
    // Connections to a server that hangs are given up as soon as the Sentinels have replaced it.
    failoverDetector: true,
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(db && { db: Number(db) }),
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
    ...(hasTls && { tls: {}, enableTLSForSentinelMode: true, sentinelTLS: {} }),
  }
  return { hosts, options, url: null }
}

const parseHost = (text: string): Host => {
  const [, host, port] = /^(\[[^\]]*\]|[^:]+)(?::(\d+))?$/.exec(text) ?? []
  if (!host) throw new Error(`has an invalid host: ${text}`)
  return { host: host.replace(/^\[|\]$/g, ''), port: port ? Number(port) : SENTINEL_PORT }
}
