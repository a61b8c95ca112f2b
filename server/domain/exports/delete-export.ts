import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { findExport, removeExportRow } from './queries.ts'
import { requireReadable } from './resource-scopes.ts'
import type { ExportDeleted } from './schema.ts'

/**
 * Deletes an export of the workspace with its files. One that runs is given up: what it has written goes once it notices. Throws
 * EXPORT_NOT_FOUND, and INSUFFICIENT_SCOPE if the actor may not read all of it.
 */
export const deleteExport = async (ctx: Ctx, id: string): Promise<ExportDeleted> => {
  const stored = await findExport(ctx, id)
  if (!stored) throw new ApiError('EXPORT_NOT_FOUND')
  requireReadable(ctx.actor, stored.resources)
  const files = await inTransaction(ctx, async (ctx) => {
    const files = await removeExportRow(ctx, id)
    if (files) await recordAudit(ctx, { action: 'export.deleted', target: { type: 'export', id } })
    return files
  })
  if (!files) throw new ApiError('EXPORT_NOT_FOUND')
  // Nothing names them any more, so one that can't be removed now can't be downloaded either.
  for (const { key } of files)
    await ctx.files
      .remove(key)
      .catch((error) => ctx.log.warn({ err: error, key }, 'a file of an export stayed'))
  return { success: true }
}
