// What programs need that keep contacts in step with another system: its keys, and the custom fields there are.
import { listContactFields } from '../domain/contacts/fields-queries.ts'
import { ContactFieldList } from '../domain/contacts/fields-schema.ts'
import {
  ContactAnswer,
  ContactUpserted,
  LookupQuery,
  UpsertContactBody,
} from '../domain/contacts/upsert-schema.ts'
import { lookUpContact } from '../domain/people/lookup-contact.ts'
import { upsertContact } from '../domain/people/upsert-contact.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerContactKeys = (app: App): void => {
  app.get(
    '/contacts/lookup',
    {
      // Few enough that nobody finds people by trying numbers.
      config: { budget: 'change', scope: 'contacts:read' },
      schema: {
        operationId: 'lookUpContact',
        tags: ['Contacts'],
        summary: 'Look up a contact',
        description:
          'Returns the contact that has exactly this external id, email or phone number. Specify one of them. Emails that a visitor only typed into the chat box are not looked up.',
        querystring: LookupQuery,
        response: { 200: ContactAnswer, ...errors('CONTACT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, query }) => lookUpContact(ctx, query),
  )

  app.post(
    '/contacts/upsert',
    {
      config: { budget: 'change', scope: 'contacts:write' },
      schema: {
        operationId: 'upsertContact',
        tags: ['Contacts'],
        summary: 'Create or update a contact',
        description:
          'Finds the contact that has the keys in `match`, or creates it, and applies `set`. Keys that nobody has yet are added to the contact that the others found. If keys belong to different contacts, or the contact has another external id, nothing is changed, and `details` of CONTACT_CONFLICT names the contacts.',
        body: UpsertContactBody,
        response: { 200: ContactUpserted, ...errors('CONTACT_NOT_FOUND', 'CONTACT_CONFLICT') },
      },
    },
    ({ ctx, body }) => upsertContact(ctx, body),
  )

  app.get(
    '/contact-fields',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listContactFields',
        tags: ['Contacts'],
        summary: 'List custom fields',
        description:
          'The custom fields that contacts have, most frequent first, for instance to offer them in a list. Looks at the 250 contacts with the latest activity and the 250 newest, so fields that only older contacts have are left out; for a token that is limited to channels, at the 250 with the latest activity on each.',
        response: { 200: ContactFieldList },
      },
    },
    async ({ ctx }) => ({ fields: await listContactFields(ctx) }),
  )
}
