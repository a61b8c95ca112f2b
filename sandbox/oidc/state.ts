// What the provider knows while it runs.
import type { makeOidcFaults } from './faults.ts'

export type OidcOptions = {
  clientId: string
  clientSecret: string
  /** The only address that codes are sent to; null: any. */
  redirectUri: string | null
  /** More of them. */
  otherRedirectUris?: readonly string[]
}

export type OidcAccount = {
  subject: string
  name: string
  email: string | null
  emailVerified: unknown
  emailAt: 'token' | 'userinfo'
}

/** A request that the browser came with. */
export type Authorization = {
  redirectUri: string
  scope: string
  state: string | null
  nonce: string | null
  challenge: string | null
  /** It wants to go on without the person: a refresh token. */
  isOffline: boolean
}

export type OidcState = {
  options: OidcOptions
  issuer: () => string
  people: () => { id: string; name: string; email: string }[]
  accountOf: (personId: string) => OidcAccount
  faults: ReturnType<typeof makeOidcFaults>
  /** What waits for a person, by the page's id. */
  waiting: Map<string, Authorization>
  codes: Map<string, Authorization & { personId: string; untilMs: number }>
  /** Whose access tokens these are. */
  tokens: Map<string, string>
  refreshTokens: Map<string, string>
  /** How often each endpoint was asked. */
  asked: Record<string, number>
  rotations: number
}
