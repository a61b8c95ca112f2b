// Sends calls: the token, time limits, retries that do the work once, and errors by their code.
import { CursorExpiredError, FoyerConnectionError, FoyerError, FoyerTimeoutError } from './errors.ts'
import { isBrowser, readSetting } from './runtime.ts'

export type FoyerOptions = {
  /** An API token. Default: the environment variable FOYER_TOKEN. */
  token?: string
  /** Where Foyer runs, such as https://inbox.example.com. Default: the environment variable FOYER_URL. */
  baseUrl?: string
  /** For each attempt. Default 30,000; uploads have 240,000 unless the call says otherwise. */
  timeoutMs?: number
  /** How often a call is repeated after a failure that may pass. Default 2. */
  maxRetries?: number
  /** When the rate limit is used up, wait for the next minute instead of sending. */
  pace?: boolean
  /** Replaces the platform's fetch. */
  fetch?: typeof fetch
  /** Called before each attempt, for example for tracing. */
  onRequest?: (request: { url: string; method: string; headers: Headers; attempt: number }) => void
  /** Called with the response to each attempt. */
  onResponse?: (response: Response) => void
  /** Visitors can read a token in a web page. Only for pages that your team alone can open. */
  dangerouslyAllowBrowser?: boolean
}

export type RequestOptions = {
  signal?: AbortSignal
  timeoutMs?: number
  maxRetries?: number
  /** For a POST. By default each call creates one, and its retries reuse it. */
  idempotencyKey?: string
}

/** Values are sent as text. */
type QueryValue = string | number | boolean | undefined
export type Query = Readonly<Record<string, QueryValue | Readonly<Record<string, unknown>>>>

export type Request = {
  /** The operation's id in openapi.json. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Query
  body?: unknown
  /** Sent as multipart/form-data instead of a body. A File has a name, a Blob has none. */
  form?: Readonly<Record<string, Blob>>
  /** A DELETE whose answer is `{ success: true }`. */
  isPlainDeletion?: true
}

type Sent<T> = { data: T; response: Response }

/** A call in progress: await it for the data, or its `withResponse()` for the status and headers as well. */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call'
  readonly #sent: Promise<Sent<T>>

  constructor(sent: Promise<Sent<T>>) {
    this.#sent = sent
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise of the data
  then<A = T, B = never>(
    onData?: ((data: T) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#sent.then(({ data }) => data).then(onData, onError)
  }

  catch<B = never>(onError?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onError)
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.#sent.then(({ data }) => data).finally(onEnd)
  }

  withResponse(): Promise<Sent<T>> {
    return this.#sent
  }
}

/** What the generated classes have in common. */
export class Resource {
  protected readonly client: Client

  constructor(client: Client) {
    this.client = client
  }

  /** An id as a part of a path. */
  protected segment(id: string): string {
    if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError('an id must not be empty')
    return encodeURIComponent(id)
  }
}

const TIMEOUT_MS = 30_000
/** 25 MiB at 1 Mbit/s. */
const UPLOAD_TIMEOUT_MS = 240_000
const RETRIES = 2
const DELAY_MIN_MS = 500
const DELAY_MAX_MS = 8_000
/** Rate limits reset every minute; the caller should know about a longer Retry-After. */
const RETRY_AFTER_MAX_MS = 61_000

export class Client {
  readonly #options: FoyerOptions
  readonly #token: string
  readonly #url: string
  /** Until when a limit is used up, by what it counts. */
  readonly #usedUpUntil = new Map<string, number>()

  constructor(options: FoyerOptions = {}) {
    const token = options.token ?? readSetting('FOYER_TOKEN')
    const url = options.baseUrl ?? readSetting('FOYER_URL')
    if (!token) throw new TypeError('Pass token, or set FOYER_TOKEN.')
    if (!url) throw new TypeError('Pass baseUrl, or set FOYER_URL.')
    if (isBrowser() && !options.dangerouslyAllowBrowser)
      throw new TypeError(
        'Visitors can read an API token in a web page. Call Foyer from your server, or pass dangerouslyAllowBrowser: true if only your team can open the page.',
      )
    this.#options = options
    this.#token = token
    this.#url = `${url.replace(/\/+$/, '')}/api/v1`
  }

  call<T>(request: Request, options: RequestOptions = {}): Call<T> {
    return new Call(this.#send<T>(request, options))
  }

  async #send<T>(request: Request, options: RequestOptions): Promise<Sent<T>> {
    const retries = options.maxRetries ?? this.#options.maxRetries ?? RETRIES
    const headers = this.#headersOf(request, options)
    const body = bodyOf(request)
    for (let attempt = 0, isUnknown = false; ; attempt++) {
      await this.#waitForPace(request, options.signal)
      try {
        return await this.#attempt<T>(request, { headers, body, attempt, options })
      } catch (error) {
        // The first attempt deleted it, and its response was lost.
        if (isUnknown && request.isPlainDeletion && error instanceof FoyerError && error.status === 404)
          return { data: { success: true } as T, response: Response.json({ success: true }) }
        const delayMs = delayAfter(error, attempt)
        if (attempt >= retries || delayMs === null || options.signal?.aborted) throw error
        isUnknown ||= error instanceof FoyerConnectionError
        await sleep(delayMs, options.signal)
      }
    }
  }

