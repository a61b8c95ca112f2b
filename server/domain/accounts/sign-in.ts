// Every way to sign in ends the same way: a new session, whose secret goes into a cookie. After a code or an emailed
// link, people with a passkey are asked for it first; see passkeys/finish-sign-in.ts.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { SecondFactor, SignInMethod } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { hashSecret } from '../../platform/hash-secret.ts'
import type { Seal } from '../../platform/seal.ts'
import { type AccountCall, auditAccount } from './audit-account.ts'
import { markCodeUsed, takeTry } from './code-queries.ts'
import { hasPasskey, insertPending, type Pending } from './pending-queries.ts'
import { findAccount, hasWorkspace, type PlatformCtx } from './queries.ts'
import type { UndoSeconds } from './schema.ts'
import { insertSession, takeSignInSecret } from './session-queries.ts'

const TRIES_MAX = 5
const SECRET_BYTES = 32
/** For finding one's security key, or the paper with the recovery codes. */
export const PENDING_MAX_MS = 10 * 60_000

/** What is stored of a code. It is keyed with the server's key, so the table alone does not reveal six digits. */
export const hashCode = (seal: Pick<Seal, 'sign'>, browserHash: Buffer, code: string): string =>
  seal.sign('sign-in code', `${browserHash.toString('hex')}\n${code}`)

export type SignedIn = {
  secret: string
  accountId: string
  email: string
  nickname: string
  undoSeconds: UndoSeconds
  signedInAt: string
}

/** The secret of a sign-in that waits for a passkey or a recovery code. */
export type SignInPending = { pendingSecret: string }

type HowSignedIn = { accountId: string; method: SignInMethod; secondFactor?: SecondFactor }

/** For someone who has proved to be the account's owner. Throws SIGN_IN_REFUSED if it is in no workspace. */
export const startSession = async (
  deps: PlatformCtx & AccountCall,
  { accountId, method, secondFactor }: HowSignedIn,
): Promise<SignedIn> => {
  const account = await findAccount(deps, accountId)
  if (!account || !(await hasWorkspace(deps, accountId))) throw new ApiError('SIGN_IN_REFUSED')
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  const { email, nickname, undoSeconds } = account
  await deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    const hash = hashSecret(secret)
    await insertSession(ctx, {
      hash,
      accountId,
      method,
      secondFactor: secondFactor ?? null,
      client: deps.client,
    })
    const attempt = {
      action: 'sign_in.succeeded',
      account: { id: accountId, name: nickname },
      changes: { method: { to: method }, ...(secondFactor && { secondFactor: { to: secondFactor } }) },
    } as const
    await auditAccount(ctx, attempt, deps)
  })
  return { secret, accountId, email, nickname, undoSeconds, signedInAt: deps.now().toISOString() }
}

/** A session, or the wait for the second factor if the account has one. */
const passFirstFactor = async (
  deps: PlatformCtx & AccountCall,
  first: Pending,
): Promise<SignedIn | SignInPending> => {
  if (!(await hasPasskey(deps, first.accountId))) return startSession(deps, first)
  const pendingSecret = randomBytes(SECRET_BYTES).toString('base64url')
  const expiresAt = new Date(deps.now().getTime() + PENDING_MAX_MS)
  await insertPending(deps, { ...first, hash: hashSecret(pendingSecret), expiresAt })
  return { pendingSecret }
}

type CodeGiven = { email: string; code: string; browserSecret: string }

/**
 * Whose code it is: sent for this browser and email, taken once, within ten minutes, within five tries. Throws
 * SIGN_IN_REFUSED without saying what was wrong; the try counts all the same.
 */
export const takeCode = async (
  deps: PlatformCtx & AccountCall & { seal: Seal },
  { email, code, browserSecret }: CodeGiven,
): Promise<string> => {
  const browserHash = hashSecret(browserSecret)
  const accountId = await deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    const taken = await takeTry(ctx, { browserHash, email, triesMax: TRIES_MAX })
    const given = Buffer.from(hashCode(deps.seal, browserHash, code))
    const sent = Buffer.from(taken?.codeHash ?? hashCode(deps.seal, browserHash, ''))
    if (!taken?.accountId || given.length !== sent.length || !timingSafeEqual(given, sent)) {
      await auditFailure(ctx, taken?.accountId ?? NOBODY, deps)
      return null
    }
    await markCodeUsed(ctx, browserHash)
    return taken.accountId
  })
  if (accountId === null) throw new ApiError('SIGN_IN_REFUSED')
  return accountId
}

/** Signs in with a code; see takeCode. Whether there is a second factor is only told once the code is right. */
export const signInWithCode = async (
  deps: PlatformCtx & AccountCall & { seal: Seal },
  given: CodeGiven,
): Promise<SignedIn | SignInPending> =>
  passFirstFactor(deps, { accountId: await takeCode(deps, given), method: 'code' })

/** Looks for the account of an unknown email, so that the response takes as long as for a member's. */
const NOBODY = 'nobody'

/** At most one for each try at a code that was sent, so nobody can fill the log. */
const auditFailure = async (ctx: PlatformCtx, accountId: string, call: AccountCall): Promise<void> => {
  const name = (await findAccount(ctx, accountId))?.nickname ?? NOBODY
  const attempt = { action: 'sign_in.failed', actor: 'unknown', account: { id: accountId, name } } as const
  await auditAccount(ctx, { ...attempt, changes: { method: { to: 'code' } } }, call)
}

/** Signs in with a link, once. An operator's opens a session at once. Throws SIGN_IN_REFUSED. */
export const signInWithSecret = async (
  deps: PlatformCtx & AccountCall,
  { secret }: { secret: string },
): Promise<SignedIn | SignInPending> => {
  const link = await takeSignInSecret(deps, hashSecret(secret))
  if (!link) throw new ApiError('SIGN_IN_REFUSED')
  const first = { accountId: link.accountId, method: 'link' } as const
  return link.madeBy === 'operator' ? startSession(deps, first) : passFirstFactor(deps, first)
}
