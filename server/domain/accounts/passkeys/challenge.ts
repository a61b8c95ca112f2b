import { randomBytes } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Seal } from '../../../platform/seal.ts'
import { type AccountCall, auditAccount } from '../audit-account.ts'
import type { PlatformCtx } from '../queries.ts'
import { saveChallenge, takeChallenge } from './challenge-queries.ts'
import { advanceCounter, findCredential, listCredentials } from './queries.ts'
import type { Owner } from './recovery-codes.ts'
import { type RelyingParty, relyingPartyOf } from './relying-party.ts'
import type { Assertion } from './schema.ts'
import { assertionOptions, verifyAssertion } from './webauthn.ts'

const CHALLENGE_BYTES = 32
const CHALLENGE_MAX_MS = 5 * 60_000

export type PasskeyCtx = PlatformCtx &
  AccountCall & { publicUrl: string; seal: Seal; log: Pick<FastifyBaseLogger, 'warn'> }

/**
 * What a browser is to sign, once, within five minutes. Its owner is the hash of a pending sign-in or of a session, so
 * that no other browser can answer. Throws PASSKEYS_UNAVAILABLE.
 */
export const startChallenge = async (
  deps: PasskeyCtx,
  owner: Buffer,
): Promise<{ party: RelyingParty; challenge: Buffer; timeoutMs: number }> => {
  const party = relyingPartyOf(deps)
  const challenge = randomBytes(CHALLENGE_BYTES)
  const expiresAt = new Date(deps.now().getTime() + CHALLENGE_MAX_MS)
  await saveChallenge(deps, { owner, challenge: challenge.toString('base64url'), expiresAt })
  return { party, challenge, timeoutMs: CHALLENGE_MAX_MS }
}

/** Asks for one of the account's passkeys. */
export const askForPasskey = async (
  deps: PasskeyCtx,
  { owner, accountId }: { owner: Buffer; accountId: string },
): Promise<{ options: object }> => {
  const asked = await startChallenge(deps, owner)
  return { options: await assertionOptions({ ...asked, allowed: await listCredentials(deps, accountId) }) }
}

/**
 * Whether one of the account's passkeys has signed the owner's challenge, which is used up. A counter that didn't go up
 * is refused and recorded.
 */
export const checkPasskey = async (
  deps: PasskeyCtx,
  { owner, assertion, accountId, nickname }: Owner & { owner: Buffer; assertion: Assertion },
): Promise<boolean> => {
  const party = relyingPartyOf(deps)
  const challenge = await takeChallenge(deps, owner)
  const passkey = await findCredential(deps, { accountId, credentialId: assertion.id })
  if (challenge === undefined || !passkey) return false
  const counter = await verifyAssertion(assertion, passkey.publicKey, { party, challenge, log: deps.log })
  if (counter === undefined) return false
  if (await advanceCounter(deps, { accountId, id: passkey.id, counter })) return true
  deps.log.warn({ accountId, passkeyId: passkey.id }, 'the counter of a passkey went backwards')
  const account = { id: accountId, name: nickname }
  const changes = { passkey: { to: passkey.name }, reason: { to: 'its counter went backwards' } }
  await auditAccount(deps, { action: 'passkey.refused', actor: 'unknown', account, changes }, deps)
  return false
}
