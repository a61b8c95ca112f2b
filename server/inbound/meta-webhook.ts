// The webhook as Meta has it for WhatsApp and for Messenger: a handshake by GET, deliveries signed with the app's secret.
import type { ApiDeps, App } from '../http/api.ts'
import { type Connected, makeAccounts } from './accounts.ts'
import { headerOf, prepareWebhook, WEBHOOK_MAX_BYTES } from './webhook-scope.ts'

type Params = { channelId: string }

type MetaChannel<C extends 'whatsapp' | 'facebook'> = {
  channel: C
  /** The provider's name of an account in what it sends. */
  nameOf: Parameters<typeof makeAccounts<C>>[2]['nameOf']
  /** Stores what a proven delivery brought. */
  take: (connected: Connected<C>, body: string) => Promise<void>
}

export const registerMetaWebhook = <C extends 'whatsapp' | 'facebook'>(
  app: App,
  deps: ApiDeps,
  { channel, nameOf, take }: MetaChannel<C>,
): void => {
  const { isSigned, answerHandshake } = deps.channels[channel]
  // One app has one address for the webhooks of all its numbers and pages. The app's secret is what they have in common.
  const accounts = makeAccounts(deps, channel, { nameOf, secretOf: ({ appSecret }) => appSecret })
  const webhook = prepareWebhook(app, deps, accounts)

  app.get<{ Params: Params; Querystring: Record<string, unknown> }>(
    '/:channelId',
    { exposeHeadRoute: false },
    async ({ params, query, ip }, reply) => {
      const { secrets } = await webhook.connectedOf(params.channelId, ip)
      const challenge = answerHandshake(query, secrets.verifyToken)
      if (challenge === undefined) return webhook.refuseProof(ip)
      // Whatever it holds, no browser is to take it for a page.
      return reply
        .type('text/plain; charset=utf-8')
        .header('x-content-type-options', 'nosniff')
        .send(challenge)
    },
  )

  app.post<{ Params: Params }>(
    '/:channelId',
    { bodyLimit: WEBHOOK_MAX_BYTES },
    async ({ params, headers, body, ip }) => {
      const connected = await webhook.connectedOf(params.channelId, ip)
      const raw = webhook.rawOf(body)
      const signature = headerOf(headers['x-hub-signature-256'])
      if (!isSigned(raw, signature, [connected.secrets.appSecret])) return webhook.refuseProof(ip)
      await take(connected, raw.toString('utf8'))
      return { success: true }
    },
  )
  webhook.refuseOthers()
}
