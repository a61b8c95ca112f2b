// What the console needs of a contact beyond the API.

import { listContactTags, requireContact } from '../domain/contacts/profile-queries.ts'
import { ContactParams, ContactProfile } from '../domain/contacts/schema.ts'
import { importRows } from '../domain/people/import-rows.ts'
import { ImportRowsAnswer, ImportRowsBody } from '../domain/people/import-rows-schema.ts'
import { listUndoable, mergeByHand } from '../domain/people/merge-by-hand.ts'
import {
  AddressesBody,
  MergeAnswer,
  MergeBody,
  MergeList,
  MergeParams,
  UnmergedAnswer,
} from '../domain/people/merge-schema.ts'
import { setAddresses } from '../domain/people/set-addresses.ts'
import { undoMerge } from '../domain/people/undo-merge.ts'
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

  app.patch(
    '/contacts/:contactId/addresses',
    {
      config: { permission: 'manage_contacts' },
      schema: {
        operationId: 'consoleSetAddresses',
        summary: "Set a contact's email and phone number",
        params: ContactParams,
        body: AddressesBody,
        response: {
          200: ContactProfile,
          ...errors('CONTACT_NOT_FOUND', 'CONTACT_CONFLICT', 'CONTACT_BEING_DELETED'),
        },
      },
    },
    ({ ctx, params: { contactId }, body }) => setAddresses(ctx, contactId, body),
  )

  app.post(
    '/contacts/:contactId/merges',
    {
      config: { permission: 'manage_contacts' },
      schema: {
        operationId: 'consoleMergeContacts',
        summary: 'Merge another contact into this one',
        params: ContactParams,
        body: MergeBody,
        response: { 200: MergeAnswer, ...errors('CONTACT_NOT_FOUND', 'CONTACT_BEING_DELETED') },
      },
    },
    ({ ctx, params: { contactId }, body }) => mergeByHand(ctx, contactId, body),
  )

  app.get(
    '/contacts/:contactId/merges',
    {
      config: { permission: 'manage_contacts' },
      schema: {
        operationId: 'consoleListMerges',
        summary: 'List the merges into a contact that can be undone',
        params: ContactParams,
        response: { 200: MergeList, ...errors('CONTACT_NOT_FOUND') },
      },
    },
    ({ ctx, params: { contactId } }) => listUndoable(ctx, contactId),
  )

  app.post(
    '/contacts/:contactId/merges/:mergeId/undo',
    {
      config: { permission: 'manage_contacts' },
      schema: {
        operationId: 'consoleUndoMerge',
        summary: 'Undo a merge',
        params: MergeParams,
        response: { 200: UnmergedAnswer, ...errors('CONTACT_NOT_FOUND', 'MERGE_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => undoMerge(ctx, params),
  )

  app.post(
    '/contacts/import-rows',
    {
      config: { permission: 'manage_contacts' },
      schema: {
        operationId: 'consoleImportContactRows',
        summary: 'Create or update contacts from rows of a table',
        body: ImportRowsBody,
        response: { 200: ImportRowsAnswer, ...errors('FORBIDDEN') },
      },
    },
    ({ ctx, body }) => importRows(ctx, body),
  )
}
