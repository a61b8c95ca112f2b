// What a worker shows of itself: whether it lives, whether it works, and its metrics. Nothing else answers there.
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { ApiError } from './errors.ts'
import { handleError } from './http/error-handler.ts'
import { type OperationsDeps, registerOperations } from './http/operations-routes.ts'
import { registerRequestLog } from './http/request-log.ts'

type HealthDeps = { server?: object; operations: OperationsDeps }

export const buildHealthApp = ({ server, operations }: HealthDeps): FastifyInstance => {
  const app = Fastify({
    ...server,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  })
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(() => {
    throw new ApiError('NOT_FOUND')
  })
  registerRequestLog(app)
  registerOperations(app, operations)
  return app
}
