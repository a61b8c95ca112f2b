// All requests to the server go through here. Every error response becomes an ApiError with the server's message.

import { LANGUAGE } from '../words/locale.ts'
import { t } from '../words/t.ts'

export type ErrorDetail = { field: string; message: string }

const TIMEOUT_MS = 30_000
const BASE = '/console/api'

export class ApiError extends Error {
  /** 0 if there was no response: offline, timed out, or the server is down. */
  readonly status: number
  readonly code: string
  readonly details: ErrorDetail[]
  readonly retryAfterMs: number

  constructor(
    status: number,
    code: string,
    message: string,
    { details = [], retryAfterMs = 0 }: { details?: ErrorDetail[]; retryAfterMs?: number } = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = details
    this.retryAfterMs = retryAfterMs
  }
}

export type Query = Record<string, string | number | boolean | null | undefined>

export type RequestOptions = {
  query?: Query
  body?: unknown
  signal?: AbortSignal
  /** Makes repeating a POST safe: the server does the work once per key. */
  idempotencyKey?: string
}

let signedOut: () => void = () => {}
/** Sets what to do when the session has expired. */
export const onSignedOut = (listener: () => void): void => {
  signedOut = listener
}

const pathWith = (path: string, query: Query = {}): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  const text = search.toString()
  return text ? `${path}?${text}` : path
}

type Refusal = { code?: string; message?: string; details?: ErrorDetail[] }

export const refusalOf = async (response: Response): Promise<ApiError> => {
  const body = (await response.json().catch(() => null)) as { error?: Refusal } | null
  // The server writes English. What the page's language has no words for stays so.
  const refusal: Refusal = body?.error ?? {}
  if (LANGUAGE !== 'en') Object.assign(refusal, await (await import('./said-refusal.ts')).default(refusal))
  const { code, message, details } = refusal
  const retryAfter = Number(response.headers.get('retry-after'))
  return new ApiError(
    response.status,
    code ?? 'UNKNOWN',
    message ?? t`The server returned an error (${response.status}). Try again.`,
    { details, retryAfterMs: retryAfter > 0 ? retryAfter * 1_000 : 0 },
  )
}

export const request = async <T>(
  method: string,
  path: string,
  { query, body, signal, idempotencyKey }: RequestOptions = {},
): Promise<T> => {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  let response: Response
  try {
    response = await fetch(pathWith(BASE + path, query), {
      method,
      headers: {
        accept: 'application/json',
        'x-foyer-console': '1',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(
      0,
      'UNREACHABLE',
      navigator.onLine === false
        ? t`You’re offline.`
        : t`Can’t reach the server. Check your connection and try again.`,
    )
  }
  if (!response.ok) {
    const refusal = await refusalOf(response)
    if (refusal.status === 401 && refusal.code === 'SIGNED_OUT') signedOut()
    throw refusal
  }
  if (response.status === 204) return undefined as T
  return (await response.json()) as T
}

/** The requests of one workspace: /api/v1 and the console's own endpoints. */
export const workspaceApi = (workspaceId: string) => {
  const prefix = `/workspaces/${encodeURIComponent(workspaceId)}`
  return {
    workspaceId,
    get: <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
      request<T>('GET', prefix + path, { query, signal }),
    post: <T>(
      path: string,
      body?: unknown,
      options: Pick<RequestOptions, 'idempotencyKey' | 'signal'> = {},
    ): Promise<T> => request<T>('POST', prefix + path, { body: body ?? {}, ...options }),
    patch: <T>(path: string, body: unknown): Promise<T> => request<T>('PATCH', prefix + path, { body }),
    put: <T>(path: string, body: unknown): Promise<T> => request<T>('PUT', prefix + path, { body }),
    delete: <T>(path: string): Promise<T> => request<T>('DELETE', prefix + path),
    /** A URL that the browser requests itself: a download, an upload, the live stream. */
    url: (path: string, query?: Query): string => pathWith(BASE + prefix + path, query),
  }
}
export type WorkspaceApi = ReturnType<typeof workspaceApi>
