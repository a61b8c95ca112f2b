import type { App } from '../../http/api.ts'
import { listContactGroups } from './queries.ts'
import { ContactGroupList } from './schema.ts'

export const registerContactGroups = (app: App): void => {
  app.get(
    '/contact-groups',
    {
      config: { permission: ['manage_groups', 'send_broadcasts'] },
      schema: {
        operationId: 'listContactGroups',
        tags: ['Contact groups'],
        summary: 'List contact groups',
        description:
          'All groups with their members, both by name. They are made and changed in the console; a broadcast can go to one.',
        response: { 200: ContactGroupList },
      },
    },
    // The answer is JSON already, made by the database.
    (request) => listContactGroups(request.ctx) as never,
  )
}
