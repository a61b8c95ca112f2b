// A line for each request, when its answer is out. The route's pattern stands in for the address: paths and queries
// hold ids, names and phone numbers. The duration goes to the metrics under the same pattern.
import type { FastifyInstance } from 'fastify'
import { requestSeconds } from '../metrics.ts'

const NO_ROUTE = 'none'

export const registerRequestLog = (app: FastifyInstance): void => {
  app.addHook('onResponse', async (request, reply) => {
    const { url: route, config } = request.routeOptions
    const ctx = request.ctx as typeof request.ctx | undefined
    const isAborted = !reply.raw.writableFinished
    request.log.info({
      method: request.method,
      route: route ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ip: request.ip,
      ...(ctx && { workspaceId: ctx.workspaceId }),
      ...(ctx?.actor.type === 'token' && { tokenId: ctx.actor.tokenId }),
      ...(isAborted && { aborted: true }),
    })
    // A stream lasts as long as its reader likes; that is no latency.
    if (!config.isStream)
      requestSeconds.observe(
        {
          method: request.method,
          route: route ?? NO_ROUTE,
          status: `${Math.floor(reply.statusCode / 100)}xx`,
        },
        reply.elapsedTime / 1000,
      )
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer stays open: it is logged when it ends, and not measured. */
    isStream?: boolean
  }
}
