// One log line for each request, once the response has been sent. It has the route's pattern instead of the URL, because
// paths and queries contain ids, names and phone numbers. Durations are measured by the same pattern.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestSeconds } from '../metrics.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response stays open: it is logged when it ends, and not measured. */
    isStream?: boolean
  }
}

const NO_ROUTE = 'none'

export const registerRequestLog = (app: FastifyInstance): void => {
  // A stream takes over the response, so Fastify does not run onResponse.
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isStream) reply.raw.once('close', () => writeLine(request, reply))
  })
  app.addHook('onResponse', async (request, reply) => {
    const { url: route, config } = request.routeOptions
    if (config.isStream) return
    writeLine(request, reply)
    const status = `${Math.floor(reply.statusCode / 100)}xx`
    requestSeconds.observe(
      { method: request.method, route: route ?? NO_ROUTE, status },
      reply.elapsedTime / 1000,
    )
  })
}

const writeLine = (request: FastifyRequest, reply: FastifyReply): void => {
  const ctx = request.ctx as typeof request.ctx | undefined
  request.log.info({
    method: request.method,
    route: request.routeOptions.url ?? null,
    status: reply.raw.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    ip: request.ip,
    ...(ctx && { workspaceId: ctx.workspaceId }),
    ...(ctx?.actor.type === 'token' && { tokenId: ctx.actor.tokenId }),
    ...(ctx?.actor.type === 'agent' && { accountId: ctx.actor.accountId }),
    ...(!reply.raw.writableFinished && { aborted: true }),
  })
}
