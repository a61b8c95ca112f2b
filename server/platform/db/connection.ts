// Every PostgreSQL connection, pooled or not, is created here. It goes to a writable server; session settings are
// made by a statement, because poolers reject them as startup parameters; and an unresponsive connection is
// destroyed, so that no pool can reuse it.
import { finished, type Readable, Stream } from 'node:stream'
import pg from 'pg'
import { chooseHost, forgetHost, mustTakeWrites, singleUrl } from './address.ts'
import { isReadOnly, isSilence, READ_ONLY_SQLSTATE } from './failures.ts'
import { dropIdle, dropOlder, watchConnection } from './silence.ts'

const CONNECT_TIMEOUT_MS = 5_000
/** How long after the statement timeout an unresponsive server is given up: it is frozen, or the network is down. */
const SILENCE_MS = 2_000
const STATEMENT_TIMEOUT_MS = 15_000
/** Waiting longer for a lock releases the connection, and the caller gets a 503. */
const LOCK_TIMEOUT_MS = 2_000
/** Our transactions wait for nothing but the database, so an idle one belongs to a frozen process. */
const IDLE_IN_TRANSACTION_MS = 5_000

type ConnectionOptions = {
  /** DATABASE_URL, possibly with several hosts. */
  connectionString: string
  applicationName: string
  /** The server cancels longer statements; 0 for no limit. */
  statementTimeoutMs?: number
  /** 0 for no limit. */
  lockTimeoutMs?: number
  /** A server that sends nothing for this long is given up; longer than the statement timeout. */
  silenceTimeoutMs?: number
  /** More session settings. */
  settings?: Readonly<Record<string, string>>
  types?: pg.CustomTypesConfig
}

type ConnectionConfig = pg.ClientConfig & { foyer: Required<Omit<ConnectionOptions, 'types'>> }

const configOf = (options: ConnectionOptions): ConnectionConfig => {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options
  const foyer = {
    statementTimeoutMs,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    settings: {},
    silenceTimeoutMs: statementTimeoutMs > 0 ? statementTimeoutMs + SILENCE_MS : 0,
    ...options,
  }
  return {
    foyer,
    connectionString: singleUrl(options.connectionString),
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    ...(foyer.silenceTimeoutMs > 0 && { query_timeout: foyer.silenceTimeoutMs }),
    ...(options.types && { types: options.types }),
  }
}

/** A standalone connection, not yet open. */
export const makeConnection = (options: ConnectionOptions): Connection => new Connection(configOf(options))

/** Options for creating a pool of them. */
export const poolConfigOf = (options: ConnectionOptions): pg.PoolConfig => ({
  ...configOf(options),
  // The pool passes its own options to each client; the type only accepts clients without options.
  Client: Connection as unknown as new () => pg.ClientBase,
})

export class Connection extends pg.Client {
  readonly #options: ConnectionConfig['foyer']
  /** A message from the server that means it can't accept writes. */
  readonly #writeObstacles = new Set<string>()
  #askedMs: number | null = null
  #answeredMs = 0
  #pid = 0

  constructor(config: ConnectionConfig) {
    super(config)
    this.#options = config.foyer
    // A broken connection must not end the process: callers get the error from their statement.
    this.on('error', () => {})
    this.connection.on('parameterStatus', ({ parameterName: name, parameterValue: value }) => {
      if (name !== 'in_hot_standby' && name !== 'default_transaction_read_only') return
      if (value === 'on') this.#writeObstacles.add(name)
      else this.#writeObstacles.delete(name)
    })
    const ask = this.query
    // The overloads define what goes in and comes out; this only observes.
    this.query = ((...args: unknown[]) => {
      const ended = this.#begin()
      const callback = args.at(-1)
      if (typeof callback === 'function')
        args[args.length - 1] = (error: unknown, ...rest: unknown[]) => {
          // The caller gets the original error, not the one from destroying the connection.
          callback(error, ...rest)
          ended(error)
        }
      const answer: unknown = Reflect.apply(ask, this, args)
      if (answer instanceof Promise) answer.then(() => ended(null), ended)
      // COPY: the caller reads or writes it.
      else if (answer instanceof Stream) finished(answer as Readable, (error) => ended(error ?? null))
      return answer
    }) as typeof this.query
  }

  override connect(): Promise<this>
  override connect(callback: (error: Error | null, client?: pg.Client) => void): void
  override connect(callback?: (error: Error | null, client?: pg.Client) => void): Promise<this> | undefined {
    const opening = this.#open()
    if (!callback) return opening
    opening.then(
      () => callback(null, this),
      (error) => callback(error),
    )
    return undefined
  }

  async #open(): Promise<this> {
    const { connectionString } = this.#options
    try {
      const host = await chooseHost(connectionString)
      if (host) this.#pointTo(host)
      await super.connect()
      if (mustTakeWrites(connectionString) && this.#writeObstacles.size > 0)
        throw Object.assign(new Error('The server does not accept writes.'), { code: READ_ONLY_SQLSTATE })
      this.#pid = await this.#prepare()
    } catch (error) {
      forgetHost(connectionString)
      this.end().catch(() => {})
      throw error
    }
    const unwatch = watchConnection(connectionString, this)
    this.once('end', unwatch)
    return this
  }

  #pointTo({ host, port }: { host: string; port: number }): void {
    const place = { host: host.replace(/^\[|\]$/g, ''), port }
    Object.assign(this, place)
    // These make the client read the password file. They are not in the type.
    Object.assign((this as unknown as { connectionParameters: object }).connectionParameters, place)
  }

  /** Applies the session's settings and asks for its process id: a pooler in between reports a different one. */
  async #prepare(): Promise<number> {
    const { statementTimeoutMs, lockTimeoutMs, settings } = this.#options
    const all: Record<string, string> = {
      timezone: 'UTC',
      statement_timeout: String(statementTimeoutMs),
      lock_timeout: String(lockTimeoutMs),
      idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
      ...settings,
    }
    const config = {
      text: `select pg_backend_pid() as pid, ${Object.keys(all)
        .map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`)
        .join(', ')}`,
      values: Object.entries(all).flat(),
      // Not in the type.
      query_timeout: CONNECT_TIMEOUT_MS,
    }
    const { rows } = await this.query<{ pid: number }>(config)
    return rows[0]!.pid
  }

  /** Called when a statement is sent; the returned function is called with its error, or null. */
  #begin(): (error: unknown) => void {
    const askedMs = performance.now()
    this.#askedMs ??= askedMs
    return (error) => {
      this.#askedMs = null
      this.#answeredMs = performance.now()
      if (error === null || error === undefined) return
      if (isSilence(error)) {
        this.destroy('Connection terminated: the server did not respond')
        dropOlder(this.#options.connectionString, askedMs)
      } else if (isReadOnly(error)) {
        this.destroy('Connection terminated: the server does not accept writes')
        dropIdle(this.#options.connectionString)
      }
    }
  }

  get pid(): number {
    return this.#pid
  }

  /** Whether there is a pooler between us and the server: it reports its own process id for the session. */
  get isPooled(): boolean {
    // Not in the type.
    return (this as unknown as { processID: number }).processID !== this.#pid
  }

  get askedMs(): number | null {
    return this.#askedMs
  }

  get answeredMs(): number {
    return this.#answeredMs
  }

  /** Fails pending statements at once and keeps pools from reusing the connection. */
  destroy(reason: string): void {
    // As the library does when a socket breaks: immediately, so that nobody gets the connection in between.
    this.connection.emit('error', new Error(reason))
    this.end().catch(() => {})
  }
}
