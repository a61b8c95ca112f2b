import { runErasure } from '../domain/erasures/run-erasure.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import type { JobDeps } from './deps.ts'

/** Erases until nothing is left; a worker that stops leaves the rest to the next. */
export const eraseContact = async (deps: JobDeps, payload: JobPayloads['erase_contact']): Promise<void> => {
  const { isStopping } = deps
  const ctx = systemCtx(deps, payload.workspaceId)
  if (!(await runErasure(ctx, payload.erasureId, { isStopping })))
    await addJob(deps, 'erase_contact', payload)
}
