// Broadcast features only for people: recipients before and after sending, and their export as a table.
import { Readable } from 'node:stream'
import { controlBroadcast, getBroadcastResults } from '../domain/broadcasts/control-broadcast.ts'
import { listBroadcastRecipients } from '../domain/broadcasts/list-recipients.ts'
import { previewAudience } from '../domain/broadcasts/preview-audience.ts'
import { exportRecipients } from '../domain/broadcasts/recipients-csv.ts'
import {
  AudiencePreview,
  BroadcastAnswer,
  BroadcastParams,
  BroadcastResults,
  PreviewBody,
  RecipientList,
  RecipientsQuery,
} from '../domain/broadcasts/schema.ts'
import { isTestSettled, settleTests, testBroadcast } from '../domain/broadcasts/test-broadcast.ts'
import {
  BroadcastTests,
  HeaderCheck,
  HeaderFits,
  TestBroadcastBody,
} from '../domain/broadcasts/test-schema.ts'
import { checkHeaderFile, findHeaderUpload } from '../domain/templates/header-file.ts'
import { prepareTemplate } from '../domain/templates/prepare-template.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const SEND = { permission: 'send_broadcasts' } as const

export const registerBroadcastsConsoleRoutes = (app: App): void => {
  registerTests(app)

  app.post(
    '/broadcasts/preview',
    {
      config: SEND,
      schema: {
        operationId: 'consolePreviewBroadcast',
        summary: 'Preview the recipients of a broadcast',
        description: 'Sends nothing. The sample has at most 50 people, including skipped ones.',
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
        description: 'Each recipient with the outcome, in the order they became contacts.',
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
        summary: 'Download the recipients of a broadcast as CSV',
        params: BroadcastParams,
        response: errors('BROADCAST_NOT_FOUND'),
      },
    },
    async ({ ctx, params }, reply) => {
      const { fileName, text } = await exportRecipients(ctx, params.broadcastId)
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${fileName}"`)
      return reply.send(Readable.from(text))
    },
  )

  app.get(
    '/broadcasts/:broadcastId/results',
    {
      config: SEND,
      schema: {
        operationId: 'consoleGetBroadcastResults',
        summary: 'Count what became of a broadcast’s messages',
        params: BroadcastParams,
        response: { 200: BroadcastResults, ...errors('BROADCAST_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getBroadcastResults(ctx, params.broadcastId),
  )

  for (const verb of ['pause', 'resume', 'cancel'] as const)
    app.post(
      `/broadcasts/:broadcastId/${verb}`,
      {
        config: SEND,
        schema: {
          operationId: CONTROLS[verb].operationId,
          summary: CONTROLS[verb].summary,
          params: BroadcastParams,
          response: { 200: BroadcastAnswer, ...errors('BROADCAST_NOT_FOUND') },
        },
      },
      async ({ ctx, params }) => ({ broadcast: await controlBroadcast(ctx, { ...params, verb }) }),
    )
}

const registerTests = (app: App): void => {
  app.post(
    '/broadcasts/test',
    {
      config: {
        ...SEND,
        settling: { isSettled: isTestSettled, settle: settleTests },
      },
      preHandler: ({ ctx, body }) => prepareTemplate(ctx, body),
      schema: {
        operationId: 'consoleTestBroadcast',
        summary: 'Send a test of a broadcast',
        description:
          'To at most five people. The messages are marked as tests and counted nowhere. Waits up to five seconds for WhatsApp.',
        body: TestBroadcastBody,
        response: {
          200: BroadcastTests,
          ...errors('WHATSAPP_NOT_CONNECTED', 'WHATSAPP_TEMPLATE_NOT_FOUND'),
        },
      },
    },
    ({ ctx, body }) => testBroadcast(ctx, body),
  )

  app.post(
    '/broadcasts/check-header',
    {
      config: SEND,
      schema: {
        operationId: 'consoleCheckHeader',
        summary: 'Check an uploaded file for a template’s header',
        body: HeaderCheck,
        response: { 200: HeaderFits },
      },
    },
    async ({ ctx, body }) => {
      await findHeaderUpload(ctx, body)
      await checkHeaderFile(ctx, body, body.type)
      return { success: true as const }
    },
  )
}

const CONTROLS = {
  pause: { operationId: 'consolePauseBroadcast', summary: 'Pause a broadcast' },
  resume: { operationId: 'consoleResumeBroadcast', summary: 'Resume a broadcast' },
  cancel: { operationId: 'consoleCancelBroadcast', summary: 'Cancel a broadcast' },
}
