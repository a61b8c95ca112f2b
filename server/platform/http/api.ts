// What all routes under /api/v1 share: the token, the limits, the order of checks, 404 and 405, Idempotency-Key, and
// the errors each of them can return.

import type {} from '@fastify/swagger'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyTypeProvider,
  HTTPMethods,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteOptions,
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Channels } from '../../../channels/channel.ts'
import type { Actor } from '../ctx/actor.ts'
import type { Ctx } from '../ctx/ctx.ts'
import type { Needed } from '../ctx/permissions.ts'
import { requireOpen } from '../db/closed-workspaces.ts'
import { newIdAfter, timeOfId } from '../db/id.ts'
import type { JsonText } from '../db/json-text.ts'
import { type Db, dbOf } from '../db/pool.ts'
import type { Replica } from '../db/replica.ts'
import { ApiError, type ErrorCode } from '../errors.ts'
import type { FileStore } from '../files/store.ts'
import type { Stream } from '../live/stream.ts'
import type { Seal } from '../seal.ts'
import { bearerOf, type Tokens } from './bearer.ts'
import { gatherBracketParameters } from './bracket-parameters.ts'
import { addressKey, plainAddress } from './client-address.ts'
import { commonErrors, errors } from './error-responses.ts'
import { finish, forget, hashRequest, idempotencyKeyOf, once } from './idempotency.ts'
import { nameIgnoredParameters } from './ignored-parameters.ts'
import type { RateLimiter, Taken } from './rate-limit.ts'
import { withReplica } from './replica-reads.ts'
import { shed } from './shed.ts'
import { actorOf, requireAccess, requireUsable } from './token-access.ts'
import { blankForeignIds } from './validation.ts'

/** The type of a schema: for requests, its values; for responses, the values or their JSON text. */
export interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema
    ? Static<this['schema']> | JsonText<Static<this['schema']>>
    : unknown
}

/** An instance whose handlers know their schemas' types. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  SchemaTypes
>

/** Calls per minute. The first three count per token and operation; everything else shares one bucket per IP. */
export const BUDGETS = { send: 60, change: 30, broadcast: 10 } as const
export const BUDGET_PER_IP = 100

declare module 'fastify' {
  interface FastifyRequest {
    ctx: Ctx
    rawBody: Buffer | null
  }
  interface FastifyContextConfig {
    /** Which write limit applies. Without one, the call counts in its IP's bucket. */
    budget?: keyof typeof BUDGETS
    /** Needs no token and has its own bucket per IP: the OpenAPI document. */
    isPublic?: boolean
    /** The response contains a secret, which is not stored: an Idempotency-Key has no effect. */
    isConfidential?: true
    /** A replica may answer it, because it writes nothing: one that is a few seconds behind, or only one that isn't. */
    reads?: 'replica' | 'current replica'
    /** In the console: what a member needs, a permission of their role or being an admin. */
    permission?: Needed | readonly Needed[]
    /** For sends, which wait for the provider after the commit: the result of `settle` is the response. */
    settling?: {
      // biome-ignore lint/suspicious/noExplicitAny: each route's response has its own type
      isSettled: (answer: any) => boolean
      // biome-ignore lint/suspicious/noExplicitAny: the same
      settle: (ctx: Ctx, answer: any) => Promise<unknown>
      /** The Retry-After for a retry with the same Idempotency-Key; six seconds by default. */
      provisionalMs?: number
    }
  }
}

export type ApiDeps = {
  db: Db
  searchDb: Db
  channels: Channels
  tokens: Tokens
  /** Null: no limits. */
  limiter: RateLimiter | null
  now: () => Date
  /** For tests that set the time; defaults to the time in the id. */
  createdAt?: (id: string) => Date
  stream: Stream
  seal: Seal
  files: FileStore
  publicUrl: string
  isAiOff?: boolean
  settleMs?: number
  /** Without it, every read goes to the primary. */
  replica?: Replica
}

const JSON_TYPE = 'application/json; charset=utf-8'

const showLimit = (reply: FastifyReply, taken: Taken): void => {
  reply.headers({
    'ratelimit-limit': taken.limit,
    'ratelimit-remaining': taken.remaining,
    'ratelimit-reset': taken.resetSeconds,
  })
}

/** Counts one call under a key and returns the caller's remaining budget. Throws RATE_LIMIT_EXCEEDED. */
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

/** What the audit log says of a call. */
export const callOf = (request: FastifyRequest) => ({
  requestId: request.id,
  client: {
    address: plainAddress(request.ip) ?? null,
    userAgent: request.headers['user-agent'] ?? null,
  },
})

