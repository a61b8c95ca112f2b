// Who may use the widget's API: sites by their origin, visitors by their token. There are no cookies, so CORS gives a
// page access to nothing that it could not fetch by itself; the origin is checked here, on the server.
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { findChannelAccountAnywhere } from '../../domain/channel-accounts/queries.ts'
import { findVisitor, type Visitor } from '../../domain/visitors/queries.ts'
import { requireOpen } from '../../platform/db/closed-workspaces.ts'
import { ID_PATTERN } from '../../platform/db/id.ts'
import { ApiError } from '../../platform/errors.ts'
import { hashSecret } from '../../platform/hash-secret.ts'
import { type ApiDeps, ctxOf } from '../../platform/http/api.ts'
import { bearerOf } from '../../platform/http/bearer.ts'
import { addressKey } from '../../platform/http/client-address.ts'
import { shed } from '../../platform/http/shed.ts'

/** Calls per minute by a visitor. */
const VISITOR_BUDGETS = { message: 30, read: 120, typing: 120, events: 60, email: 10, file: 20 } as const
/**
 * Sessions and messages per minute, per address and per site: limits per visitor don't bound many visitors together.
 */
const SESSIONS_PER_IP = 60
const CONFIGS_PER_IP = 240
const MESSAGES_PER_IP = 120
const EMAILS_PER_IP = 20
const FILES_PER_IP = 60
const SESSIONS_PER_CHANNEL = 1_200
const MESSAGES_PER_CHANNEL = 1_800
/** Failed authentications per address and minute. */
export const FAILURES_PER_IP = 60

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit
  }
  interface FastifyContextConfig {
    /** What a widget route needs: a token and room in that budget, or only room for another session. */
    visit?: 'config' | 'session' | keyof typeof VISITOR_BUDGETS
  }
}

/** `visitor` is null before there is a session. */
export type Visit = { channelAccountId: string; visitor: Visitor | null }

const PREFLIGHT_SECONDS = '600'

/** A site that is not allowed may still read the error, so that its widget stops retrying. */
const showCors = (request: FastifyRequest, reply: FastifyReply): void => {
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

const spend = async (
  deps: ApiDeps,
  reply: FastifyReply,
  key: string,
  limit: number,
  { isShared = false } = {},
): Promise<void> => {
  if (!deps.limiter) return
  const { remaining, resetSeconds, isExceeded } = await deps.limiter.take(`widget:${key}`, limit)
  // The remaining shared budget is not disclosed until it is used up.
  if (!isShared || isExceeded)
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
  const address = addressKey(request.ip)
  if (visit === 'session') await spend(deps, reply, `session:${address}`, SESSIONS_PER_IP)
  if (visit === 'config') await spend(deps, reply, `config:${address}`, CONFIGS_PER_IP)
  if (visit === 'email') await spend(deps, reply, `emails:${address}`, EMAILS_PER_IP, { isShared: true })
  if (visit === 'file') await spend(deps, reply, `files:${address}`, FILES_PER_IP, { isShared: true })
  if (visit === 'message')
    await spend(deps, reply, `messages:${address}`, MESSAGES_PER_IP, { isShared: true })
  const { channelId } = request.params as { channelId: string }
  const channel = ID_PATTERN.test(channelId)
    ? await findChannelAccountAnywhere(deps.db, 'web', channelId)
    : undefined
  if (!channel) {
    if (!isOpenTo(visit)) await spend(deps, reply, `failure:${addressKey(request.ip)}`, FAILURES_PER_IP)
    throw new ApiError('CHANNEL_NOT_FOUND')
  }
  if (!isAllowed(request.headers.origin, channel.settings.allowedOrigins))
    throw new ApiError('ORIGIN_NOT_ALLOWED')
  const { id: channelAccountId, workspaceId } = channel
  requireOpen(deps.db, workspaceId, request.method)
  if (visit === 'session')
    await spend(deps, reply, `sessions-on:${channelAccountId}`, SESSIONS_PER_CHANNEL, { isShared: true })
  const visitor = isOpenTo(visit)
    ? null
    : await authenticate(deps, request, reply, workspaceId, channelAccountId)
  request.visit = { channelAccountId, visitor }
  request.ctx = ctxOf(deps, request, workspaceId, {
    type: 'customer',
    contactId: visitor?.contactId ?? null,
  })
  if (visitor && !isOpenTo(visit)) {
    await spend(deps, reply, `${visit}:${visitor.id}`, VISITOR_BUDGETS[visit])
    if (visit === 'message')
      await spend(deps, reply, `messages-on:${channelAccountId}`, MESSAGES_PER_CHANNEL, { isShared: true })
  }
  await shed(deps, workspaceId)
}

/** Whether it takes no token. */
const isOpenTo = (visit: NonNullable<FastifyContextConfig['visit']>): visit is 'config' | 'session' =>
  visit === 'config' || visit === 'session'

const authenticate = async (
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  workspaceId: string,
  channelAccountId: string,
): Promise<Visitor> => {
  const address = addressKey(request.ip)
  const secret = bearerOf(request.headers.authorization)
  const visitor =
    secret === undefined
      ? undefined
      : await findVisitor(
          { db: deps.db, workspaceId },
          { channelAccountId, tokenHash: hashSecret(secret), address },
        )
  if (visitor?.isBlocked) throw new ApiError('VISITOR_BLOCKED')
  if (visitor) return visitor
  await spend(deps, reply, `failure:${address}`, FAILURES_PER_IP)
  throw new ApiError('INVALID_VISITOR_TOKEN', { headers: { 'www-authenticate': 'Bearer' } })
}

/** The visitor of a route that requires one. */
export const visitorOf = ({ visit }: FastifyRequest): Visitor => {
  if (!visit.visitor) throw new Error('the route has no visitor')
  return visit.visitor
}
