import { listTags } from '../domain/tags/queries.ts'
import { TagList } from '../domain/tags/schema.ts'
import type { App } from '../platform/http/api.ts'

export const registerTags = (app: App): void => {
  app.get(
    '/tags',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listTags',
        tags: ['Tags'],
        summary: 'List tags',
        description: 'All tags of the workspace, ordered by name. Tags are managed in the console.',
        response: { 200: TagList },
      },
    },
    async (request) => ({ tags: await listTags(request.ctx) }),
  )
}
