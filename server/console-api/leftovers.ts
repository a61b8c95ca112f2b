import { dismissLeftovers, listLeftovers, retryLeftover } from '../inbound/replay/leftovers.ts'
import {
  DismissedLeftovers,
  LeftoverList,
  LeftoverReplayed,
  LeftoversDismissed,
  RetriedLeftover,
} from '../inbound/replay/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerLeftoversConsoleRoutes = (app: App): void => {
  app.get(
    '/leftovers',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleListLeftovers',
        summary: 'List inbound deliveries that need attention',
        description: 'Messages and events from channels that are not in any conversation, newest first.',
        response: { 200: LeftoverList },
      },
    },
    ({ ctx }) => listLeftovers(ctx),
  )

  app.post(
    '/leftovers/retry',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleRetryLeftover',
        summary: 'Retry storing a delivery',
        body: RetriedLeftover,
        response: { 200: LeftoverReplayed, ...errors('LEFTOVER_NOT_FOUND') },
      },
    },
    ({ ctx, body }) => retryLeftover(ctx, body.leftoverId),
  )

  app.post(
    '/leftovers/dismiss',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleDismissLeftovers',
        summary: 'Dismiss deliveries',
        description: 'Deletes them. They are not retried.',
        body: DismissedLeftovers,
        response: { 200: LeftoversDismissed },
      },
    },
    async ({ ctx, body }) => ({ dismissed: await dismissLeftovers(ctx, body.leftoverIds) }),
  )
}
