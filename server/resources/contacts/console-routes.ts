// What the console asks of a contact beyond what the API does.
import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { TagList } from '../tags/schema.ts'
import { getContactProfile, listContactTags } from './profile-queries.ts'
import { ContactParams } from './schema.ts'

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
      // Says who may see the contact, and whether there is one.
      await getContactProfile(ctx, contactId)
      return { tags: await listContactTags(ctx, contactId) }
    },
  )
}
