import { randomBytes } from 'node:crypto'
import { ApiError } from '../../../platform/errors.ts'
import { auditAccount } from '../audit-account.ts'
import { type PasskeyCtx, startChallenge } from './challenge.ts'
import { takeChallenge } from './challenge-queries.ts'
import { insertPasskey, keepHandle, listCredentials, lockAccount } from './queries.ts'
import { type Owner, replaceRecoveryCodes } from './recovery-codes.ts'
import { relyingPartyOf } from './relying-party.ts'
import type { PasskeyAdded, Registration } from './schema.ts'
import { tellOwner } from './tell-owner.ts'
import { registrationOptions, verifyRegistration } from './webauthn.ts'

const HANDLE_BYTES = 32
const PASSKEYS_MAX = 20

type Session = Owner & { hash: Buffer; email: string }

/** What the browser needs to make a passkey. Authenticators that have one already are excluded. */
export const startPasskey = async (
  deps: PasskeyCtx,
  { accountId, email, hash }: Session,
): Promise<{ options: object }> => {
  const asked = await startChallenge(deps, hash)
  const handle = await keepHandle(deps, { accountId, handle: randomBytes(HANDLE_BYTES) })
  const existing = await listCredentials(deps, accountId)
  return { options: await registrationOptions({ ...asked, email, handle, existing }) }
}

/**
 * Adds the passkey that the browser made. The first one comes with recovery codes, and from then on the account's
 * sign-ins take both. Throws PASSKEY_REFUSED, PASSKEY_EXISTS, PASSKEY_LIMIT_REACHED, PASSKEYS_UNAVAILABLE.
 */
export const addPasskey = async (
  deps: PasskeyCtx,
  { accountId, nickname, hash }: Session,
  { name, registration }: { name: string; registration: Registration },
): Promise<PasskeyAdded> => {
  const party = relyingPartyOf(deps)
  const challenge = await takeChallenge(deps, hash)
  const made = challenge && (await verifyRegistration(registration, { party, challenge, log: deps.log }))
  if (!made) throw new ApiError('PASSKEY_REFUSED')
  return deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    await lockAccount(ctx, accountId)
    const { length: count } = await listCredentials(ctx, accountId)
    if (count >= PASSKEYS_MAX) throw new ApiError('PASSKEY_LIMIT_REACHED')
    if (!(await insertPasskey(ctx, { ...made, accountId, name }))) throw new ApiError('PASSKEY_EXISTS')
    const recoveryCodes = count === 0 ? await replaceRecoveryCodes(ctx, accountId) : null
    const account = { id: accountId, name: nickname }
    await auditAccount(ctx, { action: 'passkey.added', account, changes: { passkey: { to: name } } }, deps)
    await tellOwner(ctx, { accountId, happening: 'added', name })
    return { recoveryCodes }
  })
}
