// A sign-in on its way to the identity provider and back. What its callback is checked by follows from a secret in a
// signed cookie, so only the browser that began it can end it.
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OidcKeys } from '../domain/accounts/oidc/provider.ts'
import type { Seal } from '../platform/seal.ts'
import { openSigned, type SigningPlace, signed, siteCookie } from './session.ts'

const COOKIE = 'foyer_oidc'
/** Of signing in to a mailbox, which can't end a sign-in to the console. */
export const MAILBOX_COOKIE = 'foyer_mailbox'
const purposeOf = (cookie: string): string => (cookie === COOKIE ? 'oidc attempt' : 'mailbox attempt')
const SECRET_BYTES = 32
/** Enough for a second factor, or a forgotten password. */
export const ATTEMPT_MAX_MS = 30 * 60_000

export type OidcAttempt = { secret: string; keys: OidcKeys; to: string }

/** By HMAC, so neither the browser nor the database knows more than it has to. Each is a valid PKCE verifier. */
const keysOf = (seal: Seal, secret: string): OidcKeys => ({
  state: seal.sign('oidc state', secret),
  nonce: seal.sign('oidc nonce', secret),
  verifier: seal.sign('oidc verifier', secret),
})

type Timed = SigningPlace & { now: () => Date }

/** Another one in the same browser replaces it. */
export const startAttempt = (deps: Timed, to: string): OidcAttempt => {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  return { secret, keys: keysOf(deps.seal, secret), to }
}

export const setAttemptCookie = (
  deps: Timed,
  reply: FastifyReply,
  { secret, to }: OidcAttempt,
  cookie = COOKIE,
): void => {
  const { name, options } = siteCookie(deps, cookie)
  const untilMs = deps.now().getTime() + ATTEMPT_MAX_MS
  const value = `${secret}.${untilMs}.${Buffer.from(to).toString('base64url')}`
  reply.setCookie(name, signed(deps.seal, purposeOf(cookie), value), {
    ...options,
    maxAge: ATTEMPT_MAX_MS / 1_000,
  })
}

export const clearAttemptCookie = (deps: SigningPlace, reply: FastifyReply, cookie = COOKIE): void => {
  const { name, options } = siteCookie(deps, cookie)
  reply.clearCookie(name, options)
}

/** The attempt that this browser has begun, if it isn't too old. */
export const attemptOf = (deps: Timed, request: FastifyRequest, cookie = COOKIE): OidcAttempt | undefined => {
  const value = openSigned(deps.seal, purposeOf(cookie), request.cookies[siteCookie(deps, cookie).name])
  const [secret, untilMs, to] = value?.split('.') ?? []
  if (secret === undefined || to === undefined || deps.now().getTime() > Number(untilMs)) return undefined
  return { secret, keys: keysOf(deps.seal, secret), to: Buffer.from(to, 'base64url').toString() }
}
