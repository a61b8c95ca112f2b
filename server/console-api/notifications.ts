// How a person is notified, in all of their workspaces, and the browsers that show it.

import { ensurePushKeys } from '../domain/notifications/push-keys.ts'
import {
  NewSubscription,
  NotificationSettings,
  NotificationsSaved,
  OwnNotifications,
  Paused,
  SubscriptionRef,
} from '../domain/notifications/schema.ts'
import { getSettings, pauseNotifications, saveSettings } from '../domain/notifications/settings.ts'
import { deleteOwnSubscription } from '../domain/notifications/subscription-queries.ts'
import { subscribe } from '../domain/notifications/subscriptions.ts'
import type { App } from '../platform/http/api.ts'
import type { SessionDeps } from './sessions.ts'

const DONE = { success: true as const }

export const registerOwnNotifications = (app: App, deps: SessionDeps): void => {
  app.get(
    '/notifications',
    { schema: { operationId: 'consoleGetNotifications', response: { 200: OwnNotifications } } },
    async ({ session }) => {
      const [own, { publicKey }] = await Promise.all([
        getSettings(deps, session.accountId),
        ensurePushKeys(deps),
      ])
      return { ...own, pushKey: publicKey, sendsMail: deps.sendsMail }
    },
  )

  app.put(
    '/notifications',
    {
      schema: {
        operationId: 'consoleSaveNotifications',
        body: NotificationSettings,
        response: { 200: NotificationsSaved },
      },
    },
    async ({ session, body }) => {
      await saveSettings(deps, session.accountId, body)
      return DONE
    },
  )

  app.put(
    '/notifications/pause',
    {
      schema: {
        operationId: 'consolePauseNotifications',
        body: Paused,
        response: { 200: NotificationsSaved },
      },
    },
    async ({ session, body }) => {
      await pauseNotifications(deps, session.accountId, body.until)
      return DONE
    },
  )

  app.put(
    '/notifications/subscription',
    {
      schema: {
        operationId: 'consoleSubscribeBrowser',
        body: NewSubscription,
        response: { 200: NotificationsSaved },
      },
    },
    async ({ session, body }) => {
      await subscribe(deps, session, body)
      return DONE
    },
  )

  app.post(
    '/notifications/subscription/end',
    {
      schema: {
        operationId: 'consoleUnsubscribeBrowser',
        body: SubscriptionRef,
        response: { 200: NotificationsSaved },
      },
    },
    async ({ session, body }) => {
      await deleteOwnSubscription(deps, { ...session, ...body })
      return DONE
    },
  )
}
