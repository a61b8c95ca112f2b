// What the console needs of a contact beyond the API.

import { listContactTags, requireContact } from '../domain/contacts/profile-queries.ts'
import { ContactParams } from '../domain/contacts/schema.ts'
import { TagList } from '../domain/tags/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerContactsConsoleRoutes = (app: App): void => {
  app.get(
    '/contacts/:contactId/tags',
    {
      schema: {
        operationId: 'consoleListContactTags',
        summary: "List a contact's tags",
        params: ContactParams,
        response: { 200: TagList, ...errors('CONTACT_NOT_FOUND') },
      },
    },
    async ({ ctx, params: { contactId } }) => {
      await requireContact(ctx, contactId)
      return { tags: await listContactTags(ctx, contactId) }
    },
  )
}
