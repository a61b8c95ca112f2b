// Changing passkeys takes more than a browser that somebody left signed in: a recent sign-in, or proof of being its owner.
import { ApiError } from '../../../platform/errors.ts'
import { hasPasskey } from '../pending-queries.ts'
import { confirmSession } from '../session-queries.ts'
import { takeCode } from '../sign-in.ts'
import { checkPasskey, type PasskeyCtx } from './challenge.ts'
import type { Owner } from './recovery-codes.ts'
import type { Assertion } from './schema.ts'

const CONFIRMED_MS = 10 * 60_000

type Times = { signedInAt: string; confirmedAt: string | null }

export const isConfirmed = ({ signedInAt, confirmedAt }: Times, now: Date): boolean =>
  now.getTime() - Date.parse(confirmedAt ?? signedInAt) < CONFIRMED_MS

/** Throws CONFIRMATION_REQUIRED. */
export const requireConfirmed = (times: Times, now: Date): void => {
  if (!isConfirmed(times, now)) throw new ApiError('CONFIRMATION_REQUIRED')
}

type Session = Owner & { hash: Buffer }

/** Throws SECOND_FACTOR_REFUSED, PASSKEYS_UNAVAILABLE. */
export const confirmByPasskey = async (
  deps: PasskeyCtx,
  session: Session,
  assertion: Assertion,
): Promise<void> => {
  if (!(await checkPasskey(deps, { ...session, owner: session.hash, assertion })))
    throw new ApiError('SECOND_FACTOR_REFUSED')
  await confirmSession(deps, session.hash)
}

/**
 * With an emailed code, for someone without a passkey; whoever has one would otherwise be as safe as their mailbox.
 * Throws SIGN_IN_REFUSED, SECOND_FACTOR_REFUSED.
 */
export const confirmByCode = async (
  deps: PasskeyCtx,
  session: Session,
  given: { email: string; code: string; browserSecret: string },
): Promise<void> => {
  if (await hasPasskey(deps, session.accountId)) throw new ApiError('SECOND_FACTOR_REFUSED')
  if ((await takeCode(deps, given)) !== session.accountId) throw new ApiError('SIGN_IN_REFUSED')
  await confirmSession(deps, session.hash)
}
