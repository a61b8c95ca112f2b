import type { ApiDeps, App } from '../../platform/http/api.ts'
import { makeAccounts } from '../accounts.ts'
import { makeItemIngest } from '../items/take-items.ts'
import { prepareWebhook } from '../webhook-scope.ts'

/**
 * Registers the route under /webhooks/telegram. The response may be a Bot API call, which Telegram then makes: it
 * stops the spinner of a tapped button. https://core.telegram.org/bots/api#making-requests-when-getting-updates
 */
export const registerTelegramWebhook = (app: App, deps: ApiDeps): void => {
  const { telegram } = deps.channels
  const accounts = makeAccounts(deps, 'telegram')
  const webhook = prepareWebhook(app, deps, accounts, {
    signatureHeader: 'x-telegram-bot-api-secret-token',
  })
  const ingest = makeItemIngest(app, deps, 'telegram')

  app.post<{ Params: { channelId: string } }>(
    '/:channelId',
    {
      ...webhook.delivery,
      // The header authenticates it, whatever the body says.
      onRequest: async (request) => {
        await webhook.delivery.onRequest(request)
        const { connected, signature } = webhook.deliveredTo(request)
        if (!telegram.isAuthentic(signature, connected.secrets.webhookSecret))
          return webhook.refuseSigned(request.ip, connected)
      },
    },
    async (request) => {
      const { connected } = webhook.deliveredTo(request)
      const { items, answer } = telegram.parseUpdate(webhook.rawOf(request.body).toString('utf8'))
      await ingest.take(connected, items)
      await webhook.noteAccepted(connected)
      return answer
    },
  )
  webhook.refuseRest()
}
