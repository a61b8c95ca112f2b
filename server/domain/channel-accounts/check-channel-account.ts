import { setTimeout as delay } from 'node:timers/promises'
import type { ChannelCheck } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { SealError } from '../../platform/seal.ts'
import { findChannelAccount, openSecrets } from './queries.ts'
import { recordChannelProblem } from './record-channel-problem.ts'
import type { StoredChannelAccount } from './schema.ts'

export const CHECK_TIMEOUT_MS = 10_000
/** For a check that exceeds its own time limit. */
const GRACE_MS = 1_000

export type CheckedChannel = { ok: boolean; checks: ChannelCheck[] }

/**
 * Tests a channel account with its provider, within ten seconds. If everything works, a recorded problem is cleared.
 * Throws CHANNEL_NOT_FOUND; problems with the provider are in the result.
 */
export const checkChannelAccount = async (ctx: Ctx, channelId: string): Promise<CheckedChannel> => {
  const account = await findChannelAccount(ctx, channelId)
  if (!account) throw new ApiError('CHANNEL_NOT_FOUND')
  const checks = await run(ctx, account)
  const ok = checks.every((check) => check.ok)
  if (ok) await recordChannelProblem(ctx, channelId, null)
  return { ok, checks }
}

const run = async (ctx: Ctx, account: StoredChannelAccount): Promise<ChannelCheck[]> => {
  if (account.channel === 'web')
    return [
      { name: 'Web chat', ok: true, message: 'Web chat is served by this server and needs no provider.' },
    ]
  const { check } = ctx.channels[account.channel]
  if (!check) return [{ name: 'Check', ok: false, message: 'This type of channel can’t be tested.' }]
  const stopping = new AbortController()
  try {
    const secrets = openSecrets(ctx.seal, account) as Record<string, string>
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
