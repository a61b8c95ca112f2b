// What every route under /api/v1 has in common: the token, the limits, the checks in their order, 404 and 405,
// Idempotency-Key, and the errors that each of them can answer.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteOptions,
} from 'fastify'
import '@fastify/swagger'
import type { Channels } from '../../channels/channel.ts'
import type { Ctx } from '../ctx.ts'
import { newId } from '../db/id.ts'
import type { Db } from '../db/pool.ts'
import { ApiError, type ErrorCode } from '../errors.ts'
import type { Stream } from '../events/stream.ts'
import type { FileStore } from '../files/store.ts'
import type { Needed } from '../resources/roles/permissions.ts'
import type { Seal } from '../seal.ts'
import { bearerOf, type Tokens } from './authenticate.ts'
import { commonErrors, errors } from './error-responses.ts'
import { finish, forget, hashRequest, idempotencyKeyOf, once } from './idempotency.ts'
import type { RateLimiter, Taken } from './rate-limit.ts'
import { blankForeignIds } from './validation.ts'

/** An instance whose handlers know the types of their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Calls a minute. The first three count for each token and operation; everything else shares one bucket per IP. */
export const BUDGETS = { send: 60, change: 30, broadcast: 10 } as const
export const BUDGET_PER_IP = 100

declare module 'fastify' {
  interface FastifyRequest {
    ctx: Ctx
    rawBody: Buffer | null
  }
  interface FastifyContextConfig {
    /** Which write limit counts. Without one, the call counts in its IP's bucket. */
    budget?: keyof typeof BUDGETS
    /** Needs no token: the OpenAPI document. */
    isPublic?: boolean
    /** Its answer holds a secret, which is not kept: an Idempotency-Key does nothing. */
    isConfidential?: true
    /** In the console: what a member needs for it, a permission of their role or to be an admin. */
    permission?: Needed | readonly Needed[]
    /** For sends, which wait for the provider after the work was committed: what `settle` returns is the answer. */
    // biome-ignore lint/suspicious/noExplicitAny: each route's answer has a type of its own
    settling?: { isSettled: (answer: any) => boolean; settle: (ctx: Ctx, answer: any) => Promise<unknown> }
  }
}

export type ApiDeps = {
  db: Db
  searchDb: Db
  channels: Channels
  tokens: Tokens
  /** Null: limits are off. */
  limiter: RateLimiter | null
  now: () => Date
  stream: Stream
  seal: Seal
  files: FileStore
  publicUrl: string
  settleMs?: number
}

const JSON_TYPE = 'application/json; charset=utf-8'

const showLimit = (reply: FastifyReply, taken: Taken): void => {
  reply.headers({
    'ratelimit-limit': taken.limit,
    'ratelimit-remaining': taken.remaining,
    'ratelimit-reset': taken.resetSeconds,
  })
}

/** Counts one call under a key, and says where its caller stands. Throws RATE_LIMIT_EXCEEDED. */
export const spend = async (
  deps: Pick<ApiDeps, 'limiter'>,
  reply: FastifyReply,
  key: string,
  limit: number,
): Promise<void> => {
  if (!deps.limiter) return
  const taking = deps.limiter.take(key, limit)
  const taken = taking instanceof Promise ? await taking : taking
  showLimit(reply, taken)
  if (taken.isExceeded)
    throw new ApiError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': String(taken.resetSeconds) } })
}

/** What an operation is given on behalf of a request. */
export const ctxOf = (deps: ApiDeps, log: Ctx['log'], workspaceId: string, actor: Ctx['actor']): Ctx => ({
  db: deps.db,
  searchDb: deps.searchDb,
  channels: deps.channels,
  workspaceId,
  actor,
  now: deps.now,
  newId: () => newId(),
  log,
  stream: deps.stream,
  seal: deps.seal,
  files: deps.files,
  publicUrl: deps.publicUrl,
  settleMs: deps.settleMs,
  afterCommit: null,
})

