// A worker's HTTP server: liveness, readiness and metrics, nothing else.
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { ApiError } from '../platform/errors.ts'
import { handleError } from '../platform/http/error-handler.ts'
import { joinChunks } from '../platform/http/join-chunks.ts'
import { type OperationsDeps, registerOperations } from '../platform/http/operations-routes.ts'
import { registerRequestLog } from '../platform/http/request-log.ts'

type HealthDeps = { server?: object; operations: OperationsDeps }

export const buildHealthApp = ({ server, operations }: HealthDeps): FastifyInstance => {
  const app = Fastify({
    ...server,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  })
  joinChunks(app.server)
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(() => {
    throw new ApiError('NOT_FOUND')
  })
  registerRequestLog(app)
  registerOperations(app, operations)
  return app
}
