import type { FastifyReply, FastifyRequest } from 'fastify'
import { ID_PATTERN } from '../../platform/db/id.ts'
import type { ApiDeps, App } from '../../platform/http/api.ts'
import { type Connected, makeAccounts } from '../accounts.ts'
import { makeItemIngest } from '../items/take-items.ts'
import { prepareWebhook } from '../webhook-scope.ts'

/** An empty response: any other body would be sent as an SMS. */
const NO_ANSWER = '<?xml version="1.0" encoding="UTF-8"?><Response/>'

/** A text of 1,600 characters and ten media URLs are a tenth of it. */
const SMS_MAX_BYTES = 256 * 1024

type Params = { channelId: string; attemptId?: string }

/** Registers the routes under /webhooks/sms: inbound messages, and the status of outbound ones. */
export const registerSmsWebhook = (app: App, deps: ApiDeps & { config: { publicUrl: string } }): void => {
  const { sms } = deps.channels
  const accounts = makeAccounts(deps, 'sms')
  const webhook = prepareWebhook(app, deps, accounts, {
    signatureHeader: 'x-twilio-signature',
    bodyMaxBytes: SMS_MAX_BYTES,
  })
  const ingest = makeItemIngest(app, deps, 'sms')

  type Form = NonNullable<ReturnType<typeof sms.readForm>>
  type Take = (connected: Connected<'sms'>, form: Form) => Promise<void>

  const handle =
    (take: Take) =>
    async (request: FastifyRequest<{ Params: Params }>, reply: FastifyReply): Promise<unknown> => {
      const { connected, signature } = webhook.deliveredTo(request)
      const text = webhook.rawOf(request.body).toString('utf8')
      const form = sms.readForm(text)
      const proof = {
        // As configured at Twilio, whatever proxies made of it on the way.
        url: `${deps.config.publicUrl}${request.originalUrl}`,
        signature,
      }
      if (!form || !sms.isSigned(connected.secrets.authToken, { ...proof, form }))
        return webhook.refuseSigned(request.ip, connected)
      await take(connected, form)
      await webhook.noteAccepted(connected)
      return reply.type('text/xml; charset=utf-8').send(NO_ANSWER)
    }

  app.post<{ Params: Params }>(
    '/:channelId',
    webhook.delivery,
    handle((connected, form) =>
      ingest.take(connected, [sms.parseMessage(form, connected.settings.accountSid)]),
    ),
  )
  app.post<{ Params: Params }>('/:channelId/status/:attemptId', webhook.delivery, async (request, reply) =>
    handle((connected, form) =>
      ingest.take(
        connected,
        sms.parseStatus(form, connected.settings.accountSid, idIn(request.params.attemptId)),
      ),
    )(request, reply),
  )
  webhook.refuseRest()
}

const idIn = (text = ''): string | null => (ID_PATTERN.test(text) ? text : null)
