// Tags are made and changed in the console; which contact has which, the API changes too.
import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { createTag } from './create-tag.ts'
import { deleteTag } from './delete-tag.ts'
import { NewTag, TagAnswer, TagChange, TagParams, TagRemoved } from './schema.ts'
import { updateTag } from './update-tag.ts'

export const registerTagsConsoleRoutes = (app: App): void => {
  app.post(
    '/tags',
    {
      config: { permission: 'manage_tags' },
      schema: {
        operationId: 'consoleCreateTag',
        summary: 'Make a tag',
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
        summary: 'Rename or recolour a tag',
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
        summary: 'Remove a tag',
        description: 'Contacts that have it lose it.',
        params: TagParams,
        response: { 200: TagRemoved, ...errors('NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteTag(ctx, params.tagId),
  )
}
