// Meta's webhook for WhatsApp and Messenger: a handshake by GET, deliveries signed with the app secret.
import type { ApiDeps, App } from '../platform/http/api.ts'
import { type Connected, makeAccounts } from './accounts.ts'
import { prepareWebhook } from './webhook-scope.ts'

type Params = { channelId: string }

type MetaChannel<C extends 'whatsapp' | 'facebook'> = {
  channel: C
  /** Stores a verified delivery. */
  take: (connected: Connected<C>, body: string) => Promise<void>
}

export const registerMetaWebhook = <C extends 'whatsapp' | 'facebook'>(
  app: App,
  deps: ApiDeps,
  { channel, take }: MetaChannel<C>,
): void => {
  const { isSigned, answerHandshake } = deps.channels[channel]
  const accounts = makeAccounts(deps, channel)
  const webhook = prepareWebhook(app, deps, accounts, { signatureHeader: 'x-hub-signature-256' })

  app.get<{ Params: Params; Querystring: Record<string, unknown> }>(
    '/:channelId',
    { exposeHeadRoute: false },
    async (request, reply) => {
      const { query, ip } = request
      const { secrets } = await webhook.connectedOf(request)
      const challenge = answerHandshake(query, secrets.verifyToken)
      if (challenge === undefined) return webhook.refuseProof(ip)
      // Whatever it contains, a browser must not treat it as a page.
      return reply
        .type('text/plain; charset=utf-8')
        .header('x-content-type-options', 'nosniff')
        .send(challenge)
    },
  )

  app.post<{ Params: Params }>('/:channelId', webhook.delivery, async (request) => {
    const { connected, signature } = webhook.deliveredTo(request)
    const raw = webhook.rawOf(request.body)
    if (!isSigned(raw, signature, [connected.secrets.appSecret]))
      return webhook.refuseSigned(request.ip, connected)
    await take(connected, raw.toString('utf8'))
    await webhook.noteAccepted(connected)
    return { success: true }
  })
  webhook.refuseRest()
}
