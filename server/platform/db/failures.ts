// Which failures are temporary: one list for requests (503 and Retry-After), webhooks (the provider should retry) and
// jobs (retried soon). Everything else is a mistake in the request or a bug.

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

/** A trigger of ours: the workspace is being moved (closed-workspaces.ts). */
export const CLOSED_SQLSTATE = 'FY001'

/**
 * PostgreSQL's classes and codes (https://www.postgresql.org/docs/current/errcodes-appendix.html) for a server that
 * can't do something now but will be able to later.
 */
const PASSING_SQLSTATES = new RegExp(
  `^(?:${[
    '08...', // the connection broke
    '25006', // read-only: a standby, or a primary that was demoted
    '25P0[34]', // the server ended a transaction that was idle or took too long
    SERIALIZATION_FAILURE, // after inTransaction's retries
    DEADLOCK, // after inTransaction's retries
    '53...', // out of disk, memory or connections
    '55P03', // another session held a lock for longer than lock_timeout
    '57014', // exceeded statement_timeout
    '57P0[1-5]', // shutting down, starting up, crashed, idle for too long
    '58030', // disk I/O error
    CLOSED_SQLSTATE,
  ].join('|')})$`,
)

const QUERY_CANCELED = '57014'
export const READ_ONLY_SQLSTATE = '25006'

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
])
/** File errors with the same codes do not come from the database. */
const NETWORK_SYSCALLS = new Set(['connect', 'read', 'write', 'getaddrinfo'])

// The client's own errors have no codes.
const SILENCE_MESSAGE = 'Query read timeout'
const BROKEN_MESSAGES = [
  SILENCE_MESSAGE,
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
]

type Failure = { code?: unknown; syscall?: unknown; message?: unknown }

const isObject = (error: unknown): error is Failure => typeof error === 'object' && error !== null

/** Whether the failure is temporary: the same request may succeed when retried. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  if (!isObject(error)) return false
  // A host name with several addresses fails with one error for each.
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  const { code, syscall, message } = error
  if (typeof code === 'string') {
    if (PASSING_SQLSTATES.test(code)) return true
    if (NETWORK_CODES.has(code))
      return syscall === undefined || (typeof syscall === 'string' && NETWORK_SYSCALLS.has(syscall))
  }
  return typeof message === 'string' && BROKEN_MESSAGES.some((broken) => message.includes(broken))
}

/**
 * The same for all workspaces, and without statement timeouts: such a statement may be too heavy however often it is
 * retried.
 */
export const isOutage = (error: unknown): boolean =>
  isDatabaseUnavailable(error) &&
  !(isObject(error) && (error.code === QUERY_CANCELED || error.code === CLOSED_SQLSTATE))

/** A conflict between transactions: PostgreSQL expects the whole transaction to be retried. */
export const isConflict = (error: unknown): boolean =>
  isObject(error) && (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK)

/** A conflict that we found ourselves: inTransaction retries. */
export const conflict = (message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code: SERIALIZATION_FAILURE })

/** The connection leads to a read-only server, for example a former primary. */
export const isReadOnly = (error: unknown): boolean => isObject(error) && error.code === READ_ONLY_SQLSTATE

/** The server did not respond. We don't know whether the statement ran, and the connection is unusable. */
export const isSilence = (error: unknown): boolean => isObject(error) && error.message === SILENCE_MESSAGE
