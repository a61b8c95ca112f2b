// Contact groups are created and edited in the console, where they may have very many members: nothing here returns
// all of them at once.

import { addGroupMembers, removeGroupMembers } from '../domain/contact-groups/change-members.ts'
import {
  createContactGroup,
  deleteContactGroup,
  getGroupSummary,
  updateContactGroup,
} from '../domain/contact-groups/contact-groups.ts'
import { listGroupMembers, listGroupSummaries } from '../domain/contact-groups/member-queries.ts'
import {
  AddMembers,
  GroupAnswer,
  GroupChange,
  GroupMembers,
  GroupMembersQuery,
  GroupParams,
  GroupRemoved,
  GroupSummaryList,
  MembersAdded,
  MembersRemoved,
  NewGroup,
  RemoveMembers,
} from '../domain/contact-groups/schema.ts'
import { ApiError } from '../platform/errors.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const MANAGE = { permission: 'manage_groups' } as const

export const registerContactGroupsConsoleRoutes = (app: App): void => {
  app.get(
    '/contact-group-summaries',
    {
      config: { permission: ['manage_groups', 'send_broadcasts'] },
      schema: {
        operationId: 'consoleListGroupSummaries',
        summary: 'List contact groups without their members',
        response: { 200: GroupSummaryList },
      },
    },
    async ({ ctx }) => ({ groups: await listGroupSummaries(ctx) }),
  )

  app.post(
    '/contact-groups',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleCreateGroup',
        summary: 'Create a contact group',
        body: NewGroup,
        response: { 200: GroupAnswer },
      },
    },
    async ({ ctx, body }) => {
      const { id } = await createContactGroup(ctx, { contactIds: [], ...body }, 'contactIds')
      return getGroupSummary(ctx, id)
    },
  )

  app.patch(
    '/contact-groups/:groupId',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleUpdateGroup',
        summary: 'Update a contact group',
        params: GroupParams,
        body: GroupChange,
        response: { 200: GroupAnswer, ...errors('CONTACT_GROUP_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => updateContactGroup(ctx, params.groupId, body),
  )

  app.delete(
    '/contact-groups/:groupId',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleDeleteGroup',
        summary: 'Delete a contact group',
        description: 'Its contacts and past broadcasts are kept.',
        params: GroupParams,
        response: { 200: GroupRemoved, ...errors('CONTACT_GROUP_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteContactGroup(ctx, params.groupId),
  )
  registerMembers(app)
}

const registerMembers = (app: App): void => {
  app.get(
    '/contact-groups/:groupId/members',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleListGroupMembers',
        summary: 'List the members of a contact group',
        params: GroupParams,
        querystring: GroupMembersQuery,
        response: { 200: GroupMembers, ...errors('CONTACT_GROUP_NOT_FOUND') },
      },
    },
    async ({ ctx, params, query }) => {
      const page = await listGroupMembers(ctx, params.groupId, query)
      if (!page) throw new ApiError('CONTACT_GROUP_NOT_FOUND')
      return page
    },
  )

  app.post(
    '/contact-groups/:groupId/members',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleAddGroupMembers',
        summary: 'Add contacts to a contact group',
        description:
          'Adds contacts by id, all contacts that match a filter, or contacts found by pasted phone numbers and emails. Existing members are kept.',
        params: GroupParams,
        body: AddMembers,
        response: { 200: MembersAdded, ...errors('CONTACT_GROUP_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => addGroupMembers(ctx, params.groupId, body),
  )

  app.post(
    '/contact-groups/:groupId/members/remove',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleRemoveGroupMembers',
        summary: 'Remove contacts from a contact group',
        params: GroupParams,
        body: RemoveMembers,
        response: { 200: MembersRemoved, ...errors('CONTACT_GROUP_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => removeGroupMembers(ctx, params.groupId, body),
  )
}
