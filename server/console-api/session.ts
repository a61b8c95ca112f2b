// Who is using the console: a cookie holds the session's secret, and every request checks it in the database. Nothing
// is cached, so removing a member or changing their role takes effect at once.
import { randomBytes } from 'node:crypto'
import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { touchAccounts } from '../domain/accounts/queries.ts'
import {
  findSession,
  type SessionRow,
  toPermissions,
  touchSessions,
} from '../domain/accounts/session-queries.ts'
import { SESSION_MAX_MS, sessionBounds } from '../domain/accounts/session-time.ts'
import type { Actor } from '../platform/ctx/actor.ts'
import { hashSecret } from '../platform/hash-secret.ts'
import type { ApiDeps } from '../platform/http/api.ts'
import type { Seal } from '../platform/seal.ts'

/** Last-seen is updated no more often than this. After a minute an agent is offline. */
const SEEN_EVERY_MS = 30_000
const SECRET_PATTERN = /^[A-Za-z0-9_-]{43}$/
const BROWSER_COOKIE = 'foyer_sign_in'
const SIGN_IN_PATH = '/console/api/sign-in'
const BROWSER_MAX_AGE_SECONDS = 600
const KNOWN_COOKIE = 'foyer_browser'
const KNOWN_MAX_AGE_SECONDS = 365 * 86_400
const KNOWN_NAME_BYTES = 16

export type ConsoleSession = SessionRow & { hash: Buffer }

declare module 'fastify' {
  interface FastifyRequest {
    session: ConsoleSession
  }
}

/** What cookies need to know about our public URL. */
type Place = { publicUrl: string }

export type SigningPlace = Place & { seal: Seal }

const isHttps = ({ publicUrl }: Place): boolean => publicUrl.startsWith('https:')

/**
 * A cookie that is sent to the whole site, also when a link of another site leads here. Over https the name's prefix
 * prevents sibling sites, or plain http, from setting it.
 */
export const siteCookie = (place: Place, name: string) => ({
  name: isHttps(place) ? `__Host-${name}` : name,
  options: { httpOnly: true, sameSite: 'lax', secure: isHttps(place), path: '/' } as const,
})

const sessionCookie = (place: Place) => siteCookie(place, 'foyer_session')

export const setSessionCookie = (place: Place, reply: FastifyReply, secret: string): void => {
  const { name, options } = sessionCookie(place)
  reply.setCookie(name, secret, { ...options, maxAge: SESSION_MAX_MS / 1000 })
}

export const clearSessionCookie = (place: Place, reply: FastifyReply): void => {
  const { name, options } = sessionCookie(place)
  reply.clearCookie(name, options)
}

/** A cookie that only requests for signing in carry. */
export const onlyForSignIn = (place: Place) =>
  ({ httpOnly: true, sameSite: 'strict', secure: isHttps(place), path: SIGN_IN_PATH }) as const

/** A signed cookie ends in `.signature`, so that clients can't make up their own. */
export const signed = (seal: Seal, purpose: string, value: string): string =>
  `${value}.${seal.sign(purpose, value)}`
export const openSigned = (seal: Seal, purpose: string, cookie = ''): string | undefined => {
  const end = cookie.lastIndexOf('.')
  const value = cookie.slice(0, Math.max(0, end))
  return seal.verify(purpose, value, cookie.slice(end + 1)) ? value : undefined
}

const BROWSER_PURPOSE = 'sign-in browser'

/** Binds a sign-in code to the browser that requested it. */
export const setBrowserCookie = (place: SigningPlace, reply: FastifyReply, secret: string): void => {
  reply.setCookie(BROWSER_COOKIE, signed(place.seal, BROWSER_PURPOSE, secret), {
    ...onlyForSignIn(place),
    maxAge: BROWSER_MAX_AGE_SECONDS,
  })
}

export const browserSecretOf = ({ seal }: { seal: Seal }, request: FastifyRequest): string | undefined =>
  openSigned(seal, BROWSER_PURPOSE, request.cookies[BROWSER_COOKIE])

const KNOWN_PURPOSE = 'known browser'

/**
 * Records in the browser that it has signed in with an email. It grants no access: it only keeps the browser's limit
 * of sign-in codes separate from that of strangers.
 */
export const setKnownBrowserCookie = (place: SigningPlace, reply: FastifyReply, email: string): void => {
  const name = randomBytes(KNOWN_NAME_BYTES).toString('base64url')
  const value = `${name}.${hashSecret(email).toString('base64url')}`
  reply.setCookie(KNOWN_COOKIE, signed(place.seal, KNOWN_PURPOSE, value), {
    ...onlyForSignIn(place),
    maxAge: KNOWN_MAX_AGE_SECONDS,
  })
}

type KnownBrowser = { name: string; hasSignedIn: (email: string) => boolean }

export const knownBrowserOf = (
  { seal }: { seal: Seal },
  request: FastifyRequest,
): KnownBrowser | undefined => {
  const [name, emailHash] = openSigned(seal, KNOWN_PURPOSE, request.cookies[KNOWN_COOKIE])?.split('.') ?? []
  return name === undefined
    ? undefined
    : { name, hasSignedIn: (email) => hashSecret(email).toString('base64url') === emailHash }
}

/** The session of a request, with its owner's role in the workspace; undefined if there is none. */
export const findRequestSession = async (
  deps: ApiDeps,
  request: FastifyRequest,
  workspaceId: string | null,
): Promise<ConsoleSession | undefined> => {
  const secret = request.cookies[sessionCookie(deps).name]
  if (secret === undefined || !SECRET_PATTERN.test(secret)) return undefined
  const hash = hashSecret(secret)
  const now = deps.now()
  const row = await findSession(deps, { hash, workspaceId, ...sessionBounds(now) })
  if (!row) return undefined
  if (now.getTime() - Date.parse(row.seenAt) > SEEN_EVERY_MS)
    touchSeen(deps, [{ hash, accountId: row.accountId }]).catch((error: unknown) =>
      request.log.warn({ err: error }, 'last-seen time could not be saved'),
    )
  return { ...row, hash }
}

/** Marks them as present: their sessions are extended, and colleagues and visitors see them online. */
export const touchSeen = async (
  deps: Pick<ApiDeps, 'db' | 'now'>,
  people: readonly { hash: Buffer; accountId: string }[],
): Promise<void> => {
  await touchSessions(
    deps,
    people.map(({ hash }) => hash),
  )
  await touchAccounts(deps, [...new Set(people.map(({ accountId }) => accountId))])
}

/** The session's owner as the actor in the workspace; undefined if they are not a member. */
export const actorOf = ({
  accountId,
  role,
  permissions,
}: Pick<SessionRow, 'accountId' | 'role' | 'permissions'>): (Actor & { type: 'agent' }) | undefined =>
  role === null ? undefined : { type: 'agent', accountId, role, permissions: toPermissions(permissions) }
