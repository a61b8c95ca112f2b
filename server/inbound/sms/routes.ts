import type { FastifyReply, FastifyRequest } from 'fastify'
import { ID_PATTERN } from '../../db/id.ts'
import type { ApiDeps, App } from '../../http/api.ts'
import { type Connected, makeAccounts } from '../accounts.ts'
import { makeSocialIngest } from '../social/ingest-social.ts'
import { headerOf, prepareWebhook, WEBHOOK_MAX_BYTES } from '../webhook-scope.ts'

/** Says nothing: a body of another type would go out as an SMS. */
const NO_ANSWER = '<?xml version="1.0" encoding="UTF-8"?><Response/>'

type Params = { channelId: string; attemptId?: string }

/** Registers the routes under /webhooks/sms: messages that come in, and what becomes of those that went out. */
export const registerSmsWebhook = (app: App, deps: ApiDeps & { config: { publicUrl: string } }): void => {
  const { sms } = deps.channels
  const accounts = makeAccounts(deps, 'sms', {
    nameOf: ({ address }) => address ?? '',
    secretOf: ({ authToken }) => authToken,
  })
  const webhook = prepareWebhook(app, deps, accounts)
  const ingest = makeSocialIngest(app, deps, 'sms')

  type Form = NonNullable<ReturnType<typeof sms.readForm>>
  type Take = (connected: Connected<'sms'>, form: Form) => Promise<void>

  const handle =
    (take: Take) =>
    async (request: FastifyRequest<{ Params: Params }>, reply: FastifyReply): Promise<unknown> => {
      const { params, headers, body, ip } = request
      const connected = await webhook.connectedOf(params.channelId, ip)
      const text = webhook.rawOf(body).toString('utf8')
      const form = sms.readForm(text)
      const proof = {
        // As Twilio has it configured, whatever proxies made of it on the way.
        url: `${deps.config.publicUrl}${request.originalUrl}`,
        signature: headerOf(headers['x-twilio-signature']),
      }
      if (!form || !sms.isSigned(connected.secrets.authToken, { ...proof, form }))
        return webhook.refuseProof(ip)
      await take(connected, form)
      return reply.type('text/xml; charset=utf-8').send(NO_ANSWER)
    }

  app.post<{ Params: Params }>(
    '/:channelId',
    { bodyLimit: WEBHOOK_MAX_BYTES },
    handle((connected, form) =>
      ingest.take(connected, [sms.parseMessage(form, connected.settings.accountSid)]),
    ),
  )
  app.post<{ Params: Params }>(
    '/:channelId/status/:attemptId',
    { bodyLimit: WEBHOOK_MAX_BYTES },
    async (request, reply) =>
      handle((connected, form) =>
        ingest.take(
          connected,
          sms.parseStatus(form, connected.settings.accountSid, idIn(request.params.attemptId)),
        ),
      )(request, reply),
  )
  webhook.refuseOthers()
}

const idIn = (text = ''): string | null => (ID_PATTERN.test(text) ? text : null)
