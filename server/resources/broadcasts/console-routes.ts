// What people see of broadcasts beyond what programs do: who would be reached, who was, and a table of it.
import { Readable } from 'node:stream'
import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { listBroadcastRecipients } from './list-recipients.ts'
import { previewAudience } from './preview-audience.ts'
import { exportRecipients } from './recipients-csv.ts'
import { AudiencePreview, BroadcastParams, PreviewBody, RecipientList, RecipientsQuery } from './schema.ts'

const SEND = { permission: 'send_broadcasts' } as const

export const registerBroadcastsConsoleRoutes = (app: App): void => {
  app.post(
    '/broadcasts/preview',
    {
      config: SEND,
      schema: {
        operationId: 'consolePreviewBroadcast',
        summary: 'See whom a broadcast would reach',
        description: 'Sends nothing. The sample is of at most 50 people, also of those who are left out.',
        body: PreviewBody,
        response: {
          200: AudiencePreview,
          ...errors('WHATSAPP_NOT_CONNECTED', 'WHATSAPP_TEMPLATE_NOT_FOUND', 'CONTACT_GROUP_NOT_FOUND'),
        },
      },
    },
    ({ ctx, body }) => previewAudience(ctx, body),
  )

  app.get(
    '/broadcasts/:broadcastId/recipients',
    {
      config: SEND,
      schema: {
        operationId: 'consoleListRecipients',
        summary: 'List the recipients of a broadcast',
        description: 'What became of each, in the order in which they became contacts.',
        params: BroadcastParams,
        querystring: RecipientsQuery,
        response: { 200: RecipientList, ...errors('BROADCAST_NOT_FOUND') },
      },
    },
    ({ ctx, params, query }) => listBroadcastRecipients(ctx, { ...params, ...query }),
  )

  app.get(
    '/broadcasts/:broadcastId/recipients.csv',
    {
      config: SEND,
      schema: {
        operationId: 'consoleExportRecipients',
        summary: 'Download the recipients of a broadcast as a table',
        params: BroadcastParams,
        response: errors('BROADCAST_NOT_FOUND'),
      },
    },
    async ({ ctx, params }, reply) => {
      const { fileName, text } = await exportRecipients(ctx, params.broadcastId)
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${fileName}"`)
      return reply.send(Readable.from(text)) as never
    },
  )
}
