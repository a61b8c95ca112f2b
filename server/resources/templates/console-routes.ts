import type { App } from '../../http/api.ts'
import { describeTemplates } from './describe-templates.ts'
import { RichTemplateList } from './schema.ts'

export const registerTemplatesConsoleRoutes = (app: App): void => {
  app.get(
    '/templates',
    {
      schema: {
        operationId: 'consoleListTemplates',
        summary: 'List templates in every state',
        description:
          'With all that is needed to show, fill and judge them, and the numbers that can send each. Asked of WhatsApp at the moment of the call, as it last was where that does not answer.',
        response: { 200: RichTemplateList },
      },
    },
    ({ ctx }) => describeTemplates(ctx),
  )
}
