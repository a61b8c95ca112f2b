// A span for each request, if traces are on: it has the route's pattern and the status, like the log's line. A caller's
// own traceparent is ignored, because anyone could make us record their trace.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isTracing, type OpenSpan, startSpan } from '../tracing.ts'

/** They are asked every few seconds and say nothing. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics'])

export const registerRequestSpans = (app: FastifyInstance): void => {
  if (!isTracing()) return
  const spans = new WeakMap<FastifyRequest, OpenSpan>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { url: route, config } = request.routeOptions
    if (config.isStream || !route || UNTRACED.has(route)) return done()
    const span = startSpan(`${request.method} ${route}`, {
      kind: 'server',
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'foyer.request_id': request.id,
      },
    })
    spans.set(request, span)
    span.within(done)
  })
  // Reading a body continues outside of what was around it.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    if (span) span.within(done)
    else done()
  })
  app.addHook('onResponse', async (request, reply) => {
    const span = spans.get(request)
    if (!span) return
    const ctx = request.ctx as typeof request.ctx | undefined
    span.set({
      'http.response.status_code': reply.statusCode,
      ...(ctx && { 'foyer.workspace_id': ctx.workspaceId }),
    })
    if (reply.statusCode >= 500) span.fail(String(reply.statusCode))
    span.end()
  })
  // The caller went away.
  app.addHook('onRequestAbort', async (request) => {
    spans.get(request)?.end()
    spans.delete(request)
  })
}
