// The settings: one schema of the environment, and its only reader. All errors are reported together.
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import type { OutboundRule } from '../../channels/channel.ts'
import type { OidcSettings } from '../domain/accounts/oidc/settings.ts'
import type { MailOauthClient } from '../domain/channel-accounts/mailbox-oauth/provider.ts'
import { parseAddress } from '../platform/db/address.ts'
import { isLoopbackHost, isLoopbackUrl } from '../platform/loopback.ts'
import { parseRedisAddress } from '../platform/redis-address.ts'
import { readMailOauth } from './mail-oauth-settings.ts'
import { readOidcSettings, SANDBOX_ISSUER } from './oidc-settings.ts'
import { parseOutboundRules } from './outbound-rules.ts'

export type Config = {
  port: number
  host: string
  publicUrl: string
  dataDir: string
  databaseUrl: string | null
  /** A replica of it, for reads. */
  databaseReplicaUrl: string | null
  redisUrl: string | null
  secretKey: string | null
  /** What opens and recognizes what was made before SECRET_KEY was changed. */
  formerSecretKey: string | null
  smtpUrl: string | null
  /** The identity provider of console sign-in. */
  oidc: OidcSettings | null
  /** The applications that the operator registered for connecting mailboxes; in the demo, its sandbox's. */
  mailOauth: readonly MailOauthClient[]
  /** File storage other than the data directory. */
  filesStorage: FilesStorage | null
  logLevel: LogLevel
  trustProxy: boolean | number | string[]
  /** The private networks that channels may connect to. */
  outboundAllow: OutboundRule[]
  tls: { certPath: string; keyPath: string } | null
  /** How long it keeps serving after a stop signal while /readyz reports it as stopping. */
  drainDelayMs: number
  rateLimits: boolean
  /** False: the AI agent replies nowhere. */
  ai: boolean
  metricsToken: string | null
  /** Where traces go; null: they are off. Everything else of OpenTelemetry is read by its own packages. */
  tracesUrl: string | null
  /** For how many days programs can read events. */
  eventsKeptDays: number
  /** Whether there is a demo, and whether DEMO was set explicitly. */
  demo: boolean
  isDemoChosen: boolean
}

type FilesStorage = FilesAddress & { accessKeyId: string; secretAccessKey: string }
type FilesAddress = { endpoint: string; region: string; bucket: string; prefix: string }

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Invalid settings, one plain line each. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`Invalid settings: ${problems.join('; ')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

const SECRET_KEY_MIN = 32

const onOff = (text: string): boolean => {
  if (text === 'on') return true
  if (text === 'off') return false
  throw new Error('must be "on" or "off"')
}

const url =
  (...protocols: string[]) =>
  (text: string): string => {
    const parsed = URL.canParse(text) ? new URL(text) : null
    if (!parsed || !protocols.includes(parsed.protocol))
      throw new Error(`must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    return text
  }

