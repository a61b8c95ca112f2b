// HTTP actions. Admins define and try them; every member may read what flows need to offer them.
import { listActions } from '../domain/actions/queries.ts'
import {
  createAction,
  deleteAction,
  getAction,
  showAction,
  summarizeAction,
  updateAction,
} from '../domain/actions/save-action.ts'
import {
  ActionAnswer,
  ActionList,
  ActionParams,
  ActionRemoved,
  ActionTrial,
  NewAction,
  TriedAction,
} from '../domain/actions/schema.ts'
import { tryAction } from '../domain/actions/try-action.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerActionsConsoleRoutes = (app: App): void => {
  app.get(
    '/actions',
    {
      schema: {
        operationId: 'consoleListActions',
        summary: 'List actions',
        response: { 200: ActionList },
      },
    },
    async ({ ctx }) => ({ actions: (await listActions(ctx)).map(summarizeAction) }),
  )

  app.get(
    '/actions/:actionId',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleGetAction',
        summary: 'Get an action',
        params: ActionParams,
        response: { 200: ActionAnswer, ...errors('NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => ({ action: showAction(await getAction(ctx, params.actionId)) }),
  )

  app.post(
    '/actions',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleCreateAction',
        summary: 'Create an action',
        body: NewAction,
        response: { 200: ActionAnswer },
      },
    },
    async ({ ctx, body }) => ({ action: await createAction(ctx, body) }),
  )

  app.put(
    '/actions/:actionId',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleUpdateAction',
        summary: 'Replace an action',
        description: 'Headers without a value keep the stored one, unless the host changes.',
        params: ActionParams,
        body: NewAction,
        response: { 200: ActionAnswer, ...errors('NOT_FOUND') },
      },
    },
    async ({ ctx, params, body }) => ({ action: await updateAction(ctx, params.actionId, body) }),
  )

  app.delete(
    '/actions/:actionId',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleDeleteAction',
        summary: 'Delete an action',
        params: ActionParams,
        response: { 200: ActionRemoved, ...errors('NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteAction(ctx, params.actionId),
  )

  app.post(
    '/actions/:actionId/try',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleTryAction',
        summary: 'Call an action and see what comes of it',
        params: ActionParams,
        body: ActionTrial,
        response: { 200: TriedAction, ...errors('NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => tryAction(ctx, params.actionId, body.parameters),
  )
}
