// What the webhooks of all providers share: outside /api/v1, authenticated before parsing, with their own limits. A
// verified delivery gets 200 once it is stored, whether we understood it or not: the provider would resend it for
// days. Any failure on our side is a 503, upon which it retries.

import type { FastifyError, FastifyRequest } from 'fastify'
import { requireOpen } from '../platform/db/closed-workspaces.ts'
import { ID_PATTERN } from '../platform/db/id.ts'
import type { ChannelName } from '../platform/db/tables.ts'
import { ApiError } from '../platform/errors.ts'
import { type ApiDeps, type App, watchMethods } from '../platform/http/api.ts'
import { addressKey } from '../platform/http/client-address.ts'
import { handleError, toApiError } from '../platform/http/error-handler.ts'
import type { Connected } from './accounts.ts'
import { tryAgain } from './verdict.ts'
import { makeWebhookState } from './webhook-state.ts'

/** Meta sends up to 3 MB, the others far less. */
export const WEBHOOK_MAX_BYTES = 3 * 1024 * 1024
/** Unauthenticated deliveries per address and minute. Verified ones are never limited. */
const FAILURES_PER_IP = 60

type Accounts<C extends ChannelName> = { find: (id: string) => Promise<Connected<C> | undefined> }

/** Bodies stay bytes: a signature covers the bytes on the wire, so nothing is parsed before it is checked. */
export const takeRawBodies = (app: App, deps: Pick<ApiDeps, 'limiter'>, bodyMaxBytes: number) => {
  const methods = watchMethods(app)
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const isOurs = toApiError(error).code === 'INTERNAL_ERROR'
    if (isOurs) request.log.error({ err: error }, 'a webhook was rejected')
    return handleError(isOurs ? tryAgain() : error, request, reply)
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyMaxBytes }, (_request, body, done) =>
    done(null, body),
  )
  return {
    /** Throws the error, or RATE_LIMIT_EXCEEDED after too many failures. */
    refuse: async (ip: string, error: ApiError): Promise<never> => {
      const spent = await deps.limiter?.take(`webhook:${addressKey(ip)}`, FAILURES_PER_IP)
      if (spent?.isExceeded)
        throw new ApiError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': String(spent.resetSeconds) } })
      throw error
    },
    rawOf: (body: unknown): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0)),
    /** Call this after all routes are registered. */
    refuseRest: methods.refuseRest,
  }
}

/** A request that names a channel account. */
type ToAccount = { params: { channelId: string }; ip: string }

type Signed = FastifyRequest<{ Params: { channelId: string } }>

type WebhookOptions = {
  /** The header with a delivery's signature. Without it no body is read. */
  signatureHeader: string
  bodyMaxBytes?: number
}

/** Prepares a scope for a channel's webhook. */
export const prepareWebhook = <C extends ChannelName>(
  app: App,
  deps: ApiDeps,
  accounts: Accounts<C>,
  { signatureHeader, bodyMaxBytes = WEBHOOK_MAX_BYTES }: WebhookOptions,
) => {
  const { refuse, rawOf, refuseRest } = takeRawBodies(app, deps, bodyMaxBytes)
  const found = new WeakMap<object, Connected<C>>()
  /** The account in the path. Throws CHANNEL_NOT_FOUND. */
  const connectedOf = async ({ params: { channelId }, ip }: ToAccount): Promise<Connected<C>> => {
    const connected = ID_PATTERN.test(channelId) ? await accounts.find(channelId) : undefined
    if (!connected) return refuse(ip, new ApiError('CHANNEL_NOT_FOUND'))
    requireOpen(deps.db, connected.workspaceId)
    return connected
  }
  /** The sender could not be authenticated. */
  const refuseProof = (ip: string): Promise<never> => refuse(ip, new ApiError('INVALID_SIGNATURE'))
  const state = makeWebhookState<C>(app, deps)
  return {
    connectedOf,
    refuseProof,
    /** The delivery's signature is wrong. */
    refuseSigned: async (ip: string, connected: Connected<C>): Promise<never> => {
      await state.rejected(connected)
      return refuseProof(ip)
    },
    /** A delivery was stored. */
    noteAccepted: state.accepted,
    rawOf,
    refuseRest,
    /** For delivery routes: before a body is read, the account is looked up and a signature must be present. */
    delivery: {
      bodyLimit: bodyMaxBytes,
      onRequest: async (request: Signed): Promise<void> => {
        const connected = await connectedOf(request)
        if (headerOf(request.headers[signatureHeader]) === undefined) return refuseProof(request.ip)
        found.set(request, connected)
      },
    },
    /** What the route found before reading the body, and the signature header. */
    deliveredTo: (request: Signed): { connected: Connected<C>; signature: string } => {
      const connected = found.get(request)
      const signature = headerOf(request.headers[signatureHeader])
      if (!connected || signature === undefined)
        throw new Error('a delivery could not be checked before its body was read')
      return { connected, signature }
    },
  }
}

/** A header that occurs once. */
export const headerOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined
