// OAuth 2 access tokens for mailboxes without a password (refresh token grant), cached until shortly before they
// expire. https://www.rfc-editor.org/rfc/rfc6749#section-6

import { DeliveryError } from '../contract/channel.ts'
import { exchange } from '../protocol/exchange.ts'

/** Renewed this long before expiry, so that it doesn't expire during use. */
const RENEW_BEFORE_MS = 5 * 60_000
/** Assumed if the server does not say how long a token is valid. */
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
 * An access token for the mailbox. Throws a DeliveryError: `refused` with code CREDENTIALS if the server will not renew
 * it (someone has to sign in again), `retry` if it does not respond.
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
  const code = /^[a-z_]{1,64}$/.exec(text(body.error))?.[0]
  // Rate-limited or down: the credentials may be fine.
  if (status === 429 || status >= 500 || code === 'temporarily_unavailable')
    throw new DeliveryError('retry', 'OAUTH', `The OAuth server returned HTTP ${status}.`)
  throw new DeliveryError(
    'refused',
    'CREDENTIALS',
    `The OAuth sign-in could not be renewed: ${code || `status ${status}`}.`,
    { concerns: 'account' },
  )
}

/** The server rejected the token; the next attempt requests a new one. */
export const forgetAccessToken = ({
  oauthTokenUrl,
  oauthClientId,
  oauthRefreshToken,
}: OauthSecrets): void => {
  kept.delete(`${oauthTokenUrl ?? ''}\n${oauthClientId ?? ''}\n${oauthRefreshToken ?? ''}`)
}

/** Doesn't follow redirects, which would send the refresh token elsewhere. */
const post = async (
  address: string,
  form: URLSearchParams,
  timeoutMs: number,
): Promise<{ status: number; body: Record<string, unknown> }> => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url) throw new DeliveryError('refused', 'CREDENTIALS', 'The token URL is not a valid URL.')
  try {
    const { status, body } = await exchange(
      {
        provider: 'The OAuth server',
        method: 'POST',
        url,
        timeoutMs,
        body: Buffer.from(form.toString()),
        contentType: 'application/x-www-form-urlencoded',
        isRepeatable: true,
      },
      ANSWER_MAX,
    )
    return { status, body: parseObject(body) }
  } catch (error) {
    if (error instanceof DeliveryError && error.outcome === 'refused') throw error
    throw new DeliveryError('retry', 'OAUTH', 'The OAuth server is not responding.', { cause: error })
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
