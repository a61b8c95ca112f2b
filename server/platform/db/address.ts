// DATABASE_URL as libpq understands it: several hosts, and which of them are acceptable. The client library supports
// only one host, so we choose it here for every connection.
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
import pg from 'pg'
import { READ_ONLY_SQLSTATE } from './failures.ts'

const HOSTS_MAX = 10
const DEFAULT_PORT = 5432
const LOOK_TIMEOUT_MS = 2_000

type Host = { host: string; port: number }

/** `any` accepts the first server that responds; the others require a writable one. */
const TARGETS = ['any', 'read-write', 'primary'] as const
type Target = (typeof TARGETS)[number]

export type Address = {
  hosts: readonly Host[]
  target: Target
  /** The URL for one of the hosts, in the form the client library expects. */
  urlOf: (host: Host) => string
}

const URL_PATTERN = /^(postgres(?:ql)?:\/\/(?:[^/?#@]*@)?)([^/?#@]*)((?:\/[^?#]*)?)(?:\?([^#]*))?$/

/** Throws an error whose message completes the sentence "DATABASE_URL …". */
export const parseAddress = (text: string): Address => {
  const [, begin = '', authority = '', path = '', query = ''] = URL_PATTERN.exec(text) ?? []
  if (!begin) throw new Error('must be a URL that begins with postgres:// or postgresql://')
  const parameters = new URLSearchParams(query)
  const named = parameters.get('target_session_attrs')
  parameters.delete('target_session_attrs')
  const hosts = authority.split(',').map(parseHost)
  if (hosts.length > HOSTS_MAX) throw new Error(`must name at most ${HOSTS_MAX} hosts`)
  // Foyer writes, so with several servers it defaults to the writable one.
  const target = TARGETS.find((target) => target === named) ?? (hosts.length > 1 ? 'read-write' : 'any')
  if (named !== null && target !== named)
    throw new Error(
      `must have target_session_attrs=${TARGETS.join(' or ')} because Foyer writes to the database`,
    )
  const rest = parameters.size > 0 ? `?${parameters}` : ''
  const urlOf = ({ host, port }: Host): string =>
    hosts.length === 1 ? `${begin}${authority}${path}${rest}` : `${begin}${host}:${port}${path}${rest}`
  if (!URL.canParse(urlOf(hosts[0]!))) throw new Error('is not a valid URL')
  return { hosts, target, urlOf }
}

const parseHost = (text: string): Host => {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? []
  if (text && !host) throw new Error(`has an invalid host: ${text}`)
  return { host, port: port ? Number(port) : DEFAULT_PORT }
}

type Known = { address: Address; chosen: Host | null; choosing: Promise<Host> | null }

const known = new Map<string, Known>()

const knownOf = (connectionString: string): Known => {
  const found = known.get(connectionString)
  if (found) return found
  const made = { address: parseAddress(connectionString), chosen: null, choosing: null }
  known.set(connectionString, made)
  return made
}

/** The address of one server, for the client library; the first host until one has been chosen. */
export const singleUrl = (connectionString: string): string => {
  const { address, chosen } = knownOf(connectionString)
  return address.urlOf(chosen ?? address.hosts[0]!)
}

/** Whether a read-only server must be rejected. */
export const mustTakeWrites = (connectionString: string): boolean =>
  knownOf(connectionString).address.target !== 'any'

/** The host to connect to, or null if the address has only one. The choice is kept until `forgetHost`. */
export const chooseHost = async (connectionString: string): Promise<Host | null> => {
  const entry = knownOf(connectionString)
  if (entry.address.hosts.length === 1) return null
  if (entry.chosen) return entry.chosen
  entry.choosing ??= findHost(entry.address).finally(() => {
    entry.choosing = null
  })
  entry.chosen = await entry.choosing
  return entry.chosen
}

/** Called when the current server fails or is read-only: the next connection chooses a host again. */
export const forgetHost = (connectionString: string): void => {
  knownOf(connectionString).chosen = null
}

/** All hosts are tried at once, so that an unresponsive one does not delay the others. */
const findHost = async (address: Address): Promise<Host> => {
  const looks = address.hosts.map((host) => look(address.urlOf(host)))
  // In the listed order, as libpq does.
  const failures: unknown[] = []
  for (const [index, looking] of looks.entries())
    try {
      const { takesWrites } = await looking
      if (takesWrites || address.target === 'any') {
        for (const other of looks) other.catch(() => {})
        return address.hosts[index]!
      }
    } catch (error) {
      failures.push(error)
    }
  throw Object.assign(
    new AggregateError(failures, 'None of the hosts in DATABASE_URL accepts writes.'),
    // Clients get a 503, as with a single read-only server.
    { code: READ_ONLY_SQLSTATE },
  )
}

const look = async (connectionString: string): Promise<{ takesWrites: boolean }> => {
  const client = new pg.Client({
    connectionString,
    application_name: 'foyer (finds the primary)',
    connectionTimeoutMillis: LOOK_TIMEOUT_MS,
    query_timeout: LOOK_TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ takesWrites: boolean }>(
      `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as "takesWrites"`,
    )
    return rows[0]!
  } finally {
    client.end().catch(() => {})
  }
}
