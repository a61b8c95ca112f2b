import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ARCHIVE_RESOURCES } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { showExport } from './get-exports.ts'
import { insertExport } from './queries.ts'
import { requireReadable } from './resource-scopes.ts'
import type { ExportAnswer, NewExport } from './schema.ts'

/** Starts an export. A workspace has one at a time. Throws EXPORT_RUNNING and INSUFFICIENT_SCOPE. */
export const createExport = (
  ctx: Ctx,
  { resources: wanted, createdAfter, includeFiles = false }: NewExport,
): Promise<ExportAnswer> =>
  inTransaction(ctx, async (ctx) => {
    const resources = ARCHIVE_RESOURCES.filter((one) => wanted === undefined || wanted.includes(one))
    requireReadable(ctx.actor, resources)
    const id = ctx.newId()
    const stored = await insertExport(ctx, {
      id,
      contactId: null,
      resources,
      createdAfter: createdAfter === undefined ? null : new Date(createdAfter).toISOString(),
      includeFiles,
      createdBy: actorId(ctx.actor),
      createdAt: ctx.createdAt(id),
    })
    if (!stored) throw new ApiError('EXPORT_RUNNING')
    await addJob(ctx, 'run_export', { workspaceId: ctx.workspaceId, exportId: id })
    await recordAudit(ctx, {
      action: 'export.created',
      target: { type: 'export', id },
      changes: { resources: { to: resources }, includeFiles: { to: includeFiles } },
    })
    return { export: showExport(stored) }
  })
