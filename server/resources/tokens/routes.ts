import type { App } from '../../http/api.ts'
import { verifyToken } from './queries.ts'
import { Verification } from './schema.ts'

export const registerTokens = (app: App): void => {
  app.get(
    '/me',
    {
      schema: {
        operationId: 'verifyToken',
        tags: ['Token'],
        summary: 'Verify the token',
        description:
          'Answers which workspace the token opens and what the token is called. A good first call.',
        response: { 200: Verification },
      },
    },
    (request) => verifyToken(request.ctx),
  )
}
