import { listContactGroups } from '../domain/contact-groups/queries.ts'
import { ContactGroupList } from '../domain/contact-groups/schema.ts'
import type { App } from '../platform/http/api.ts'

export const registerContactGroups = (app: App): void => {
  app.get(
    '/contact-groups',
    {
      config: { scope: 'groups:read', permission: ['manage_groups', 'send_broadcasts'] },
      schema: {
        operationId: 'listContactGroups',
        tags: ['Contact groups'],
        summary: 'List contact groups',
        description:
          'All groups with their members, both ordered by name. Groups are managed in the console.',
        response: { 200: ContactGroupList },
      },
    },
    ({ ctx }) => listContactGroups(ctx),
  )
}
