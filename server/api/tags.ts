import { listTags } from '../domain/tags/queries.ts'
import { NewTag, TagAnswer, TagChange, TagList, TagParams, TagRemoved } from '../domain/tags/schema.ts'
import { createTag, deleteTag, updateTag } from '../domain/tags/tags.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerTags = (app: App): void => {
  app.get(
    '/tags',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listTags',
        tags: ['Tags'],
        summary: 'List tags',
        description: 'All tags of the workspace, ordered by name.',
        response: { 200: TagList },
      },
    },
    async (request) => ({ tags: await listTags(request.ctx) }),
  )

  app.post(
    '/tags',
    {
      config: { budget: 'change', scope: 'tags:write', permission: 'manage_tags' },
      schema: {
        operationId: 'createTag',
        tags: ['Tags'],
        summary: 'Create a tag',
        description: 'Names are unique, ignoring case. A workspace can have up to 1,000 tags.',
        body: NewTag,
        response: { 200: TagAnswer },
      },
    },
    async ({ ctx, body }) => ({ tag: await createTag(ctx, body) }),
  )

  app.patch(
    '/tags/:tagId',
    {
      config: { budget: 'change', scope: 'tags:write', permission: 'manage_tags' },
      schema: {
        operationId: 'updateTag',
        tags: ['Tags'],
        summary: 'Update a tag',
        description: 'Renames or recolors the tag on every contact that has it.',
        params: TagParams,
        body: TagChange,
        response: { 200: TagAnswer, ...errors('TAG_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => updateTag(ctx, params.tagId, body),
  )

  app.delete(
    '/tags/:tagId',
    {
      config: { budget: 'change', scope: 'tags:write', permission: 'manage_tags' },
      schema: {
        operationId: 'deleteTag',
        tags: ['Tags'],
        summary: 'Delete a tag',
        description: 'Deletes the tag and removes it from all contacts.',
        params: TagParams,
        response: { 200: TagRemoved, ...errors('TAG_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteTag(ctx, params.tagId),
  )
}