/** The token, then the limit. A call that fails the first still counts in its IP's bucket. */
const admit = async (deps: ApiDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.type(JSON_TYPE)
  const { budget, isPublic } = request.routeOptions.config
  const ofIp = `ip:${request.ip}`
  if (isPublic) return spend(deps, reply, ofIp, BUDGET_PER_IP)
  const secret = bearerOf(request.headers.authorization)
  const finding = secret === undefined ? undefined : deps.tokens.find(secret)
  const holder = finding instanceof Promise ? await finding : finding
  if (!holder) {
    await spend(deps, reply, ofIp, BUDGET_PER_IP)
    throw new ApiError(secret === undefined ? 'MISSING_TOKEN' : 'INVALID_API_TOKEN', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
  const { tokenId, workspaceId } = holder
  request.ctx = ctxOf(deps, request.log, workspaceId, { type: 'token', tokenId })
  if (budget)
    await spend(deps, reply, `${holder.tokenId}:${request.routeOptions.schema?.operationId}`, BUDGETS[budget])
  else await spend(deps, reply, ofIp, BUDGET_PER_IP)
}

/** A POST with a key runs its handler inside the transaction that records the answer. */
const withIdempotency = (route: RouteOptions): RouteOptions['handler'] => {
  const { handler } = route
  const settling = route.config?.settling
  const operationId = String(route.schema?.operationId)
  const isFinal = (answer: unknown): boolean => settling?.isSettled(answer) ?? true
  return async function (request, reply) {
    const run = async (ctx: Ctx): Promise<unknown> => {
      const { ctx: outer } = request
      request.ctx = ctx
      try {
        return await handler.call(this, request, reply)
      } finally {
        request.ctx = outer
      }
    }
    const key = idempotencyKeyOf(request)
    // Without a workspace, on the way in, there is nothing that an answer could be kept in.
    if (key === undefined || !request.ctx || route.config?.isConfidential) {
      const answer = await run(request.ctx)
      return settling && !isFinal(answer) ? settling.settle(request.ctx, answer) : answer
    }
    const { actor } = request.ctx
    // People choose their keys for themselves; the workspace's tokens share theirs.
    const operation = actor.type === 'agent' ? `${operationId} ${actor.accountId}` : operationId
    const input = { operation, key, requestHash: hashRequest(request), isFinal }
    const { answer, isReplay } = await once(request.ctx, input, run)
    if (isReplay) {
      reply.header('idempotent-replayed', 'true')
      return answer
    }
    if (!settling || isFinal(answer)) return answer
    const settled = await settling.settle(request.ctx, answer).catch(async (error) => {
      // A refusal that came after the commit. Any other failure says nothing about the work, which is done.
      if (error instanceof ApiError) await forget(request.ctx, input)
      throw error
    })
    await finish(request.ctx, input, settled)
    return settled
  }
}

const declareErrors = (route: RouteOptions, common: readonly ErrorCode[]): void => {
  const { schema } = route
  if (!schema?.operationId) return
  const declared = (schema.response ?? {}) as Record<
    string,
    { properties?: { error?: { properties: { code: { enum: string[] } } } } }
  >
  const own = Object.values(declared).flatMap(
    (response) => response.properties?.error?.properties.code.enum ?? [],
  )
  const successes = Object.fromEntries(Object.entries(declared).filter(([status]) => status < '400'))
  schema.response = { ...successes, ...errors(...(own as never[]), ...common) }
}

/** What a route can answer because of what it takes. */
export const inputErrors = ({ schema, method }: RouteOptions): ErrorCode[] => {
  const isPost = method === 'POST'
  const takesBody = schema?.body !== undefined || isPost
  return [
    ...commonErrors(takesBody || schema?.querystring !== undefined, takesBody),
    ...(isPost ? (['IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED'] as const) : []),
  ]
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

type Methods = {
  /** The paths that were registered so far. */
  paths: () => string[]
  /** Called last: gives each path the methods that it does not have, as 405 with Allow. */
  refuseOthers: () => void
}

/** Notes the methods of every path that the scope registers from now on. */
export const watchMethods = (scope: Pick<FastifyInstance, 'addHook' | 'route'>): Methods => {
  const taken = new Map<string, Set<string>>()
  scope.addHook('onRoute', ({ routePath, method }) => {
    const methods = taken.get(routePath) ?? new Set<string>()
    for (const name of [method].flat()) methods.add(name)
    taken.set(routePath, methods)
  })
  const refuseOthers = (url: string): void => {
    const methods = new Set(taken.get(url))
    const allow = [...methods].sort().join(', ')
    scope.route({
      method: METHODS.filter((method) => !methods.has(method)),
      url,
      exposeHeadRoute: false,
      handler: () => {
        throw new ApiError('METHOD_NOT_ALLOWED', { headers: { allow } })
      },
    })
  }
  const paths = () => [...taken.keys()]
  return { paths, refuseOthers: () => paths().forEach(refuseOthers) }
}

/** In what two scopes of the same operations differ: the API's, and the console's. */
export type ScopeRules = {
  /** Who comes in, as whom: sets request.ctx, or throws. */
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** What any of its routes can answer, beyond what they declare themselves. */
  commonErrors: (route: RouteOptions) => readonly ErrorCode[]
}

/** Prepares a scope and registers its resources. */
export const registerScope = (scope: App, rules: ScopeRules, resources: ((app: App) => void)[]): void => {
  const methods = watchMethods(scope as unknown as FastifyInstance)
  scope.addHook('onRoute', (route) => {
    declareErrors(route, rules.commonErrors(route))
    if (route.method === 'POST') route.handler = withIdempotency(route)
  })
  scope.decorateRequest('ctx')
  scope.decorateRequest('rawBody', null)
  scope.addHook('onRequest', rules.admit)
  scope.addHook('preValidation', async (request) => blankForeignIds(request))
  scope.setNotFoundHandler(() => {
    throw new ApiError('NOT_FOUND')
  })
  for (const register of resources) register(scope)
  methods.refuseOthers()
}

const TOKEN_ERRORS = ['MISSING_TOKEN', 'INVALID_API_TOKEN'] as const

/** The scope of /api/v1, for programs with a token. */
export const registerApi = (scope: App, deps: ApiDeps, resources: ((app: App) => void)[]): void =>
  registerScope(
    scope,
    {
      admit: (request, reply) => admit(deps, request, reply),
      commonErrors: (route) =>
        route.config?.isPublic
          ? ['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']
          : [...TOKEN_ERRORS, ...inputErrors(route)],
    },
    resources,
  )
