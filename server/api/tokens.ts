import { verifyToken } from '../domain/tokens/queries.ts'
import { Verification } from '../domain/tokens/schema.ts'
import type { App } from '../platform/http/api.ts'

export const registerTokens = (app: App): void => {
  app.get(
    '/me',
    {
      schema: {
        operationId: 'verifyToken',
        tags: ['Token'],
        summary: 'Verify a token',
        description: 'Returns the workspace and the name of the token. A good first request to try.',
        response: { 200: Verification },
      },
    },
    (request) => verifyToken(request.ctx),
  )
}
