import { ApiError } from '../../platform/errors.ts'
import { type AccountCall, auditAccount } from './audit-account.ts'
import { deleteOtherSessions, deleteOwnSession } from './own-sessions-queries.ts'
import type { PlatformCtx } from './queries.ts'
import { announceAccessEnded } from './session-queries.ts'

type Owner = { accountId: string; nickname: string; hash: Buffer }

const recordEnd = async (
  ctx: PlatformCtx,
  { accountId: id, nickname: name }: Owner,
  count: number,
  call: AccountCall,
): Promise<void> => {
  const changes = { ended: { to: count } }
  await auditAccount(ctx, { action: 'sign_in.ended', account: { id, name }, changes }, call)
  await announceAccessEnded(ctx, id)
}

/** Ends one of a person's own sessions, and its open streams in every process. Throws SIGN_IN_NOT_FOUND. */
export const endSession = (
  deps: PlatformCtx & AccountCall,
  { owner, sessionId: id }: { owner: Owner; sessionId: string },
): Promise<void> =>
  deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    if (!(await deleteOwnSession(ctx, { accountId: owner.accountId, id })))
      throw new ApiError('SIGN_IN_NOT_FOUND')
    await recordEnd(ctx, owner, 1, deps)
  })

/** The same for all but the one that asks. Returns how many there were. */
export const endOtherSessions = (deps: PlatformCtx & AccountCall, owner: Owner): Promise<number> =>
  deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    const count = await deleteOtherSessions(ctx, owner)
    if (count > 0) await recordEnd(ctx, owner, count, deps)
    return count
  })
