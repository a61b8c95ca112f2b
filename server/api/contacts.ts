import { changeContactTags } from '../domain/contacts/change-contact-tags.ts'
import { listContacts, listInboxContacts } from '../domain/contacts/directory-queries.ts'
import { ContactsQuery } from '../domain/contacts/directory-schema.ts'
import { getContactProfile } from '../domain/contacts/profile-queries.ts'
import { replaceContactTags } from '../domain/contacts/replace-contact-tags.ts'
import {
  ChangeTagsBody,
  ContactParams,
  ContactProfile,
  ContactsAnswer,
  InboxContactsAnswer,
  ReplaceTagsBody,
  UpdateContactBody,
} from '../domain/contacts/schema.ts'
import { updateContact } from '../domain/contacts/update-contact.ts'
import { TagList } from '../domain/tags/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const LIST = {
  operationId: 'listContacts',
  tags: ['Contacts'],
  summary: 'List contacts',
  description:
    'The contact directory. `sort=activity` returns numbered pages with the number of matches, and counts by country and channel over the whole directory. `sort=created` returns the newest contacts first, with a cursor, for polling: read until you reach an id you already know. New contacts always appear above those returned before, so none are missed. Filters are combined with AND and work in both orders.',
  querystring: ContactsQuery,
}

const LISTS = { scope: 'contacts:read', reads: 'current replica' } as const

export const registerContacts = (app: App): void => {
  app.get(
    '/contacts',
    { config: LISTS, schema: { ...LIST, response: { 200: ContactsAnswer } } },
    ({ ctx, query }) => listContacts(ctx, query),
  )
  registerContact(app)
}

/** The same for people, whose rows have a little more. */
export const registerInboxContacts = (app: App): void => {
  app.get(
    '/contacts',
    { config: LISTS, schema: { ...LIST, response: { 200: InboxContactsAnswer } } },
    ({ ctx, query }) => listInboxContacts(ctx, query),
  )
  registerContact(app)
}

const registerContact = (app: App): void => {
  app.get(
    '/contacts/:contactId',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getContact',
        tags: ['Contacts'],
        summary: 'Get a contact',
        description:
          'The profile with custom fields, the latest 100 flow runs and the latest 500 notes, newest first.',
        params: ContactParams,
        response: { 200: ContactProfile, ...errors('CONTACT_NOT_FOUND') },
      },
    },
    (request) => getContactProfile(request.ctx, request.params.contactId),
  )

  app.patch(
    '/contacts/:contactId',
    {
      config: { scope: 'contacts:write', budget: 'change', permission: 'manage_contacts' },
      schema: {
        operationId: 'updateContact',
        tags: ['Contacts'],
        summary: 'Update a contact',
        description:
          'Renames the contact, changes custom fields, or both. Custom fields are merged key by key: a given key is overwritten, null removes it, and other keys are kept.',
        params: ContactParams,
        body: UpdateContactBody,
        response: { 200: ContactProfile, ...errors('CONTACT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    (request) => updateContact(request.ctx, request.params.contactId, request.body),
  )

  app.post(
    '/contacts/:contactId/tags',
    {
      config: { budget: 'change', scope: 'contacts:write', permission: 'manage_contacts' },
      schema: {
        operationId: 'changeContactTags',
        tags: ['Contacts'],
        summary: "Add and remove a contact's tags",
        description:
          'Adds and removes tags, and returns all tags of the contact, ordered by name. Other tags are kept, even if someone else adds them at the same moment.',
        params: ContactParams,
        body: ChangeTagsBody,
        response: { 200: TagList, ...errors('CONTACT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    (request) => changeContactTags(request.ctx, request.params.contactId, request.body),
  )

  app.put(
    '/contacts/:contactId/tags',
    {
      config: { scope: 'contacts:write', budget: 'change', permission: 'manage_contacts' },
      schema: {
        operationId: 'replaceContactTags',
        tags: ['Contacts'],
        summary: "Replace a contact's tags",
        description:
          'Replaces all tags of the contact and returns them ordered by name. An empty list removes all tags. GET /tags lists the available tags.',
        params: ContactParams,
        body: ReplaceTagsBody,
        response: { 200: TagList, ...errors('CONTACT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    (request) => replaceContactTags(request.ctx, request.params.contactId, request.body.tagIds),
  )
}