  async #attempt<T>(
    request: Request,
    sent: { headers: Headers; body: string | FormData | undefined; attempt: number; options: RequestOptions },
  ): Promise<Sent<T>> {
    const { headers, body, attempt, options } = sent
    const url = this.#url + request.path + queryText(request.query)
    const defaultMs = request.form ? UPLOAD_TIMEOUT_MS : (this.#options.timeoutMs ?? TIMEOUT_MS)
    const timeout = AbortSignal.timeout(options.timeoutMs ?? defaultMs)
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
    const send = this.#options.fetch ?? fetch
    this.#options.onRequest?.({ url, method: request.method, headers, attempt })
    try {
      const response = await send(url, { method: request.method, headers, body, signal, redirect: 'manual' })
      this.#options.onResponse?.(response)
      this.#keepPace(request, response)
      return { data: read<T>(response, await response.text()), response }
    } catch (error) {
      if (error instanceof FoyerError || error instanceof FoyerConnectionError) throw error
      if (options.signal?.aborted) throw options.signal.reason
      if (timeout.aborted)
        throw new FoyerTimeoutError(`no response from ${this.#url} in time`, { cause: error })
      throw new FoyerConnectionError(`no response from ${this.#url}`, { cause: error })
    }
  }

  #headersOf({ method, body, form }: Request, { idempotencyKey }: RequestOptions): Headers {
    const headers = new Headers({ accept: 'application/json', authorization: `Bearer ${this.#token}` })
    if (body !== undefined) headers.set('content-type', 'application/json')
    if (method === 'POST' && !form) headers.set('idempotency-key', idempotencyKey ?? crypto.randomUUID())
    return headers
  }

  #keepPace(request: Request, { headers }: Response): void {
    if (!this.#options.pace || headers.get('ratelimit-remaining') !== '0') return
    const seconds = Number(headers.get('ratelimit-reset'))
    if (seconds > 0) this.#usedUpUntil.set(limitOf(request), Date.now() + seconds * 1_000)
  }

  async #waitForPace(request: Request, signal: AbortSignal | undefined): Promise<void> {
    const waitMs = (this.#usedUpUntil.get(limitOf(request)) ?? 0) - Date.now()
    if (waitMs > 0) await sleep(waitMs, signal)
  }
}

/** Each write operation has its own limit; reads share one. */
const limitOf = ({ id, method }: Request): string => (method === 'GET' ? '' : id)

const bodyOf = ({ body, form }: Request): string | FormData | undefined => {
  if (!form) return body === undefined ? undefined : JSON.stringify(body)
  const data = new FormData()
  for (const [name, file] of Object.entries(form)) data.append(name, file)
  return data
}

const queryText = (query: Query = {}): string => {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (typeof value === 'object')
      for (const [key, one] of Object.entries(value)) text.append(`${name}[${key}]`, String(one))
    else if (value !== undefined) text.append(name, String(value))
  return text.size > 0 ? `?${text}` : ''
}

const read = <T>(response: Response, text: string): T => {
  const body = parse(text)
  const isObject = typeof body === 'object' && body !== null
  if (response.ok && isObject) return body as T
  const refused = isObject && 'error' in body ? (body.error as { code?: string }) : undefined
  if (typeof refused?.code === 'string') throw refusal(response, refused as Refused)
  const where = response.headers.get('location')
  if (where)
    throw new FoyerConnectionError(`${response.url} redirects to ${where}. Use that address as baseUrl.`)
  // Perhaps a proxy, for a server that is down.
  throw new FoyerConnectionError(
    `${response.url} returned ${response.status}, but not from Foyer. Check baseUrl.`,
  )
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Refused = { code: string; message: string; details?: { field: string; message: string }[] }

const refusal = ({ status, headers }: Response, { code, message, details }: Refused): FoyerError => {
  const Kind = code === 'CURSOR_EXPIRED' ? CursorExpiredError : FoyerError
  return new Kind({
    code,
    status,
    message,
    details,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
    isRetryable: status === 408 || status === 429 || status >= 500 || code === 'IDEMPOTENCY_KEY_IN_USE',
  })
}

const retryAfterMs = (value: string | null): number | null => {
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

/** How long to wait before the next attempt; null: not again. */
const delayAfter = (error: unknown, attempt: number): number | null => {
  const isRefusal = error instanceof FoyerError
  if (isRefusal ? !error.isRetryable : !(error instanceof FoyerConnectionError)) return null
  const asked = isRefusal ? error.retryAfterMs : null
  if (asked !== null) return asked <= RETRY_AFTER_MAX_MS ? asked : null
  const ceiling = Math.min(DELAY_MAX_MS, DELAY_MIN_MS * 2 ** (attempt + 1))
  return DELAY_MIN_MS + Math.random() * (ceiling - DELAY_MIN_MS)
}

export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
