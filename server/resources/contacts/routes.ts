import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { TagList } from '../tags/schema.ts'
import { listContacts } from './directory-queries.ts'
import { getContactProfile } from './profile-queries.ts'
import { replaceContactTags } from './replace-contact-tags.ts'
import {
  ContactParams,
  ContactProfile,
  ContactsAnswer,
  ContactsQuery,
  ReplaceTagsBody,
  UpdateContactBody,
} from './schema.ts'
import { updateContact } from './update-contact.ts'

export const registerContacts = (app: App): void => {
  app.get(
    '/contacts',
    {
      schema: {
        operationId: 'listContacts',
        tags: ['Contacts'],
        summary: 'List contacts',
        description:
          'The directory. In `activity` order it comes in numbered pages, with the number of matches and counts by country and channel over the whole directory. In `created` order it comes newest first with a cursor, which suits polling for new contacts. Filters combine with AND and work in both orders.',
        querystring: ContactsQuery,
        response: { 200: ContactsAnswer },
      },
    },
    // The rows are JSON already, made by the database.
    (request) => listContacts(request.ctx, request.query) as never,
  )

  app.get(
    '/contacts/:contactId',
    {
      schema: {
        operationId: 'getContact',
        tags: ['Contacts'],
        summary: 'Read a contact',
        description:
          'The profile with its custom fields, the newest 100 runs of flows, and the newest 500 notes, newest first.',
        params: ContactParams,
        response: { 200: ContactProfile, ...errors('CONTACT_NOT_FOUND') },
      },
    },
    (request) => getContactProfile(request.ctx, request.params.contactId),
  )

  app.patch(
    '/contacts/:contactId',
    {
      config: { budget: 'change', permission: 'manage_contacts' },
      schema: {
        operationId: 'updateContact',
        tags: ['Contacts'],
        summary: 'Update a contact',
        description:
          'Renames the contact, changes custom fields, or both at once. Custom fields merge key by key: a given key overwrites, null removes it, the others stay.',
        params: ContactParams,
        body: UpdateContactBody,
        response: { 200: ContactProfile, ...errors('CONTACT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    (request) => updateContact(request.ctx, request.params.contactId, request.body),
  )

  app.put(
    '/contacts/:contactId/tags',
    {
      config: { budget: 'change', permission: 'manage_contacts' },
      schema: {
        operationId: 'replaceContactTags',
        tags: ['Contacts'],
        summary: "Replace a contact's tags",
        description:
          'Makes the tags of the contact exactly those named and answers them by name. An empty list clears them. GET /tags lists the ids there are.',
        params: ContactParams,
        body: ReplaceTagsBody,
        response: { 200: TagList, ...errors('CONTACT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    (request) => replaceContactTags(request.ctx, request.params.contactId, request.body.tagIds),
  )
}
