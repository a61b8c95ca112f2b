// WhatsApp's webhook: outside /api/v1, proven by a signature, with limits of its own. A proven delivery is answered with
// 200 once what it brought is stored, whether we understood it or not: the provider would send it again for a week.
import { ID_PATTERN } from '../../db/id.ts'
import { ApiError } from '../../errors.ts'
import { type ApiDeps, type App, ctxOf, watchMethods } from '../../http/api.ts'
import { type Connected, makeAccounts } from './accounts.ts'
import { makeIngest } from './ingest.ts'

/** The provider sends up to 3 MB. */
export const WEBHOOK_MAX_BYTES = 3 * 1024 * 1024
/** Deliveries without a good proof from one address, a minute. Those with one are never held back. */
export const FAILURES_PER_IP = 60

type Params = { channelId: string }

/** Registers the routes under /webhooks/whatsapp. */
export const registerWhatsappWebhook = (app: App, deps: ApiDeps): void => {
  const { whatsapp } = deps.channels
  const accounts = makeAccounts(deps)
  const ingest = makeIngest((workspaceId) =>
    ctxOf(deps, app.log, workspaceId, { type: 'customer', contactId: null }),
  )
  const methods = watchMethods(app as never)

  const refuse = async (ip: string, error: ApiError): Promise<never> => {
    const spent = await deps.limiter?.take(`webhook:${ip}`, FAILURES_PER_IP)
    if (spent?.isExceeded)
      throw new ApiError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': String(spent.resetSeconds) } })
    throw error
  }
  const connectedOf = async (channelId: string, ip: string): Promise<Connected> => {
    const connected = ID_PATTERN.test(channelId) ? await accounts.find(channelId) : undefined
    return connected ?? refuse(ip, new ApiError('CHANNEL_NOT_FOUND'))
  }

  app.setNotFoundHandler(() => {
    throw new ApiError('NOT_FOUND')
  })
  // The signature covers the bytes of the wire, so nothing is parsed before it was checked.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: WEBHOOK_MAX_BYTES }, (_request, body, done) =>
    done(null, body),
  )

  app.get<{ Params: Params; Querystring: Record<string, unknown> }>(
    '/:channelId',
    { exposeHeadRoute: false },
    async ({ params, query, ip }, reply) => {
      const { secrets } = await connectedOf(params.channelId, ip)
      const challenge = whatsapp.answerHandshake(query, secrets.verifyToken)
      if (challenge === undefined) return refuse(ip, new ApiError('INVALID_SIGNATURE'))
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
      const connected = await connectedOf(params.channelId, ip)
      const raw = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
      const signature = headers['x-hub-signature-256']
      const { appSecret } = connected.secrets
      if (!whatsapp.isSigned(raw, typeof signature === 'string' ? signature : undefined, [appSecret]))
        return refuse(ip, new ApiError('INVALID_SIGNATURE'))
      await ingest.take(connected, whatsapp.parseWebhook(raw.toString('utf8')))
      return { success: true }
    },
  )
  methods.refuseOthers()
}
