import type { Ctx } from '../../platform/ctx/ctx.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { insertCode, type NewCode } from './queries.ts'

/** Has a code sent once the caller's transaction commits. The contact's earlier one is void. */
export const requestCode = async (ctx: Ctx, code: NewCode): Promise<void> => {
  await insertCode(ctx, code)
  await addJob(ctx, 'send_identity_code', { workspaceId: ctx.workspaceId, codeId: code.id })
}
