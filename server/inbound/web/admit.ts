// Who may use the widget's API: sites by their origin, visitors by their token. There are no cookies, so what CORS
// allows a page to read is nothing that it could not fetch by itself; the origin is checked here, at the server.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ID_PATTERN } from '../../db/id.ts'
import { ApiError } from '../../errors.ts'
import { type ApiDeps, ctxOf } from '../../http/api.ts'
import { bearerOf, hashSecret } from '../../http/authenticate.ts'
import { findChannelAccountAnywhere } from '../../resources/channel-accounts/queries.ts'
import { findVisitor, type Visitor } from '../../resources/visitors/queries.ts'

/** Calls a minute by a visitor. */
export const VISITOR_BUDGETS = { message: 30, read: 120, typing: 120, events: 60 } as const
export const SESSIONS_PER_IP = 60
/** Failed authentications of an address, a minute. */
export const FAILURES_PER_IP = 60

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit
  }
  interface FastifyContextConfig {
    /** What a widget's route needs: a token and room in that budget, or only room for another session. */
    visit?: 'session' | keyof typeof VISITOR_BUDGETS
  }
}

/** `visitor` is null on the way to a session. */
export type Visit = { channelAccountId: string; visitor: Visitor | null }

const PREFLIGHT_SECONDS = '600'

/** Also a site that is not allowed may read its refusal: its widget then stops trying. */
export const showCors = (request: FastifyRequest, reply: FastifyReply): void => {
  reply.header('vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined) return
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers':
      'Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id',
  })
}

export const answerPreflight = (_request: FastifyRequest, reply: FastifyReply) =>
  reply
    .headers({
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'Authorization, Content-Type, Last-Event-ID',
      'access-control-max-age': PREFLIGHT_SECONDS,
      'content-length': '0',
    })
    .code(204)
    .send()

const originOf = (text: string): string => (URL.canParse(text) ? new URL(text).origin : text)

/** No list means every site. A request without an origin comes from no page: an app, or a script of the owner's. */
const isAllowed = (origin: string | undefined, allowed: readonly string[] = []): boolean =>
  origin === undefined ||
  allowed.length === 0 ||
  allowed.some((entry) => originOf(entry) === originOf(origin) && originOf(entry) !== 'null')

const spend = async (deps: ApiDeps, reply: FastifyReply, key: string, limit: number): Promise<void> => {
  if (!deps.limiter) return
  const { remaining, resetSeconds, isExceeded } = await deps.limiter.take(`widget:${key}`, limit)
  reply.headers({
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
  })
  if (isExceeded)
    throw new ApiError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': String(resetSeconds) } })
}

/** The site, its origin, the visitor, then the limit. */
export const admitVisit = async (
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  reply.type('application/json; charset=utf-8')
  showCors(request, reply)
  const { visit } = request.routeOptions.config
  if (!visit) return
  if (visit === 'session') await spend(deps, reply, `session:${request.ip}`, SESSIONS_PER_IP)
  const { channelId } = request.params as { channelId: string }
  const channel = ID_PATTERN.test(channelId)
    ? await findChannelAccountAnywhere(deps.db, 'web', channelId)
    : undefined
  if (!channel) {
    if (visit !== 'session') await spend(deps, reply, `failure:${request.ip}`, FAILURES_PER_IP)
    throw new ApiError('CHANNEL_NOT_FOUND')
  }
  if (!isAllowed(request.headers.origin, channel.settings.allowedOrigins))
    throw new ApiError('ORIGIN_NOT_ALLOWED')
  const { id: channelAccountId, workspaceId } = channel
  const visitor =
    visit === 'session' ? null : await authenticate(deps, request, reply, workspaceId, channelAccountId)
  request.visit = { channelAccountId, visitor }
  request.ctx = ctxOf(deps, request.log, workspaceId, {
    type: 'customer',
    contactId: visitor?.contactId ?? null,
  })
  if (visitor && visit !== 'session')
    await spend(deps, reply, `${visit}:${visitor.id}`, VISITOR_BUDGETS[visit])
}

const authenticate = async (
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  workspaceId: string,
  channelAccountId: string,
): Promise<Visitor> => {
  const secret = bearerOf(request.headers.authorization)
  const visitor =
    secret === undefined
      ? undefined
      : await findVisitor({ db: deps.db, workspaceId }, channelAccountId, hashSecret(secret))
  if (visitor) return visitor
  await spend(deps, reply, `failure:${request.ip}`, FAILURES_PER_IP)
  throw new ApiError('INVALID_VISITOR_TOKEN', { headers: { 'www-authenticate': 'Bearer' } })
}

/** The visitor of a route that needs one. */
export const visitorOf = ({ visit }: FastifyRequest): Visitor => {
  if (!visit.visitor) throw new Error('a route without a visitor asked for one')
  return visit.visitor
}
