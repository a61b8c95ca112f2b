// The widget's API. The token is sent in a header, never in a URL, because URLs end up in logs.
import type { Attachment, Choice, Message, Session } from './types.ts'

const timeoutMs = 15_000
const pageMax = 2000
/** A large file over a slow connection. */
const uploadTimeoutMs = 170_000
const nameMax = 200

export class ApiFailure extends Error {
  readonly status: number
  readonly code: string
  readonly retryAfterMs: number

  constructor(status: number, code: string, retryAfterMs: number) {
    super(code)
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

export type Api = ReturnType<typeof createApi>

export const createApi = (base: string, channelId: string) => {
  const address = `${base}/widget/${encodeURIComponent(channelId)}`

  const post = async <Answer>(path: string, token: string | null, body: object): Promise<Answer> => {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), timeoutMs)
    try {
      const response = await fetch(address + path, {
        method: 'POST',
        credentials: 'omit',
        signal: abort.signal,
        headers: { 'Content-Type': 'application/json', ...authorization(token) },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw await readFailure(response)
      // The server is ours; its responses have the shapes declared in types.ts.
      return (await response.json()) as Answer
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    startSession: (
      token: string | null,
      profile: { name: string; email: string },
      identity: string | null,
    ): Promise<Session> =>
      post('/session', null, {
        token: token || undefined,
        identity: identity ?? undefined,
        name: profile.name || undefined,
        email: profile.email || undefined,
        locale: navigator.language,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        // Without the query string: host pages may keep secrets there.
        page: (location.origin + location.pathname).slice(0, pageMax),
      }),
    sendMessage: (
      token: string,
      message: { clientId: string } & ({ body?: string; fileIds?: string[] } | { choice: Choice }),
    ): Promise<{ message: Message }> => post('/messages', token, message),
    /** fetch doesn't say how much was sent. */
    upload: (token: string, file: File, clientId: string, onProgress: (progress: number) => void) => {
      const query = `clientId=${clientId}&name=${encodeURIComponent(file.name.slice(-nameMax))}`
      return sendBody(`${address}/files?${query}`, token, file, onProgress)
    },
    leaveEmail: (token: string, email: string | null, language: string): Promise<unknown> =>
      post('/email', token, { email, language }),
    /** An email's link was followed in this browser. */
    followLink: (token: string, link: string): Promise<unknown> =>
      post('/email/link', token, { token: link }),
    markRead: (token: string, messageId: string): Promise<unknown> => post('/read', token, { messageId }),
    setTyping: (token: string, isTyping: boolean): Promise<unknown> => post('/typing', token, { isTyping }),
    /** EventSource cannot send the Authorization header, hence fetch. */
    openEvents: async (token: string, lastEventId: string | null, signal: AbortSignal): Promise<Response> => {
      const response = await fetch(`${address}/events`, {
        credentials: 'omit',
        cache: 'no-store',
        signal,
        headers: {
          Accept: 'text/event-stream',
          ...authorization(token),
          ...(lastEventId !== null && { 'Last-Event-ID': lastEventId }),
        },
      })
      if (!response.ok || !response.body) throw await readFailure(response)
      return response
    },
  }
}

const sendBody = (url: string, token: string, file: File, onProgress: (progress: number) => void) => {
  const call = new XMLHttpRequest()
  const done = new Promise<Attachment>((resolve, reject) => {
    const lost = (): void => reject(new Error('the upload was interrupted'))
    call.onerror = lost
    call.onabort = lost
    call.ontimeout = lost
    call.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    call.onload = () => {
      const retryAfterMs = Number(call.getResponseHeader('Retry-After') ?? 0) * 1000 || 0
      if (call.status !== 200) reject(new ApiFailure(call.status, '', retryAfterMs))
      // The server is ours.
      else resolve((JSON.parse(call.responseText) as { file: Attachment }).file)
    }
  })
  call.open('POST', url)
  call.timeout = uploadTimeoutMs
  call.setRequestHeader('Content-Type', 'application/octet-stream')
  call.setRequestHeader('Authorization', `Bearer ${token}`)
  call.send(file)
  return { done, abort: () => call.abort() }
}

const authorization = (token: string | null): Record<string, string> =>
  token ? { Authorization: `Bearer ${token}` } : {}

const readFailure = async (response: Response): Promise<ApiFailure> => {
  const retryAfterMs = Number(response.headers.get('Retry-After') ?? 0) * 1000 || 0
  let code = ''
  try {
    code = ((await response.json()) as { error?: { code?: string } }).error?.code ?? ''
  } catch {
    // A proxy's error page isn't JSON; the status is enough.
  }
  return new ApiFailure(response.status, code, retryAfterMs)
}

/** Retrying can't help until someone changes the channel's settings. */
export const isFinal = (error: unknown): boolean =>
  error instanceof ApiFailure &&
  ['ORIGIN_NOT_ALLOWED', 'CHANNEL_NOT_FOUND', 'IDENTITY_REQUIRED', 'IDENTITY_REFUSED'].includes(error.code)

export const isUnauthorized = (error: unknown): boolean => error instanceof ApiFailure && error.status === 401
