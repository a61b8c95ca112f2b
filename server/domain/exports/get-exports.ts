import type { Ctx } from '../../platform/ctx/ctx.ts'
import { requireAllChannels } from '../../platform/ctx/scopes.ts'
import { ApiError } from '../../platform/errors.ts'
import { exportFileUrl } from '../../platform/files/links.ts'
import { findExport, listExportRows, type StoredExport } from './queries.ts'
import { requireReadable } from './resource-scopes.ts'
import { EXPORTS_LISTED_MAX, type Export, type ExportDetails, type ExportList } from './schema.ts'

export const showExport = ({ files: _, contactId: __, ...shown }: StoredExport): Export => shown

/** The newest first, without links. Throws INSUFFICIENT_SCOPE. */
export const listExports = async (ctx: Ctx): Promise<ExportList> => {
  requireAllChannels(ctx.actor)
  return { exports: (await listExportRows(ctx, EXPORTS_LISTED_MAX)).map(showExport) }
}

/** With links to the files. Throws EXPORT_NOT_FOUND, and INSUFFICIENT_SCOPE if the actor may not read all of it. */
export const getExport = async (ctx: Ctx, id: string): Promise<ExportDetails> => {
  const stored = await findExport(ctx, id)
  if (!stored) throw new ApiError('EXPORT_NOT_FOUND')
  requireReadable(ctx.actor, stored.resources)
  return {
    export: showExport(stored),
    files: stored.files.map(({ name, rows, bytes, sha256 }) => ({
      ...{ name, rows, bytes, sha256 },
      url: exportFileUrl(ctx, { exportId: id, name }),
    })),
  }
}
