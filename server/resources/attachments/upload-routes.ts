// Uploads: a file first, by itself, and then the message that names it. Mounted where people are signed in.
import multipart from '@fastify/multipart'
import { ApiError, invalid } from '../../errors.ts'
import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { Uploaded } from './schema.ts'
import { storeUpload, UPLOAD_BYTES_MAX } from './store-attachment.ts'

/** Registers POST /uploads: multipart/form-data with one file, of UPLOAD_BYTES_MAX at the most. */
export const registerUploads = (app: App): void => {
  // A scope of its own: elsewhere a form is still refused.
  app.register(async (app) => {
    await app.register(multipart, {
      // One byte more than is taken, so that storeUpload sees that it is too much.
      limits: { fileSize: UPLOAD_BYTES_MAX + 1, files: 1, fields: 0, parts: 1, headerPairs: 50 },
    })
    app.post(
      '/uploads',
      {
        schema: {
          operationId: 'uploadFile',
          tags: ['Uploads'],
          summary: 'Upload a file',
          description: 'Keeps a file for a message. One that no message takes within a day is gone.',
          response: { 200: Uploaded, ...errors('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE') },
        },
      },
      async (request) => {
        // A file cannot be compared with the one before, nor be rolled back.
        if (request.ctx.afterCommit)
          throw invalid({ field: 'Idempotency-Key', message: 'is not taken with an upload' })
        if (!request.isMultipart())
          throw new ApiError('UNSUPPORTED_MEDIA_TYPE', {
            message: 'Send the file as a part of "Content-Type: multipart/form-data".',
          })
        const part = await request.file().catch((error) => {
          throw brokenForm(error)
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

/** What the caller did wrong in writing the form, or broke off, as their error. */
const brokenForm = (error: unknown): unknown => {
  const { code, message } = error as { code?: string; message?: string }
  const isTheirs =
    /^FST_(PARTS|FILES|FIELDS)_LIMIT$|^FST_MP_|^FST_INVALID_MULTIPART/.test(code ?? '') ||
    /Part terminated early|Unexpected end of|Boundary not found|premature close/i.test(message ?? '')
  return isTheirs
    ? invalid({ field: 'file', message: 'must be one whole file in multipart/form-data' })
    : error
}
