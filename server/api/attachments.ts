// Files: uploaded by themselves first, then named by the message that sends them.
import multipart from '@fastify/multipart'
import { getAttachment } from '../domain/attachments/get-attachment.ts'
import { AttachmentAnswer, AttachmentParams, UploadForm } from '../domain/attachments/schema.ts'
import { storeUpload, UPLOAD_BYTES_MAX } from '../domain/attachments/store-attachment.ts'
import { ApiError, invalid } from '../platform/errors.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerAttachments = (app: App): void => {
  // A separate scope: elsewhere forms are still rejected.
  app.register(async (app) => {
    await app.register(multipart, {
      // One byte more than allowed, so that storeUpload notices when a file is too large.
      limits: { fileSize: UPLOAD_BYTES_MAX + 1, files: 1, fields: 0, parts: 1, headerPairs: 50 },
    })
    registerUpload(app)
  })

  app.get(
    '/attachments/:attachmentId',
    {
      config: { scope: 'conversations:read' },
      schema: {
        operationId: 'getAttachment',
        tags: ['Attachments'],
        summary: 'Get a file',
        description:
          'A file of a message, or one that you uploaded, with a new `url`. Events and webhooks have no URLs, because those expire: ask for one here.',
        params: AttachmentParams,
        response: { 200: AttachmentAnswer, ...errors('ATTACHMENT_NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => ({ attachment: await getAttachment(ctx, params.attachmentId) }),
  )
}

const registerUpload = (app: App): void => {
  app.post(
    '/attachments',
    {
      config: { scope: 'messages:send', budget: 'send', body: 'streamed' },
      // The form is read by the handler, as it arrives.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'createAttachment',
        tags: ['Attachments'],
        summary: 'Upload a file',
        description:
          'Stores a file of at most 25 MiB, to be sent with `attachmentIds` of [a message](/docs/api/send-message), or with `headerAttachmentId` of a template. It can be sent in one message, by the token that uploaded it, within 23 hours. A file that no message uses is deleted after a day.\n\nAn `Idempotency-Key` has no effect: if a response is lost, upload the file again.',
        consumes: ['multipart/form-data'],
        body: UploadForm,
        response: {
          200: AttachmentAnswer,
          ...errors('PAYLOAD_TOO_LARGE', 'UPLOAD_QUOTA_EXCEEDED', 'UNSUPPORTED_MEDIA_TYPE'),
        },
      },
    },
    async (request) => {
      if (!request.isMultipart())
        throw new ApiError('UNSUPPORTED_MEDIA_TYPE', {
          message: 'Send the file as "Content-Type: multipart/form-data".',
        })
      // Only the form's header has been read so far, whatever the parser calls its errors.
      const part = await request.file().catch(() => {
        throw wrongForm()
      })
      if (!part) throw invalid({ field: 'file', message: 'is required' })
      try {
        const attachment = await storeUpload(request.ctx, {
          name: part.filename,
          mimeType: part.mimetype,
          stream: part.file,
        })
        return { attachment }
      } catch (error) {
        throw brokenForm(error)
      }
    },
  )
}

const wrongForm = (): ApiError =>
  invalid({ field: 'file', message: 'must be one complete file in multipart/form-data' })

/** Malformed or aborted forms, as the caller's error. */
const brokenForm = (error: unknown): unknown => {
  const { code, message } = error as { code?: string; message?: string }
  const isTheirs =
    /^FST_(PARTS|FILES|FIELDS)_LIMIT$|^FST_MP_|^FST_INVALID_MULTIPART/.test(code ?? '') ||
    /Part terminated early|Unexpected end of|Boundary not found|premature close/i.test(message ?? '')
  return isTheirs ? wrongForm() : error
}
