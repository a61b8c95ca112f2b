import { describeTemplates } from '../domain/templates/describe-templates.ts'
import { RichTemplateList } from '../domain/templates/schema.ts'
import type { App } from '../platform/http/api.ts'

export const registerTemplatesConsoleRoutes = (app: App): void => {
  app.get(
    '/templates',
    {
      schema: {
        operationId: 'consoleListTemplates',
        summary: 'List templates in any status',
        description:
          'Includes what is needed to display and fill them, their review status, and the numbers that can send each. Fetched live from WhatsApp, or from the last known state if it does not respond.',
        response: { 200: RichTemplateList },
      },
    },
    ({ ctx }) => describeTemplates(ctx),
  )
}
