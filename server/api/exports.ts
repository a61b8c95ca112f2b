// Exports of the workspace, and the signed links to their files.
import type { FastifyInstance } from 'fastify'
import { ContactParams } from '../domain/contacts/schema.ts'
import { createExport } from '../domain/exports/create-export.ts'
import { deleteExport } from '../domain/exports/delete-export.ts'
import { exportPerson, getPersonExport } from '../domain/exports/export-person.ts'
import { getExport, listExports } from '../domain/exports/get-exports.ts'
import { findExportFile } from '../domain/exports/queries.ts'
import {
  ExportAnswer,
  ExportDeleted,
  ExportDetails,
  ExportList,
  ExportParams,
  NewExport,
  PersonExportAnswer,
  PersonExportParams,
} from '../domain/exports/schema.ts'
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
  app.delete(
    '/exports/:exportId',
    {
      config: { ...READS, budget: 'change' },
      schema: {
        operationId: 'deleteExport',
        tags: TAGS,
        summary: 'Delete an export',
        description: 'With its files; their links stop working. An export that runs is stopped.',
        params: ExportParams,
        response: { 200: ExportDeleted, ...errors('EXPORT_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteExport(ctx, params.exportId),
  )
}

export const registerPersonExports = (app: App): void => {
  app.post(
    '/contacts/:contactId/exports',
    {
      config: { ...READS, budget: 'change' },
      schema: {
        operationId: 'exportContact',
        tags: ['Contacts'],
        summary: 'Export a contact',
        description:
          'Writes everything about one person to an archive: JSON and files. Get the export until its `status` is `completed`. A token also needs the scopes `contacts:read` and `conversations:read`, on all channels. While an export of the contact runs, another call returns the same one. Erasing the contact deletes it.',
        params: ContactParams,
        response: { 200: PersonExportAnswer, ...errors('CONTACT_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => exportPerson(ctx, params.contactId),
  )
  app.get(
    '/contacts/:contactId/exports/:exportId',
    {
      config: READS,
      schema: {
        operationId: 'getContactExport',
        tags: ['Contacts'],
        summary: 'Get an export of a contact',
        description: 'With a link to the archive for 24 hours once it is completed.',
        params: PersonExportParams,
        response: { 200: PersonExportAnswer, ...errors('EXPORT_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getPersonExport(ctx, params),
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
