import { setTimeout as delay } from 'node:timers/promises'
import type { ChannelCheck } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { SealError } from '../../platform/seal.ts'
import { CHECK_FAILED } from './problem-advice.ts'
import { findChannelAccount, openSecrets, readableSecrets, setChecked } from './queries.ts'
import { recordChannelProblem } from './record-channel-problem.ts'
import type { StoredChannelAccount } from './schema.ts'

export const CHECK_TIMEOUT_MS = 10_000
/** For a check that exceeds its own time limit. */
const GRACE_MS = 1_000

type ShownCheck = Pick<ChannelCheck, 'name' | 'ok' | 'message'>
export type CheckedChannel = { ok: boolean; checks: ShownCheck[] }

/**
 * Tests a channel account with its provider, within ten seconds. What fails is recorded as its problem; if everything
 * works, a recorded problem is cleared. Throws CHANNEL_NOT_FOUND; problems with the provider are in the result.
 */
export const checkChannelAccount = async (ctx: Ctx, channelId: string): Promise<CheckedChannel> => {
  const account = await findChannelAccount(ctx, channelId)
  if (!account) throw new ApiError('CHANNEL_NOT_FOUND')
  const checks = await runCheck(ctx, account, () => openSecrets(ctx.seal, account) as Record<string, string>)
  const failed = checks.find((check) => !check.ok)
  await setChecked(ctx, channelId, { isWorking: !failed })
  // What traffic met says more than a test, and lost credentials are told apart from problems.
  const isKnown =
    (account.problem && !CHECK_CODES.includes(account.problem.code)) || !readableSecrets(ctx.seal, account)
  if (!failed) await recordChannelProblem(ctx, channelId, null)
  else if (!isKnown)
    await recordChannelProblem(ctx, channelId, {
      code: CHECK_FAILED[failed.about ?? 'sending'],
      message: failed.message,
    })
  return { ok: !failed, checks: checks.map(shownCheck) }
}

export const shownCheck = ({ name, ok, message }: ChannelCheck): ShownCheck => ({ name, ok, message })

const CHECK_CODES: readonly string[] = Object.values(CHECK_FAILED)

/** The test itself, also of an account that is not stored yet. */
export const runCheck = async (
  ctx: Ctx,
  account: Pick<StoredChannelAccount, 'id' | 'channel' | 'address' | 'settings'>,
  secretsOf: () => Record<string, string>,
): Promise<ChannelCheck[]> => {
  if (account.channel === 'web')
    return [
      { name: 'Web chat', ok: true, message: 'Web chat is served by this server and needs no provider.' },
    ]
  const { check } = ctx.channels[account.channel]
  if (!check) return [{ name: 'Check', ok: false, message: 'This type of channel can’t be tested.' }]
  const stopping = new AbortController()
  try {
    const secrets = secretsOf()
    const { id, address, settings } = account
    return await Promise.race([
      check(
        { id, address, settings: settings as Record<string, unknown>, secrets },
        { timeoutMs: CHECK_TIMEOUT_MS },
      ),
      delay(CHECK_TIMEOUT_MS + GRACE_MS, undefined, { signal: stopping.signal }).then(() => {
        throw new Error('the check took too long')
      }),
    ])
  } catch (error) {
    ctx.log.warn({ err: error, channelAccountId: account.id }, 'a channel could not be checked')
    if (error instanceof SealError)
      return [
        { name: 'Credentials', ok: false, message: 'The credentials can’t be decrypted. Enter them again.' },
      ]
    return [{ name: 'Check', ok: false, message: 'The test did not finish. Try again.' }]
  } finally {
    stopping.abort()
  }
}
