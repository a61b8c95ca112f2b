// Whether a channel's deliveries are authentic, for the console.
import { SIGNATURE_PROBLEM } from '../domain/channel-accounts/problem-advice.ts'
import { recordChannelProblem, recordWorking } from '../domain/channel-accounts/record-channel-problem.ts'
import type { ChannelName } from '../platform/db/tables.ts'
import { type ApiDeps, type App, ctxOf } from '../platform/http/api.ts'
import type { Connected } from './accounts.ts'

/** Anybody can send a wrong signature. It says something only if no delivery with a right one came for this long. */
const QUIET_MS = 10 * 60_000

export const makeWebhookState = <C extends ChannelName>(app: App, deps: ApiDeps) => {
  /** Each is kept for seconds, so that this happens once in a while and not with each delivery. */
  const noted = { accepted: new WeakSet<Connected<C>>(), rejected: new WeakSet<Connected<C>>() }
  const note = async (
    what: 'accepted' | 'rejected',
    connected: Connected<C>,
    work: (ctx: ReturnType<typeof ctxOf>) => Promise<void>,
  ): Promise<void> => {
    if (noted[what].has(connected)) return
    noted[what].add(connected)
    const { id, workspaceId } = connected
    try {
      await work(ctxOf(deps, app, workspaceId, { type: 'system' }))
    } catch (error) {
      // A delivery does not fail because of it.
      app.log.warn({ err: error, channelAccountId: id }, 'the state of a channel could not be saved')
    }
  }
  return {
    accepted: (connected: Connected<C>): Promise<void> =>
      note('accepted', connected, (ctx) => recordWorking(ctx, connected, 'receiving')),
    rejected: (connected: Connected<C>): Promise<void> =>
      note('rejected', connected, async (ctx) => {
        const lastMs = connected.workedAt ? Date.parse(connected.workedAt) : 0
        if (!connected.problem && ctx.now().getTime() - lastMs >= QUIET_MS)
          await recordChannelProblem(ctx, connected.id, SIGNATURE_PROBLEM)
      }),
  }
}