/** Paths are appended to it, so it can't have a query or fragment. */
const webAddress = (text: string): string => {
  const { username, password } = new URL(url('http:', 'https:')(text))
  if (/[?#]/.test(text) || username || password)
    throw new Error('must not have a query, a fragment, a user name or a password')
  return text
}

/** The console, the chat box and the documentation link to paths from the root. */
const publicUrl = (text: string): string => {
  const address = webAddress(text)
  if (!/^\/*$/.test(new URL(address).pathname))
    throw new Error(
      'must not have a path: Foyer needs a host name of its own, such as https://inbox.example.com',
    )
  return address
}

const databaseUrl = (text: string): string => {
  parseAddress(text)
  return text
}

/** One address: a standby of its own, or a proxy in front of several. */
const databaseReplicaUrl = (text: string): string => {
  const { hosts, target } = parseAddress(text)
  if (hosts.length > 1 || target !== 'any')
    throw new Error('must name one host, without target_session_attrs')
  return text
}

const redisUrl = (text: string): string => {
  parseRedisAddress(text)
  return text
}

const DEFAULT_REGION = 'us-east-1'

/** `s3://bucket/prefix?endpoint=https://…&region=…`; only the bucket is required. */
const filesAddress = (text: string): FilesAddress => {
  const { hostname, pathname, searchParams, username, password, port } = new URL(url('s3:')(text))
  const { region = DEFAULT_REGION, endpoint, ...rest } = Object.fromEntries(searchParams)
  if (!/^[a-z0-9][a-z0-9.-]{1,62}$/.test(hostname) || username || password || port)
    throw new Error('must name a bucket: s3://bucket/prefix')
  const [unknown] = Object.keys(rest)
  if (unknown) throw new Error(`has the option ${unknown}, which is neither endpoint nor region`)
  if (!/^[a-z0-9-]+$/.test(region)) throw new Error('must have a region such as eu-central-1')
  const address = webAddress(endpoint ?? `https://s3.${region}.amazonaws.com`)
  const path = decodeURIComponent(pathname).replace(/^\/+|(?<!\/)\/+$/g, '')
  return {
    endpoint: address.replace(/(?<!\/)\/+$/, ''),
    region,
    bucket: hostname,
    prefix: path ? `${path}/` : '',
  }
}

const port = (text: string): number => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 65_535) throw new Error('must be a port number from 0 to 65535')
  return value
}

const logLevel = (text: string): LogLevel => {
  if (!LOG_LEVELS.includes(text as LogLevel)) throw new Error(`must be one of ${LOG_LEVELS.join(', ')}`)
  return text as LogLevel
}

const isRange = (text: string): boolean => {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^[1-9]\d*$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}

const trustProxy = (text: string): boolean | number | string[] => {
  if (text === 'on' || text === 'true') return true
  if (text === 'off' || text === 'false') return false
  if (/^\d+$/.test(text)) return Number(text)
  const addresses = text.split(',').map((address) => address.trim())
  const names = ['loopback', 'linklocal', 'uniquelocal']
  if (!addresses.every((address) => names.includes(address) || isRange(address)))
    throw new Error('must be "on", "off", a number of proxies, or a list of addresses')
  return addresses
}

const DRAIN_DELAY_MAX_SECONDS = 300
/** Behind a proxy: two health checks at one every two seconds. */
const DRAIN_DELAY_DEFAULT_MS = 5_000

const drainDelayMs = (text: string): number => {
  const seconds = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || seconds > DRAIN_DELAY_MAX_SECONDS)
    throw new Error(`must be a number of seconds from 0 to ${DRAIN_DELAY_MAX_SECONDS}`)
  return seconds * 1_000
}

const secretKey = (text: string): string => {
  if (text.length < SECRET_KEY_MIN) throw new Error(`must have at least ${SECRET_KEY_MIN} characters`)
  return text
}

const EVENTS_KEPT_DAYS_MAX = 365
const EVENTS_KEPT_DAYS_DEFAULT = 30

const eventsKeptDays = (text: string): number => {
  const days = Number(text)
  if (!/^\d+$/.test(text) || days < 1 || days > EVENTS_KEPT_DAYS_MAX)
    throw new Error(`must be a number of days from 1 to ${EVENTS_KEPT_DAYS_MAX}`)
  return days
}

const trueOrFalse = (text: string): boolean => {
  if (/^true$/i.test(text)) return true
  if (/^false$/i.test(text)) return false
  throw new Error('must be "true" or "false"')
}

const readTracesUrl = (
  read: <T>(name: string, parse: (text: string) => T, fallback: T) => T,
): string | null => {
  const endpoint = url('http:', 'https:')
  const shared = read<string | null>('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint, null)
  const own = read<string | null>('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', endpoint, null)
  return read('OTEL_SDK_DISABLED', trueOrFalse, false) ? null : (own ?? shared)
}

const METRICS_TOKEN_MIN = 16

/** The characters allowed in a `Bearer` header. */
const metricsToken = (text: string): string => {
  if (!/^[\w.~+/=-]+$/.test(text) || text.length < METRICS_TOKEN_MIN)
    throw new Error(`must have at least ${METRICS_TOKEN_MIN} letters, digits or . _ ~ + / = -`)
  return text
}

/** Whether other machines can reach us, as far as the settings tell. */
export const isReachable = ({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): boolean =>
  !isLoopbackHost(host) || !isLoopbackUrl(publicUrl)

const nonEmpty = (text: string): string => text

/**
 * Reads the settings from an environment. An empty value counts as unset. Relative paths are relative to `root`.
 * Throws ConfigError naming every invalid setting.
 */
export const readConfig = (env: Record<string, string | undefined>, root = process.cwd()): Config => {
  const problems: string[] = []
  const read = <T>(name: string, parse: (text: string) => T, fallback: T): T => {
    const text = env[name]?.trim()
    if (!text) return fallback
    try {
      return parse(text)
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`)
      return fallback
    }
  }
  const listenPort = read('PORT', port, 8080)
  const host = read('HOST', nonEmpty, '127.0.0.1')
  const certPath = read('TLS_CERT', nonEmpty, '')
  const keyPath = read('TLS_KEY', nonEmpty, '')
  if (Boolean(certPath) !== Boolean(keyPath)) problems.push('TLS_CERT and TLS_KEY must be set together')
  const shownHost =
    host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  const config: Config = {
    port: listenPort,
    host,
    publicUrl: read(
      'PUBLIC_URL',
      publicUrl,
      `${certPath ? 'https' : 'http'}://${shownHost}:${listenPort}`,
    ).replace(/(?<!\/)\/+$/, ''),
    dataDir: resolve(root, read('DATA_DIR', nonEmpty, './data')),
    databaseUrl: read<string | null>('DATABASE_URL', databaseUrl, null),
    databaseReplicaUrl: read<string | null>('DATABASE_REPLICA_URL', databaseReplicaUrl, null),
    redisUrl: read<string | null>('REDIS_URL', redisUrl, null),
    secretKey: read<string | null>('SECRET_KEY', secretKey, null),
    formerSecretKey: read<string | null>('SECRET_KEY_OLD', secretKey, null),
    smtpUrl: read<string | null>('SMTP_URL', url('smtp:', 'smtps:'), null),
    oidc: readOidcSettings(read, onOff, problems),
    mailOauth: readMailOauth(read, problems),
    filesStorage: null,
    logLevel: read('LOG_LEVEL', logLevel, 'info'),
    trustProxy: read('TRUST_PROXY', trustProxy, false),
    outboundAllow: read<OutboundRule[]>('OUTBOUND_ALLOW', parseOutboundRules, []),
    tls: certPath && keyPath ? { certPath: resolve(root, certPath), keyPath: resolve(root, keyPath) } : null,
    drainDelayMs: 0,
    rateLimits: read('RATE_LIMITS', onOff, true),
    ai: read('AI', onOff, true),
    metricsToken: read<string | null>('METRICS_TOKEN', metricsToken, null),
    tracesUrl: readTracesUrl(read),
    eventsKeptDays: read('EVENTS_KEPT_DAYS', eventsKeptDays, EVENTS_KEPT_DAYS_DEFAULT),
    demo: false,
    isDemoChosen: false,
  }
  config.drainDelayMs = read(
    'DRAIN_DELAY',
    drainDelayMs,
    config.trustProxy === false ? 0 : DRAIN_DELAY_DEFAULT_MS,
  )
  const demo = read<boolean | null>('DEMO', onOff, null)
  config.demo = demo ?? !isReachable(config)
  config.isDemoChosen = demo !== null
  if (config.databaseReplicaUrl !== null && config.databaseUrl === null)
    problems.push('DATABASE_REPLICA_URL needs DATABASE_URL, the primary that it follows')
  if (config.oidc?.issuer === SANDBOX_ISSUER && !config.demo)
    problems.push('OIDC_ISSUER can only be "sandbox" with the demo: set DEMO=on, or the URL of your provider')
  const files = read<FilesAddress | null>('FILES_URL', filesAddress, null)
  const accessKeyId = read('FILES_ACCESS_KEY_ID', nonEmpty, '')
  const secretAccessKey = read('FILES_SECRET_ACCESS_KEY', nonEmpty, '')
  if (files && accessKeyId && secretAccessKey)
    config.filesStorage = { ...files, accessKeyId, secretAccessKey }
  else if (
    (files || accessKeyId || secretAccessKey) &&
    !problems.some((problem) => problem.startsWith('FILES_URL'))
  )
    problems.push('FILES_URL, FILES_ACCESS_KEY_ID and FILES_SECRET_ACCESS_KEY must be set together')
  if (config.formerSecretKey !== null && config.formerSecretKey === config.secretKey)
    problems.push('SECRET_KEY_OLD must differ from SECRET_KEY')
  if (
    config.databaseUrl &&
    !config.secretKey &&
    !problems.some((problem) => problem.startsWith('SECRET_KEY'))
  )
    problems.push('SECRET_KEY is required with DATABASE_URL: set it to at least 32 random characters')
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}
