// Who is at the console: a cookie holds the session's secret, and every request asks the database what it is good for
// at that moment. Nothing is remembered, so who is removed or given another role has lost what they had.
import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../ctx.ts'
import { noteAccountsSeen } from '../resources/agents/queries.ts'
import {
  findSession,
  noteSessionsSeen,
  type SessionRow,
  toPermissions,
} from '../resources/sessions/queries.ts'
import { SESSION_MAX_MS, sessionBounds } from '../resources/sessions/session-time.ts'
import type { ApiDeps } from './api.ts'
import { hashSecret } from './authenticate.ts'

/** Whoever asks more often is noted as seen this often. A minute makes an agent offline. */
const SEEN_EVERY_MS = 30_000
const SECRET_PATTERN = /^[A-Za-z0-9_-]{43}$/
const BROWSER_COOKIE = 'foyer_sign_in'
const SIGN_IN_PATH = '/console/api/sign-in'
const BROWSER_MAX_AGE_SECONDS = 600

export type ConsoleSession = SessionRow & { hash: Buffer }

declare module 'fastify' {
  interface FastifyRequest {
    session: ConsoleSession
  }
}

/** What cookies need to know of where we are reached. */
type Place = { publicUrl: string }

const isHttps = ({ publicUrl }: Place): boolean => publicUrl.startsWith('https:')

/** Over https the name itself forbids that a neighbouring site, or plain http, sets one of its own. */
const sessionCookie = (place: Place): string => (isHttps(place) ? '__Host-foyer_session' : 'foyer_session')

export const setSessionCookie = (place: Place, reply: FastifyReply, secret: string): void => {
  reply.setCookie(sessionCookie(place), secret, {
    httpOnly: true,
    sameSite: 'lax',
    secure: isHttps(place),
    path: '/',
    maxAge: SESSION_MAX_MS / 1000,
  })
}

export const clearSessionCookie = (place: Place, reply: FastifyReply): void => {
  reply.clearCookie(sessionCookie(place), {
    httpOnly: true,
    sameSite: 'lax',
    secure: isHttps(place),
    path: '/',
  })
}

/** Binds a sign-in code to the browser that asks for it. */
export const setBrowserCookie = (place: Place, reply: FastifyReply, secret: string): void => {
  reply.setCookie(BROWSER_COOKIE, secret, {
    httpOnly: true,
    sameSite: 'strict',
    secure: isHttps(place),
    path: SIGN_IN_PATH,
    maxAge: BROWSER_MAX_AGE_SECONDS,
  })
}

export const browserSecretOf = (request: FastifyRequest): string | undefined => {
  const secret = request.cookies[BROWSER_COOKIE]
  return secret !== undefined && SECRET_PATTERN.test(secret) ? secret : undefined
}

/** The session of a request, with what its owner is in the workspace; undefined when there is none. */
export const findRequestSession = async (
  deps: ApiDeps,
  request: FastifyRequest,
  workspaceId: string | null,
): Promise<ConsoleSession | undefined> => {
  const secret = request.cookies[sessionCookie(deps)]
  if (secret === undefined || !SECRET_PATTERN.test(secret)) return undefined
  const hash = hashSecret(secret)
  const now = deps.now()
  const row = await findSession(deps, { hash, workspaceId, ...sessionBounds(now) })
  if (!row) return undefined
  if (now.getTime() - Date.parse(row.seenAt) > SEEN_EVERY_MS)
    noteSeen(deps, [{ hash, accountId: row.accountId }]).catch((error: unknown) =>
      request.log.warn({ err: error }, 'it was not noted that somebody was seen'),
    )
  return { ...row, hash }
}

/** They are there: their sessions go on, and their colleagues and visitors see them online. */
export const noteSeen = async (
  deps: Pick<ApiDeps, 'db' | 'now'>,
  people: readonly { hash: Buffer; accountId: string }[],
): Promise<void> => {
  await noteSessionsSeen(
    deps,
    people.map(({ hash }) => hash),
  )
  await noteAccountsSeen(deps, [...new Set(people.map(({ accountId }) => accountId))])
}

/** The session's owner as who acts in the workspace; undefined when they are no member of it. */
export const actorOf = ({
  accountId,
  role,
  permissions,
}: Pick<SessionRow, 'accountId' | 'role' | 'permissions'>): (Actor & { type: 'agent' }) | undefined =>
  role === null ? undefined : { type: 'agent', accountId, role, permissions: toPermissions(permissions) }
