// The access token of a mailbox that takes no password (OAuth 2, refresh token grant): kept until shortly before its
// end, then asked for anew. https://www.rfc-editor.org/rfc/rfc6749#section-6
import { DeliveryError } from '../channel.ts'

/** Renewed so long before it ends: nothing that begins with it outlives it by accident. */
const RENEW_BEFORE_MS = 5 * 60_000
/** What is assumed where the server does not say how long a token is good for. */
const VALID_DEFAULT_S = 3600
const ANSWER_MAX = 64 * 1024

export type OauthSecrets = {
  oauthTokenUrl?: string
  oauthClientId?: string
  oauthClientSecret?: string
  oauthRefreshToken?: string
}

const kept = new Map<string, { token: string; renewAtMs: number }>()

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * An access token for the mailbox. Throws a DeliveryError: `refused` with code CREDENTIALS when the server will not
 * renew it (somebody has to sign in again), `retry` when it does not answer.
 */
export const accessTokenOf = async (
  secrets: OauthSecrets,
  { timeoutMs, nowMs = Date.now() }: { timeoutMs: number; nowMs?: number },
): Promise<string> => {
  const { oauthTokenUrl = '', oauthClientId = '', oauthClientSecret, oauthRefreshToken = '' } = secrets
  const key = `${oauthTokenUrl}\n${oauthClientId}\n${oauthRefreshToken}`
  const known = kept.get(key)
  if (known && known.renewAtMs > nowMs) return known.token
  kept.delete(key)
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: oauthRefreshToken,
    client_id: oauthClientId,
    ...(oauthClientSecret && { client_secret: oauthClientSecret }),
  })
  const { status, body } = await post(oauthTokenUrl, form, timeoutMs)
  const token = text(body.access_token)
  if (status === 200 && token) {
    const seconds = Number(body.expires_in) || VALID_DEFAULT_S
    kept.set(key, { token, renewAtMs: nowMs + seconds * 1000 - RENEW_BEFORE_MS })
    return token
  }
  const code = text(body.error)
  // Too fast, or out of order: nothing is wrong with the credentials.
  if (status === 429 || status >= 500 || code === 'temporarily_unavailable')
    throw new DeliveryError('retry', 'OAUTH', `The sign-in server answers ${status}.`)
  throw new DeliveryError(
    'refused',
    'CREDENTIALS',
    `The sign-in was not renewed: ${code || `status ${status}`}.`,
  )
}

/** The server did not take the token: the next attempt asks for another one. */
export const forgetAccessToken = ({
  oauthTokenUrl,
  oauthClientId,
  oauthRefreshToken,
}: OauthSecrets): void => {
  kept.delete(`${oauthTokenUrl ?? ''}\n${oauthClientId ?? ''}\n${oauthRefreshToken ?? ''}`)
}

const post = async (
  url: string,
  form: URLSearchParams,
  timeoutMs: number,
): Promise<{ status: number; body: Record<string, unknown> }> => {
  try {
    // A redirect would carry the refresh token to somebody else.
    const response = await fetch(url, {
      method: 'POST',
      body: form,
      redirect: 'error',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    const answer = (await response.text()).slice(0, ANSWER_MAX)
    return { status: response.status, body: parseObject(answer) }
  } catch (error) {
    throw new DeliveryError('retry', 'OAUTH', 'The sign-in server does not answer.', { cause: error })
  }
}

const parseObject = (answer: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(answer)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
