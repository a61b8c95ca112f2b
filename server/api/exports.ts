// Exports of the workspace, and the signed links to their files.
import type { FastifyInstance } from 'fastify'
import { createExport } from '../domain/exports/create-export.ts'
import { getExport, listExports } from '../domain/exports/get-exports.ts'
import { findExportFile } from '../domain/exports/queries.ts'
import { ExportAnswer, ExportDetails, ExportList, ExportParams, NewExport } from '../domain/exports/schema.ts'
import { ApiError } from '../platform/errors.ts'
import { exportSecondsLeft } from '../platform/files/links.ts'
import { type ApiDeps, type App, type SchemaTypes, watchMethods } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'
import { sendFile } from './files.ts'

const TAGS = ['Exports']
const READS = { scope: 'exports:create', permission: 'admin' } as const

export const registerExports = (app: App): void => {
  app.post(
    '/exports',
    {
      config: { ...READS, budget: 'change' },
      schema: {
        operationId: 'createExport',
        tags: TAGS,
        summary: 'Export the workspace',
        description:
          'Writes everything, or some resources, to NDJSON files, as they are at one moment. `manifest.json` has the cursor of the feed at that moment, so that a copy can be kept up to date from there. A token also needs the scopes that reading the resources needs. A workspace has one export at a time. The event `export.completed` says when the files are ready. They are kept for seven days.',
        body: NewExport,
        response: { 200: ExportAnswer, ...errors('EXPORT_RUNNING', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, body }) => createExport(ctx, body),
  )
  app.get(
    '/exports',
    {
      config: READS,
      schema: {
        operationId: 'listExports',
        tags: TAGS,
        summary: 'List exports',
        description: 'The newest first.',
        response: { 200: ExportList },
      },
    },
    ({ ctx }) => listExports(ctx),
  )
  app.get(
    '/exports/:exportId',
    {
      config: READS,
      schema: {
        operationId: 'getExport',
        tags: TAGS,
        summary: 'Get an export',
        description: 'With its files once it is completed. Get it again for new links.',
        params: ExportParams,
        response: { 200: ExportDetails, ...errors('EXPORT_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getExport(ctx, params.exportId),
  )
}

export const registerExportFiles = (app: FastifyInstance, deps: ApiDeps): void => {
  const methods = watchMethods(app.withTypeProvider<SchemaTypes>())
  app.route({
    method: ['GET', 'HEAD'],
    url: '/files/exports/:exportId/:name',
    schema: { hide: true },
    handler: async (request, reply) => {
      const { exportId, name } = request.params as { exportId: string; name: string }
      const query = request.query as Record<string, unknown>
      const left = exportSecondsLeft(deps.seal, deps.now(), { exportId, name }, query)
      if (left === undefined) throw new ApiError('FILE_LINK_INVALID')
      const file = await findExportFile(deps.db, exportId, name)
      if (!file) throw new ApiError('FILE_NOT_AVAILABLE')
      const { key, bytes: size, sha256 } = file
      return sendFile(deps, request, reply, {
        ...{ name, size, key, left, mimeType: 'application/octet-stream', etag: `"${sha256}"` },
        content: null,
      })
    },
  })
  methods.refuseOthers()
}
