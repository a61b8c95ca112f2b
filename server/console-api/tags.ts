// Tags are created and edited in the console; a contact's tags can also be changed through the API.

import { NewTag, TagAnswer, TagChange, TagParams, TagRemoved } from '../domain/tags/schema.ts'
import { createTag, deleteTag, updateTag } from '../domain/tags/tags.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerTagsConsoleRoutes = (app: App): void => {
  app.post(
    '/tags',
    {
      config: { permission: 'manage_tags' },
      schema: {
        operationId: 'consoleCreateTag',
        summary: 'Create a tag',
        body: NewTag,
        response: { 200: TagAnswer },
      },
    },
    async ({ ctx, body }) => ({ tag: await createTag(ctx, body) }),
  )

  app.patch(
    '/tags/:tagId',
    {
      config: { permission: 'manage_tags' },
      schema: {
        operationId: 'consoleUpdateTag',
        summary: 'Update a tag',
        params: TagParams,
        body: TagChange,
        response: { 200: TagAnswer, ...errors('NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => updateTag(ctx, params.tagId, body),
  )

  app.delete(
    '/tags/:tagId',
    {
      config: { permission: 'manage_tags' },
      schema: {
        operationId: 'consoleDeleteTag',
        summary: 'Delete a tag',
        description: 'It is removed from all contacts.',
        params: TagParams,
        response: { 200: TagRemoved, ...errors('NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteTag(ctx, params.tagId),
  )
}
