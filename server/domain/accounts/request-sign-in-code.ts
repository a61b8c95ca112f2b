import { ApiError } from '../../platform/errors.ts'
import { hashSecret } from '../../platform/hash-secret.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { countCodeRequests, insertCodeRequest, lockEmail } from './code-queries.ts'
import type { PlatformCtx } from './queries.ts'

const CODE_VALID_MS = 10 * 60_000
/**
 * A link outlives this by five minutes: if no mail is sent because one was sent recently, that one's link still works.
 */
const RECENT_MS = 10 * 60_000
const DAY_MS = 24 * 3_600_000

type Allowance = { recentMax: number; dayMax: number }

/** For a browser that has signed in with this email before. Nobody else can use it up. */
const KNOWN_BROWSER: Allowance = { recentMax: 5, dayMax: 30 }
/** For an address, and for everyone together, when the browser is unknown. */
const ADDRESS: Allowance = { recentMax: 10, dayMax: 30 }
const STRANGERS: Allowance = { recentMax: 20, dayMax: 100 }
/** Mails with a code. Each code may be tried five times, so a day of guessing has a chance of 1 in 5,000. */
const ADDRESS_CODES_PER_DAY = 15
const STRANGERS_CODES_PER_DAY = 40

type Asker = {
  email: string
  browserSecret: string
  /** Identifies a browser that has signed in with this email before; null for any other. */
  knownBrowser: string | null
  /** In the form that limits count. */
  address: string
}

const isWithin = ({ recent, day }: { recent: number; day: number }, { recentMax, dayMax }: Allowance) =>
  recent < recentMax && day < dayMax

/**
 * Sends a code and a link to an email; the code only works in the browser that holds the secret. The job finds out
 * whether the email has an account, so the response and its timing are the same for all.
 *
 * Strangers cannot lock the owner out. A browser that has signed in before has its own allowance, beyond which it gets
 * RATE_LIMIT_EXCEEDED. Beyond the strangers' allowance the response stays the same: a mail is only sent if none was in
 * the last ten minutes (otherwise that one's link still works), and beyond a day's codes the mail contains only the
 * link, which cannot be guessed. Returns whether a code for this browser may have been sent.
 */
export const requestSignInCode = async (
  deps: PlatformCtx,
  { email, browserSecret, knownBrowser, address }: Asker,
): Promise<boolean> => {
  const nowMs = deps.now().getTime()
  const browserHash = hashSecret(browserSecret)
  const isKnownBrowser = knownBrowser !== null
  const asker = isKnownBrowser ? `browser:${knownBrowser}` : `address:${address}`
  return deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    await lockEmail(ctx, email)
    const { own, strangers } = await countCodeRequests(ctx, {
      email,
      asker,
      recentSince: new Date(nowMs - RECENT_MS),
      daySince: new Date(nowMs - DAY_MS),
    })
    if (isKnownBrowser && !isWithin(own, KNOWN_BROWSER))
      throw new ApiError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': String(RECENT_MS / 1000) } })
    const isAllowed = isKnownBrowser || (isWithin(own, ADDRESS) && isWithin(strangers, STRANGERS))
    if (!isAllowed && strangers.recent > 0) return false
    const hasCode =
      isKnownBrowser || (own.codes < ADDRESS_CODES_PER_DAY && strangers.codes < STRANGERS_CODES_PER_DAY)
    await insertCodeRequest(ctx, {
      browserHash,
      email,
      asker,
      isKnownBrowser,
      hasCode,
      expiresAt: new Date(nowMs + CODE_VALID_MS),
    })
    await addJob(ctx, 'send_sign_in_code', { browserHash: browserHash.toString('hex') })
    return true
  })
}
