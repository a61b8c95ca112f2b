// Every way to sign in ends the same way: a new session, whose secret goes into a cookie.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { SignInMethod } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { hashSecret } from '../../platform/hash-secret.ts'
import type { Seal } from '../../platform/seal.ts'
import { markCodeUsed, takeTry } from './code-queries.ts'
import { findAccount, hasWorkspace, type PlatformCtx } from './queries.ts'
import { recordSignIn, type SignInCall } from './record-sign-in.ts'
import { insertSession, takeSignInSecret } from './session-queries.ts'

const TRIES_MAX = 5
const SECRET_BYTES = 32

/** What is stored of a code. It is keyed with the server's key, so the table alone does not reveal six digits. */
export const hashCode = (seal: Pick<Seal, 'sign'>, browserHash: Buffer, code: string): string =>
  seal.sign('sign-in code', `${browserHash.toString('hex')}\n${code}`)

export type SignedIn = {
  secret: string
  accountId: string
  email: string
  nickname: string
  signedInAt: string
}

/** For someone who has proved to be the account's owner. Throws SIGN_IN_REFUSED if it is in no workspace. */
export const startSession = async (
  deps: PlatformCtx & SignInCall,
  accountId: string,
  method: SignInMethod,
): Promise<SignedIn> => {
  const account = await findAccount(deps, accountId)
  if (!account || !(await hasWorkspace(deps, accountId))) throw new ApiError('SIGN_IN_REFUSED')
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  const { email, nickname } = account
  await deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    await insertSession(ctx, { hash: hashSecret(secret), accountId, method, client: deps.client })
    const attempt = {
      action: 'sign_in.succeeded',
      account: { id: accountId, name: nickname },
      changes: { method: { to: method } },
    } as const
    await recordSignIn(ctx, attempt, deps)
  })
  return { secret, accountId, email, nickname, signedInAt: deps.now().toISOString() }
}

/**
 * Signs in with the code sent for this browser and email: once, within ten minutes, within five tries. Throws
 * SIGN_IN_REFUSED without saying what was wrong; the try counts all the same.
 */
export const signInWithCode = async (
  deps: PlatformCtx & SignInCall & { seal: Seal },
  { email, code, browserSecret }: { email: string; code: string; browserSecret: string },
): Promise<SignedIn> => {
  const browserHash = hashSecret(browserSecret)
  const accountId = await deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    const taken = await takeTry(ctx, { browserHash, email, triesMax: TRIES_MAX })
    const given = Buffer.from(hashCode(deps.seal, browserHash, code))
    const sent = Buffer.from(taken?.codeHash ?? hashCode(deps.seal, browserHash, ''))
    if (!taken?.accountId || given.length !== sent.length || !timingSafeEqual(given, sent)) {
      await recordFailure(ctx, taken?.accountId ?? NOBODY, deps)
      return null
    }
    await markCodeUsed(ctx, browserHash)
    return taken.accountId
  })
  if (accountId === null) throw new ApiError('SIGN_IN_REFUSED')
  return startSession(deps, accountId, 'code')
}

/** Looks for the account of an unknown email, so that the response takes as long as for a member's. */
const NOBODY = 'nobody'

/** At most one for each try at a code that was sent, so nobody can fill the log. */
const recordFailure = async (ctx: PlatformCtx, accountId: string, call: SignInCall): Promise<void> => {
  const name = (await findAccount(ctx, accountId))?.nickname ?? NOBODY
  const attempt = { action: 'sign_in.failed', account: { id: accountId, name } } as const
  await recordSignIn(ctx, { ...attempt, changes: { method: { to: 'code' } } }, call)
}

/** Signs in with an operator's link, once. Throws SIGN_IN_REFUSED. */
export const signInWithSecret = async (
  deps: PlatformCtx & SignInCall,
  { secret }: { secret: string },
): Promise<SignedIn> => {
  const accountId = await takeSignInSecret(deps, hashSecret(secret))
  if (!accountId) throw new ApiError('SIGN_IN_REFUSED')
  return startSession(deps, accountId, 'link')
}
