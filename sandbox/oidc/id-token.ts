// ID tokens and the keys that sign them.
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import type { Json } from '../http.ts'
import type { OidcFault } from './faults.ts'
import type { Authorization, OidcAccount, OidcState } from './state.ts'

const ALG = 'RS256'
const VALID_SECONDS = 300
/** Far beyond what a wrong clock explains. */
const STALE_SECONDS = 3_600

type Keys = Awaited<ReturnType<typeof generateKeyPair>>

/** By rotation. Making one takes a tenth of a second. */
const kept = new WeakMap<OidcState, Map<string, Promise<Keys>>>()

const keysOf = (state: OidcState, kid: string): Promise<Keys> => {
  const all = kept.get(state) ?? new Map<string, Promise<Keys>>()
  kept.set(state, all)
  const keys = all.get(kid) ?? generateKeyPair(ALG)
  all.set(kid, keys)
  return keys
}

const kidOf = (rotation: number): string => `sandbox-${rotation}`

/** The current key and the one before. */
export const publishedKeys = async (state: OidcState): Promise<Json[]> => {
  const { rotations } = state
  const kids = [rotations, rotations - 1].filter((rotation) => rotation >= 0).map(kidOf)
  return Promise.all(
    kids.map(async (kid) => {
      const { publicKey } = await keysOf(state, kid)
      return { ...(await exportJWK(publicKey)), kid, alg: ALG, use: 'sig' }
    }),
  )
}

const claimsOf = (
  state: OidcState,
  { nonce }: Authorization,
  account: OidcAccount,
  fault: OidcFault | undefined,
): JWTPayload => {
  const kind = fault?.kind
  const late = kind === 'expired' ? -STALE_SECONDS : kind === 'clock' ? (fault?.seconds ?? 0) : 0
  const at = Math.floor(Date.now() / 1_000) + late
  return {
    iss: kind === 'wrong-issuer' ? 'https://login.example.net' : state.issuer(),
    sub: kind === 'odd-subject' ? 'ü'.repeat(10) : account.subject,
    aud: kind === 'wrong-audience' ? 'another-client' : state.options.clientId,
    iat: at,
    ...(kind === 'clock' && { nbf: at }),
    exp: at + VALID_SECONDS,
    ...(nonce !== null && kind !== 'no-nonce' && { nonce: kind === 'wrong-nonce' ? 'another' : nonce }),
    name: account.name,
    ...(account.emailAt === 'token' && emailOf(account)),
  }
}

export const emailOf = ({ email, emailVerified }: OidcAccount): Json => ({
  ...(email !== null && { email }),
  ...(emailVerified !== undefined && { email_verified: emailVerified }),
})

export const idToken = async (
  state: OidcState,
  authorization: Authorization,
  account: OidcAccount,
  fault: OidcFault | undefined,
): Promise<string> => {
  const claims = claimsOf(state, authorization, account, fault)
  if (fault?.kind === 'alg-none') return new UnsecuredJWT(claims).encode()
  if (fault?.kind === 'alg-secret')
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(state.options.clientSecret))
  const kid = kidOf(state.rotations)
  const { privateKey } = await keysOf(state, fault?.kind === 'wrong-key' ? 'unpublished' : kid)
  return new SignJWT(claims).setProtectedHeader({ alg: ALG, kid }).sign(privateKey)
}
