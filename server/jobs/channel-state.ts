// What a delivery says about its channel, for the console. Its own outcome must be recorded whether or not this can be.
import { recordChannelProblem } from '../domain/channel-accounts/record-channel-problem.ts'
import type { StoredChannelAccount } from '../domain/channel-accounts/schema.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'

export const noteState = async (
  ctx: Ctx,
  { id }: StoredChannelAccount,
  note: () => Promise<void>,
): Promise<void> => {
  try {
    await note()
  } catch (error) {
    ctx.log.warn({ err: error, channelAccountId: id }, 'the state of a channel could not be saved')
  }
}

export const recordProblem = (
  ctx: Ctx,
  account: StoredChannelAccount,
  problem: { code: string; message: string } | null,
): Promise<void> => noteState(ctx, account, () => recordChannelProblem(ctx, account.id, problem))
