import { ApiError } from '../../../platform/errors.ts'
import { hashSecret } from '../../../platform/hash-secret.ts'
import { auditAccount } from '../audit-account.ts'
import { deletePending, findPending, takePendingTry } from '../pending-queries.ts'
import { findAccount } from '../queries.ts'
import { type SignedIn, startSession } from '../sign-in.ts'
import { askForPasskey, checkPasskey, type PasskeyCtx } from './challenge.ts'
import { takeRecoveryCode } from './recovery-codes.ts'
import type { SecondFactorGiven } from './schema.ts'

/** Of passkeys and recovery codes together, for one pending sign-in. */
const TRIES_MAX = 5

/** Asks for a passkey in the browser of a pending sign-in. Throws SIGN_IN_REFUSED, PASSKEYS_UNAVAILABLE. */
export const askForSecondFactor = async (
  deps: PasskeyCtx,
  pendingSecret: string,
): Promise<{ options: object }> => {
  const hash = hashSecret(pendingSecret)
  const pending = await findPending(deps, { hash, triesMax: TRIES_MAX })
  if (!pending) throw new ApiError('SIGN_IN_REFUSED')
  return askForPasskey(deps, { owner: hash, accountId: pending.accountId })
}

/**
 * Ends a pending sign-in with a session: by a passkey or a recovery code, within ten minutes, within five tries. Throws
 * SECOND_FACTOR_REFUSED if it can be tried again, and SIGN_IN_REFUSED if a new code is needed.
 */
export const finishSignIn = async (
  deps: PasskeyCtx,
  { pendingSecret, passkey, recoveryCode = '' }: SecondFactorGiven & { pendingSecret: string },
): Promise<SignedIn> => {
  const hash = hashSecret(pendingSecret)
  const pending = await takePendingTry(deps, { hash, triesMax: TRIES_MAX })
  const account = pending && (await findAccount(deps, pending.accountId))
  if (!account) throw new ApiError('SIGN_IN_REFUSED')
  const { method } = pending
  const secondFactor = passkey ? 'passkey' : 'recovery_code'
  const owner = { accountId: account.id, nickname: account.nickname }
  const isRight = passkey
    ? await checkPasskey(deps, { ...owner, owner: hash, assertion: passkey })
    : await takeRecoveryCode(deps, { ...owner, code: recoveryCode })
  if (!isRight) {
    const changes = { method: { to: method }, secondFactor: { to: secondFactor } }
    const attempt = { action: 'sign_in.failed', actor: 'unknown', changes } as const
    await auditAccount(deps, { ...attempt, account: { id: account.id, name: account.nickname } }, deps)
    throw new ApiError('SECOND_FACTOR_REFUSED')
  }
  if (!(await deletePending(deps, hash))) throw new ApiError('SIGN_IN_REFUSED')
  return startSession(deps, { accountId: account.id, method, secondFactor })
}
