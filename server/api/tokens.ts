import { verifyToken } from '../domain/tokens/queries.ts'
import { Verification } from '../domain/tokens/schema.ts'
import { type App, BUDGET_PER_IP, BUDGETS } from '../platform/http/api.ts'
import { VERSION } from '../platform/version.ts'

const LIMITS = {
  readsPerMinute: BUDGET_PER_IP,
  changesPerMinute: BUDGETS.change,
  sendsPerMinute: BUDGETS.send,
  broadcastsPerMinute: BUDGETS.broadcast,
}

export const registerTokens = (app: App): void => {
  app.get(
    '/me',
    {
      config: { scope: 'any' },
      schema: {
        operationId: 'verifyToken',
        tags: ['Token'],
        summary: 'Verify a token',
        description:
          'Returns the workspace, the name of the token and what it gives access to. A good first request to try. Every token can make it.',
        response: { 200: Verification },
      },
    },
    async (request) => ({ ...(await verifyToken(request.ctx)), limits: LIMITS, serverVersion: VERSION }),
  )
}
