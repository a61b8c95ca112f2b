// Saved views of the inbox: everybody has their own; the team's are for those who see all conversations.
import {
  deleteView,
  listSavedViews,
  type OwnedView,
  orderViews,
  saveView,
} from '../domain/saved-views/saved-views.ts'
import {
  NewSavedView,
  SavedViewChanged,
  SavedViewList,
  SavedViewOrder,
  SavedViewParams,
} from '../domain/saved-views/schema.ts'
import { personId } from '../platform/ctx/actor.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerSavedViewsConsoleRoutes = (app: App): void => {
  app.get(
    '/saved-views',
    {
      schema: {
        operationId: 'consoleListSavedViews',
        summary: 'List saved views',
        description: 'The team’s and your own, in their order.',
        response: { 200: SavedViewList },
      },
    },
    async ({ ctx }) => ({ views: await listSavedViews(ctx, personId(ctx.actor)) }),
  )
  registerWrites(app, 'own')
  registerWrites(app, 'shared')
}

const KINDS = {
  own: { name: 'Own', label: 'your own saved views', config: {} },
  shared: {
    name: 'Shared',
    label: 'the team’s saved views',
    config: { permission: 'see_all_conversations' },
  },
} as const

const registerWrites = (app: App, kind: keyof typeof KINDS): void => {
  const { name, label, config } = KINDS[kind]
  const ownerOf = (ctx: Ctx): string | null => (kind === 'own' ? personId(ctx.actor) : null)
  const owned = (ctx: Ctx, id: string): OwnedView => ({ id, ownerId: ownerOf(ctx) })

  app.put(
    `/saved-views/${kind}/:viewId`,
    {
      config,
      schema: {
        operationId: `consoleSave${name}View`,
        summary: `Create or replace one of ${label}`,
        params: SavedViewParams,
        body: NewSavedView,
        response: { 200: SavedViewChanged, ...errors('NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => saveView(ctx, owned(ctx, params.viewId), body),
  )

  app.delete(
    `/saved-views/${kind}/:viewId`,
    {
      config,
      schema: {
        operationId: `consoleDelete${name}View`,
        summary: `Delete one of ${label}`,
        params: SavedViewParams,
        response: { 200: SavedViewChanged },
      },
    },
    ({ ctx, params }) => deleteView(ctx, owned(ctx, params.viewId)),
  )

  app.put(
    `/saved-view-order/${kind}`,
    {
      config,
      schema: {
        operationId: `consoleOrder${name}Views`,
        summary: `Put ${label} in another order`,
        body: SavedViewOrder,
        response: { 200: SavedViewChanged },
      },
    },
    ({ ctx, body }) => orderViews(ctx, ownerOf(ctx), body.ids),
  )
}
