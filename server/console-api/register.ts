// The console's own API: cookies instead of tokens, an origin check on every write, and each operation of /api/v1 for
// a person, who may be allowed less than a token. It is private to the console, so no document lists it.
import cookie from '@fastify/cookie'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { requireOneOf } from '../platform/ctx/permissions.ts'
import { requireOpen } from '../platform/db/closed-workspaces.ts'
import { ID_PATTERN } from '../platform/db/id.ts'
import { ApiError } from '../platform/errors.ts'
import {
  type ApiDeps,
  type App,
  ctxOf,
  inputErrors,
  registerScope,
  type SchemaTypes,
  spend,
} from '../platform/http/api.ts'
import { addressKey } from '../platform/http/client-address.ts'
import { shed } from '../platform/http/shed.ts'
import { actorOf, findRequestSession } from './session.ts'

/** Calls per minute: per session, or per address without one. */
const BUDGET_PER_SESSION = 600
const BUDGET_PER_STRANGER = 120

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
const PROOF_HEADER = 'x-foyer-console'

/** Hosts are compared as a browser writes them: without the scheme's default port. */
const isAt = (origin: string, host: string): boolean => {
  const { protocol, host: own } = URL.canParse(origin) ? new URL(origin) : { protocol: '', host: '' }
  return own !== '' && URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).host === own
}

/**
 * A page of another site can't send the header without a preflight, which we always reject, and can't hide its
 * origin. Our own origin is the one of the request, or the public one.
 */
const requireOwnOrigin = (request: FastifyRequest, publicUrl: string): void => {
  if (SAFE_METHODS.has(request.method)) return
  const { origin, [PROOF_HEADER]: proof, 'sec-fetch-site': site } = request.headers
  const isOwn =
    origin === undefined || [request.host, new URL(publicUrl).host].some((own) => isAt(origin, own))
  const isSameSite = site === undefined || site === 'same-origin' || site === 'none'
  if (proof !== '1' || !isOwn || !isSameSite)
    throw new ApiError('FORBIDDEN', { message: 'This request does not come from the console.' })
}

/** Their callers are signed out or signing in. */
const isOpen = ({ config }: Pick<RouteOptions, 'config'>): boolean => config?.isOpen === true

declare module 'fastify' {
  interface FastifyContextConfig {
    /** In the console: for people who are not signed in. */
    isOpen?: boolean
  }
}

const requireSession = async (
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  workspaceId: string | null,
) => {
  const session = await findRequestSession(deps, request, workspaceId)
  if (!session) {
    await spend(deps, reply, `console:${addressKey(request.ip)}`, BUDGET_PER_STRANGER)
    throw new ApiError('SIGNED_OUT')
  }
  await spend(deps, reply, `console:${session.hash.toString('base64url')}`, BUDGET_PER_SESSION)
  request.session = session
  return session
}

const admitPerson = async (deps: ApiDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  if (!isOpen(request.routeOptions)) await requireSession(deps, request, reply, null)
}

const admitMember = async (deps: ApiDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  const { workspaceId } = request.params as { workspaceId: string }
  const known = ID_PATTERN.test(workspaceId) ? workspaceId : null
  const session = await requireSession(deps, request, reply, known)
  const actor = actorOf(session)
  if (!known || !actor) throw new ApiError('NOT_FOUND')
  const { permission } = request.routeOptions.config
  if (permission) requireOneOf(actor, [permission].flat())
  requireOpen(deps.db, workspaceId, request.method)
  request.ctx = ctxOf(deps, request, workspaceId, actor)
  await shed(deps, workspaceId)
}

type ConsoleParts = {
  /** Signing in and out, outside any workspace. */
  session: ((app: App) => void)[]
  /** Everything inside a workspace. */
  workspace: ((app: App) => void)[]
}

/** Registers the scope of /console/api. */
export const registerConsoleApi = async (scope: App, deps: ApiDeps, parts: ConsoleParts): Promise<void> => {
  await scope.register(cookie)
  scope.decorateRequest('session')
  scope.addHook('onRoute', (route) => {
    if (route.schema) route.schema.hide = true
  })
  scope.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
    requireOwnOrigin(request, deps.publicUrl)
  })
  scope.register(async (scope) =>
    registerScope(
      scope.withTypeProvider<SchemaTypes>(),
      {
        replica: deps.replica,
        admit: (request, reply) => admitPerson(deps, request, reply),
        commonErrors: (route) => ['FORBIDDEN', 'SIGNED_OUT', ...inputErrors(route)],
      },
      parts.session,
    ),
  )
  scope.register(
    async (scope) =>
      registerScope(
        scope.withTypeProvider<SchemaTypes>(),
        {
          replica: deps.replica,
          admit: (request, reply) => admitMember(deps, request, reply),
          commonErrors: (route) => ['FORBIDDEN', 'SIGNED_OUT', 'NOT_FOUND', ...inputErrors(route)],
        },
        parts.workspace,
      ),
    { prefix: '/workspaces/:workspaceId' },
  )
}

/** Where the console's routes are mounted. */
export const CONSOLE_PREFIX = '/console/api'
