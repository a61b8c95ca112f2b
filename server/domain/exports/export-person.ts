import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { exportFileUrl } from '../../platform/files/links.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { PERSON_ARCHIVE_KEPT_MS } from './person-archive.ts'
import { findPersonExport, holdPerson, insertExport, type StoredExport } from './queries.ts'
import { requireReadable } from './resource-scopes.ts'
import type { PersonExportAnswer } from './schema.ts'

const READS = ['contacts', 'messages'] as const

/**
 * Starts an export of everything about one person; while it runs, another call returns the same one. Throws CONTACT_NOT_FOUND, also
 * while the person is erased, and INSUFFICIENT_SCOPE.
 */
export const exportPerson = (ctx: Ctx, contactId: string): Promise<PersonExportAnswer> =>
  inTransaction(ctx, async (ctx) => {
    requireReadable(ctx.actor, READS)
    if (!(await holdPerson(ctx, contactId))) throw new ApiError('CONTACT_NOT_FOUND')
    const running = await findPersonExport(ctx, { contactId })
    if (running) return show(ctx, running)
    const id = ctx.newId()
    const stored = await insertExport(ctx, {
      ...{ id, contactId, resources: [], createdAfter: null, includeFiles: true },
      createdBy: actorId(ctx.actor),
      createdAt: ctx.createdAt(id),
    })
    await addJob(ctx, 'run_export', { workspaceId: ctx.workspaceId, exportId: id })
    await recordAudit(ctx, { action: 'contact.exported', target: { type: 'contact', id: contactId } })
    return show(ctx, stored!)
  })

/** Throws EXPORT_NOT_FOUND and INSUFFICIENT_SCOPE. */
export const getPersonExport = async (
  ctx: Ctx,
  { contactId, exportId }: { contactId: string; exportId: string },
): Promise<PersonExportAnswer> => {
  requireReadable(ctx.actor, READS)
  const stored = await findPersonExport(ctx, { contactId, id: exportId })
  if (!stored) throw new ApiError('EXPORT_NOT_FOUND')
  return show(ctx, stored)
}

const show = (ctx: Ctx, { files: [file], ...stored }: StoredExport): PersonExportAnswer => {
  const { id, status, createdAt, completedAt, problem } = stored
  const expiresAt = file && new Date(new Date(completedAt!).getTime() + PERSON_ARCHIVE_KEPT_MS)
  return {
    export: {
      ...{ id, contactId: stored.contactId!, status, createdAt, completedAt, problem },
      bytes: file?.bytes ?? null,
      url: file ? exportFileUrl(ctx, { exportId: id, name: file.name }, expiresAt) : null,
      expiresAt: expiresAt?.toISOString() ?? null,
    },
  }
}
