import type { App } from '../../http/api.ts'
import { listTags } from './queries.ts'
import { TagList } from './schema.ts'

export const registerTags = (app: App): void => {
  app.get(
    '/tags',
    {
      schema: {
        operationId: 'listTags',
        tags: ['Tags'],
        summary: 'List tags',
        description: 'All tags of the workspace, by name. They are made and changed in the console.',
        response: { 200: TagList },
      },
    },
    async (request) => ({ tags: await listTags(request.ctx) }),
  )
}