/** The context of a request's operation; `from` is the application where several requests are handled together. */
export const ctxOf = (
  deps: ApiDeps,
  from: FastifyRequest | Pick<App, 'log'>,
  workspaceId: string,
  actor: Ctx['actor'],
): Ctx => ({
  db: dbOf(deps.db, workspaceId),
  searchDb: deps.searchDb,
  channels: deps.channels,
  workspaceId,
  actor,
  ...('id' in from && callOf(from)),
  now: deps.now,
  newId: newIdAfter,
  createdAt: deps.createdAt ?? timeOfId,
  log: from.log,
  stream: deps.stream,
  seal: deps.seal,
  files: deps.files,
  publicUrl: deps.publicUrl,
  ...(deps.isAiOff && { isAiOff: true }),
  settleMs: deps.settleMs,
  afterCommit: null,
})

const NOT_FOR_PAGES =
  'The API cannot be called from web pages because that would expose the token to visitors. Call it from your server.'

/** A CORS preflight. Browsers send no token with it. */
const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

/** The token, then the limit. A call with an invalid token still counts in its IP's bucket. */
export const admit = async (deps: ApiDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.type(JSON_TYPE)
  const { config } = request.routeOptions
  const { budget, isPublic } = config
  const ofIp = `ip:${addressKey(request.ip)}`
  if (isPreflight(request)) {
    // Preflights have their own budget: any web page can trigger them, and they must not use up that of API clients.
    await spend(deps, reply, `preflight:${addressKey(request.ip)}`, BUDGET_PER_IP)
    throw new ApiError('FORBIDDEN', { message: NOT_FOR_PAGES })
  }
  if (isPublic) return spend(deps, reply, `reference:${addressKey(request.ip)}`, BUDGET_PER_IP)
  const secret = bearerOf(request.headers.authorization)
  const finding = secret === undefined ? undefined : deps.tokens.find(secret)
  const holder = finding instanceof Promise ? await finding : finding
  if (!holder) {
    await spend(deps, reply, ofIp, BUDGET_PER_IP)
    throw new ApiError(secret === undefined ? 'MISSING_TOKEN' : 'INVALID_API_TOKEN', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
  const { workspaceId } = holder
  const actor = actorOf(holder)
  request.ctx = ctxOf(deps, request, workspaceId, actor)
  if (budget)
    await spend(deps, reply, `${holder.tokenId}:${request.routeOptions.schema?.operationId}`, BUDGETS[budget])
  else await spend(deps, reply, ofIp, BUDGET_PER_IP)
  requireUsable(holder, request.ip, deps.now().getTime())
  requireAccess(actor, config)
  requireOpen(deps.db, workspaceId, request.method)
  const shedding = shed(deps, workspaceId)
  if (shedding) await shedding
}

/** Whose keys these are: the workspace's tokens share theirs, except for those that may not see each other's responses. */
const keyringOf = (actor: Actor): string | undefined => {
  if (actor.type === 'agent') return actor.accountId
  return actor.type === 'token' && (actor.scopes || actor.channels) ? actor.tokenId : undefined
}

/** A streamed body can't be compared with that of an earlier request. */
const takesKey = ({ config }: RouteOptions): boolean => !config?.isConfidential && config?.body !== 'streamed'

/** A POST with a key runs its handler in the transaction that records the response. */
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
    // Before sign-in there is no workspace to store a response in.
    if (key === undefined || !request.ctx || !takesKey(route)) {
      const answer = await run(request.ctx)
      return settling && !isFinal(answer) ? settling.settle(request.ctx, answer) : answer
    }
    const { actor } = request.ctx
    const operation = [operationId, keyringOf(actor)].filter(Boolean).join(' ')
    const { provisionalMs } = settling ?? {}
    const input = { operation, key, requestHash: hashRequest(request), isFinal, provisionalMs }
    const { answer, isReplay } = await once(request.ctx, input, run)
    if (isReplay) {
      reply.header('idempotent-replayed', 'true')
      return answer
    }
    if (!settling || isFinal(answer)) return answer
    const settled = await settling.settle(request.ctx, answer).catch(async (error) => {
      // A rejection after the commit. Any other failure says nothing about the work, which is done.
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
    { properties?: { error?: { properties: { code: { enum: ErrorCode[] } } } } }
  >
  const own = Object.values(declared).flatMap(
    (response) => response.properties?.error?.properties.code.enum ?? [],
  )
  const successes = Object.fromEntries(Object.entries(declared).filter(([status]) => status < '400'))
  schema.response = { ...successes, ...errors(...own, ...common) }
}

/** The errors a route can return because of its input. */
export const inputErrors = ({ schema, method, config }: RouteOptions): ErrorCode[] => {
  const isPost = method === 'POST'
  const takesBody = schema?.body !== undefined || isPost
  return [
    ...commonErrors(takesBody || schema?.querystring !== undefined, takesBody),
    ...(isPost && config?.body !== 'streamed'
      ? (['IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED'] as const)
      : []),
  ]
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

type Methods = {
  /** The paths registered so far. */
  paths: () => string[]
  /** Called last: adds the missing methods of each path, as 405 with Allow. */
  refuseOthers: () => void
  /**
   * The same for all paths of a scope with its own prefix, and 404 for everything else below it: one route, because a
   * thousand took an eighth of the start time.
   */
  refuseRest: () => void
}

type Known = { parts: string[]; allow: string }

const isAt = ({ parts }: Known, given: readonly string[]): boolean =>
  parts.length === given.length && parts.every((part, at) => part.startsWith(':') || part === given[at])

const notAllowed = (allow: string): ApiError => new ApiError('METHOD_NOT_ALLOWED', { headers: { allow } })

/** Records the methods of every path that the scope registers from now on. */
export const watchMethods = (scope: App): Methods => {
  const taken = new Map<string, { url: string; methods: Set<string> }>()
  scope.addHook('onRoute', ({ routePath, url, method }) => {
    const { methods } = taken.get(routePath) ?? { methods: new Set<string>() }
    for (const name of [method].flat()) methods.add(name)
    taken.set(routePath, { url, methods })
  })
  const allowOf = (methods: ReadonlySet<string>): string => [...methods].sort().join(', ')
  /** Rejects unknown paths before their body is read. */
  const refuse = (method: readonly HTTPMethods[], url: string, errorOf: (url: string) => ApiError): void => {
    scope.route({
      method: [...method],
      url,
      exposeHeadRoute: false,
      onRequest: async (request) => {
        throw errorOf(request.url)
      },
      handler: () => undefined,
    })
  }
  return {
    paths: () => [...taken.keys()],
    refuseOthers: () => {
      for (const [path, { methods }] of [...taken]) {
        const others = METHODS.filter((method) => !methods.has(method))
        const allow = allowOf(methods)
        refuse(others, path, () => notAllowed(allow))
      }
    },
    refuseRest: () => {
      const known = [...taken.values()].map(({ url, methods }) => ({
        parts: url.split('/'),
        allow: allowOf(methods),
      }))
      refuse(METHODS, '/*', (url) => {
        const given = decodeURI(url.split('?', 1)[0]!).split('/')
        const allow = known.find((one) => isAt(one, given))?.allow
        return allow === undefined ? new ApiError('NOT_FOUND') : notAllowed(allow)
      })
    },
  }
}

/** How two scopes with the same operations differ: the API's and the console's. */
type ScopeRules = {
  replica: Replica | undefined
  /** Authenticates the caller: sets request.ctx, or throws. */
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** What any of its routes can return, beyond what they declare. */
  commonErrors: (route: RouteOptions) => readonly ErrorCode[]
}

/** Prepares a scope and registers its resources. */
export const registerScope = (scope: App, rules: ScopeRules, resources: ((app: App) => void)[]): void => {
  const methods = watchMethods(scope)
  scope.addHook('onRoute', (route) => {
    declareErrors(route, rules.commonErrors(route))
    if (route.method === 'POST') route.handler = withIdempotency(route)
    else route.handler = withReplica(route, rules.replica)
  })
  scope.decorateRequest('ctx')
  scope.decorateRequest('rawBody', null)
  scope.addHook('onRequest', rules.admit)
  scope.addHook('preValidation', async (request, reply) => {
    blankForeignIds(request)
    gatherBracketParameters(request)
    nameIgnoredParameters(request, reply)
  })
  for (const register of resources) register(scope)
  methods.refuseRest()
}

const TOKEN_ERRORS = [
  'MISSING_TOKEN',
  'INVALID_API_TOKEN',
  'INSUFFICIENT_SCOPE',
  'ADDRESS_NOT_ALLOWED',
] as const

/** The scope of /api/v1, for programs with a token. */
export const registerApi = (scope: App, deps: ApiDeps, resources: ((app: App) => void)[]): void =>
  registerScope(
    scope,
    {
      replica: deps.replica,
      admit: (request, reply) => admit(deps, request, reply),
      commonErrors: (route) =>
        route.config?.isPublic
          ? ['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']
          : [...TOKEN_ERRORS, ...inputErrors(route)],
    },
    resources,
  )
