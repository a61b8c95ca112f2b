import { addJob } from '../../../platform/queue/add-job.ts'
import type { JobPayloads } from '../../../platform/queue/catalogue.ts'
import type { PlatformCtx } from '../queries.ts'

/** Emails the account's owner, once the transaction has committed: a change that they didn't make is theirs to notice. */
export const tellOwner = (
  ctx: PlatformCtx,
  notice: Omit<JobPayloads['tell_of_passkey'], 'noticeId'>,
): Promise<void> => addJob(ctx, 'tell_of_passkey', { noticeId: ctx.newId(), ...notice })
