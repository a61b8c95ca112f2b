import { ApiError } from '../../errors.ts'
import { hashSecret } from '../../http/authenticate.ts'
import { addJob } from '../../jobs/add-job.ts'
import type { PlatformCtx } from '../agents/queries.ts'
import { countCodeRequests, insertCodeRequest, lockEmail } from './queries.ts'

export const CODE_VALID_MS = 10 * 60_000
/** How many codes an email may ask for, whoever asks. Each may be tried five times, so a day's guesses have 1 in 6,000. */
const RECENT_MS = 10 * 60_000
const RECENT_MAX = 5
const DAY_MS = 24 * 3_600_000
const DAY_MAX = 30

/**
 * Has a code sent to an email for the browser that holds the secret. Whether the email is anybody's is found out by the
 * job, so answer and time are the same for all. Throws RATE_LIMIT_EXCEEDED.
 */
export const requestSignInCode = async (
  deps: PlatformCtx,
  { email, browserSecret }: { email: string; browserSecret: string },
): Promise<void> => {
  const nowMs = deps.now().getTime()
  const browserHash = hashSecret(browserSecret)
  await deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    await lockEmail(ctx, email)
    const asked = await countCodeRequests(ctx, email, {
      recentSince: new Date(nowMs - RECENT_MS),
      since: new Date(nowMs - DAY_MS),
    })
    if (asked.recent >= RECENT_MAX || asked.all >= DAY_MAX)
      throw new ApiError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': String(RECENT_MS / 1000) } })
    await insertCodeRequest(ctx, { browserHash, email, expiresAt: new Date(nowMs + CODE_VALID_MS) })
    await addJob(ctx, 'send_sign_in_code', { browserHash: browserHash.toString('hex') })
  })
}
