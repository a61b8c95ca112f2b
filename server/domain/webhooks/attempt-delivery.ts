// One attempt: the request as it is signed, and what came back.
import { type GuardedResult, requestGuarded, retryAfterMsOf } from '../../../channels/channel.ts'
import type { Seal } from '../../platform/seal.ts'
import type { Ending } from './health.ts'
import { type EndpointSecrets, openSecrets, signatureOf } from './secrets.ts'

const TIMEOUT_MS = 15_000
const READ_BYTES_MAX = 64 * 1_024
/** Once the status has arrived, the rest is only for the log. */
const READ_MS = 2_000
const KEPT_BYTES_MAX = 1_024
const KEPT_HEADERS_MAX = 30
const KEPT_HEADER_LENGTH_MAX = 500
/** They are for the receiver's own visitors, or secrets of whoever is in between. */
const UNKEPT_HEADERS = /^(set-cookie|www-authenticate|proxy-.*|authorization)$/

export type Sender = { seal: Seal; publicUrl: string; now: () => Date }

export type Target = {
  workspaceId: string
  id: string
  url: string
  secrets: Buffer
  previousSecretUntil: string | null
}

export type Sent = { eventId: string; body: string; kind: 'live' | 'replay' | 'test'; attempt: number }

export type Attempt = {
  ending: Ending
  at: Date
  /** As it was signed. */
  timestamp: string
  durationMs: number
  status: number | null
  error: { code: string; message: string } | null
  retryAfterMs: number
  responseHeaders: Record<string, string> | null
  responseBody: string | null
}

/** Never throws for what the receiver can do. Takes at most 15 seconds. */
export const attemptDelivery = async (
  { seal, publicUrl, now }: Sender,
  target: Target,
  { eventId, body, kind, attempt }: Sent,
): Promise<Attempt> => {
  const at = now()
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const startedMs = performance.now()
  const end = (ending: Ending, more: Partial<Attempt>): Attempt => ({
    ending,
    at,
    timestamp,
    durationMs: Math.round(performance.now() - startedMs),
    status: null,
    error: null,
    retryAfterMs: 0,
    responseHeaders: null,
    responseBody: null,
    ...more,
  })
  const secrets = openSecrets(seal, target)
  if (!secrets) return end('failed', { error: UNREADABLE })
  const result = await requestGuarded({
    method: 'POST',
    url: new URL(target.url),
    headers: {
      ...secrets.headers,
      'accept-encoding': 'identity',
      'user-agent': `Foyer-Webhooks/1 (+${publicUrl}/docs/guides/webhooks)`,
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatureOf(validSecrets(secrets, target, at), { id: eventId, timestamp, body }),
      'foyer-attempt': String(attempt),
      'foyer-endpoint': target.id,
      'foyer-kind': kind,
    },
    body,
    timeoutMs: TIMEOUT_MS,
    isRepeatable: true,
    bytesMax: READ_BYTES_MAX,
    readMs: READ_MS,
    isCut: true,
  })
  return readResult(result, end)
}

const UNREADABLE = {
  code: 'SECRETS_UNREADABLE',
  message: 'The signing secret can’t be decrypted because SECRET_KEY has changed. Rotate it.',
}

const validSecrets = (
  { current, previous }: EndpointSecrets,
  { previousSecretUntil }: Target,
  at: Date,
): string[] =>
  previous !== null && previousSecretUntil !== null && Date.parse(previousSecretUntil) > at.getTime()
    ? [current, previous]
    : [current]

const readResult = (
  result: GuardedResult,
  end: (ending: Ending, more: Partial<Attempt>) => Attempt,
): Attempt => {
  if (result.is === 'unanswered') {
    const { code } = result.problem
    const isRefused = code === 'ADDRESS_NOT_ALLOWED' || code === 'REQUEST_INVALID'
    return end(isRefused ? 'url_refused' : 'silent', { error: result.problem })
  }
  const { status, headers, isInside, text } = result
  const answered = {
    status,
    // What is inside the operator's network is not shown to whoever entered the address.
    responseHeaders: isInside ? null : keptHeaders(headers),
    responseBody: isInside ? null : keptText(text),
  }
  if (status >= 200 && status < 300) return end('delivered', answered)
  const message =
    status >= 300 && status < 400
      ? `The server responded with a redirect (${status}), which isn’t followed. Enter the final address.`
      : `The server responded with status ${status}.`
  return end(status === 410 ? 'gone' : 'failed', {
    ...answered,
    error: { code: 'STATUS', message },
    retryAfterMs: Math.max(0, retryAfterMsOf(headers) ?? 0),
  })
}

const keptHeaders = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !UNKEPT_HEADERS.test(name))
      .slice(0, KEPT_HEADERS_MAX)
      .map(([name, value]) => [name, storable(String(value)).slice(0, KEPT_HEADER_LENGTH_MAX)]),
  )

const keptText = (text: string): string => storable(text.slice(0, KEPT_BYTES_MAX))

const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '')
