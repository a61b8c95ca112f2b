// Uploads: first a file by itself, then the message that refers to it. Mounted where people are signed in.
import multipart from '@fastify/multipart'
import { Uploaded } from '../domain/attachments/schema.ts'
import { storeUpload, UPLOAD_BYTES_MAX } from '../domain/attachments/store-attachment.ts'
import { ApiError, invalid } from '../platform/errors.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

/** Registers POST /uploads: multipart/form-data with one file of at most UPLOAD_BYTES_MAX. */
export const registerUploads = (app: App): void => {
  // A separate scope: elsewhere forms are still rejected.
  app.register(async (app) => {
    await app.register(multipart, {
      // One byte more than allowed, so that storeUpload notices when a file is too large.
      limits: { fileSize: UPLOAD_BYTES_MAX + 1, files: 1, fields: 0, parts: 1, headerPairs: 50 },
    })
    app.post(
      '/uploads',
      {
        config: { body: 'streamed' },
        schema: {
          operationId: 'uploadFile',
          tags: ['Uploads'],
          summary: 'Upload a file',
          description:
            'Stores a file to attach to a message. It is deleted if no message uses it within a day.',
          response: {
            200: Uploaded,
            ...errors('PAYLOAD_TOO_LARGE', 'UPLOAD_QUOTA_EXCEEDED', 'UNSUPPORTED_MEDIA_TYPE'),
          },
        },
      },
      async (request) => {
        // A file can't be compared with the previous one, nor rolled back.
        if (request.ctx.afterCommit)
          throw invalid({ field: 'Idempotency-Key', message: 'is not supported for uploads' })
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
  })
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
