import type { ApiDeps, App } from '../../http/api.ts'
import { makeAccounts } from '../accounts.ts'
import { makeSocialIngest } from '../social/ingest-social.ts'
import { headerOf, prepareWebhook, WEBHOOK_MAX_BYTES } from '../webhook-scope.ts'

/**
 * Registers the route under /webhooks/telegram. The answer may be a call of the Bot API itself, which Telegram then
 * makes: a tapped button stops turning by it. https://core.telegram.org/bots/api#making-requests-when-getting-updates
 */
export const registerTelegramWebhook = (app: App, deps: ApiDeps): void => {
  const { telegram } = deps.channels
  const accounts = makeAccounts(deps, 'telegram', {
    nameOf: ({ id }) => id,
    secretOf: ({ botToken }) => botToken,
  })
  const webhook = prepareWebhook(app, deps, accounts)
  const ingest = makeSocialIngest(app, deps, 'telegram')

  app.post<{ Params: { channelId: string } }>(
    '/:channelId',
    { bodyLimit: WEBHOOK_MAX_BYTES },
    async ({ params, headers, body, ip }) => {
      const connected = await webhook.connectedOf(params.channelId, ip)
      const secret = headerOf(headers['x-telegram-bot-api-secret-token'])
      if (!telegram.isAuthentic(secret, connected.secrets.webhookSecret)) return webhook.refuseProof(ip)
      const { items, answer } = telegram.parseUpdate(webhook.rawOf(body).toString('utf8'))
      await ingest.take(connected, items)
      return answer
    },
  )
  webhook.refuseOthers()
}
