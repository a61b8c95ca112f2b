import { ApiError, invalid } from '../../../platform/errors.ts'
import { makeFieldReader } from '../../read-fields.ts'
import { type AccountCall, auditAccount } from '../audit-account.ts'
import { deletePendingOf, hasPasskey } from '../pending-queries.ts'
import { findAccountByEmail, type PlatformCtx } from '../queries.ts'
import { announceAccessEnded, deleteSessionsOf } from '../session-queries.ts'
import { deletePasskey, deletePasskeysOf, lockAccount } from './queries.ts'
import { deleteRecoveryCodesOf } from './recovery-code-queries.ts'
import type { Owner } from './recovery-codes.ts'
import { tellOwner } from './tell-owner.ts'

/**
 * Removes one of a person's own passkeys. With the last one go the recovery codes: sign-ins then take one factor again.
 * Throws PASSKEY_NOT_FOUND.
 */
export const removePasskey = (
  deps: PlatformCtx & AccountCall,
  { accountId, nickname }: Owner,
  id: string,
): Promise<void> =>
  deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    await lockAccount(ctx, accountId)
    const name = await deletePasskey(ctx, { accountId, id })
    if (name === undefined) throw new ApiError('PASSKEY_NOT_FOUND')
    if (!(await hasPasskey(ctx, accountId))) await forgetRest(ctx, accountId)
    const account = { id: accountId, name: nickname }
    await auditAccount(
      ctx,
      { action: 'passkey.removed', account, changes: { passkey: { from: name } } },
      deps,
    )
    await tellOwner(ctx, { accountId, happening: 'removed', name })
  })

/** What nobody can use without a passkey. */
const forgetRest = async (ctx: PlatformCtx, accountId: string): Promise<void> => {
  await deleteRecoveryCodesOf(ctx, accountId)
  await deletePendingOf(ctx, accountId)
}

/** All of an account's, in the transaction of the caller. Returns how many passkeys there were. */
export const deleteSecondFactor = async (ctx: PlatformCtx, accountId: string): Promise<number> => {
  await lockAccount(ctx, accountId)
  const removed = await deletePasskeysOf(ctx, accountId)
  await forgetRest(ctx, accountId)
  return removed
}

/**
 * For whoever runs the server: removes all of a person's passkeys and recovery codes, and ends their sign-ins. Throws
 * VALIDATION_ERROR if no account has the email.
 */
export const resetPasskeys = (
  deps: PlatformCtx,
  input: { email: string },
): Promise<{ removed: number; signInsEnded: number }> => {
  const reader = makeFieldReader(input)
  const email = reader.email('email')
  reader.finish()
  return deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    const account = await findAccountByEmail(ctx, email)
    if (!account) throw invalid({ field: 'email', message: 'does not belong to any account' })
    const removed = await deleteSecondFactor(ctx, account.id)
    const signInsEnded = await deleteSessionsOf(ctx, account.id)
    await announceAccessEnded(ctx, account.id)
    const { id, nickname: name } = account
    const changes = { removed: { to: removed } }
    await auditAccount(
      ctx,
      { action: 'passkey.reset', actor: 'operator', account: { id, name }, changes },
      {},
    )
    await tellOwner(ctx, { accountId: id, happening: 'reset', name: null })
    return { removed, signInsEnded }
  })
}
