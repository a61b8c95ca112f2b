import type { Ctx } from '../../platform/ctx/ctx.ts'
import { seesAll } from '../../platform/ctx/permissions.ts'
import { ApiError } from '../../platform/errors.ts'
import { liveFlowsOf } from '../automation/live-flows.ts'
import { readFirstMessages } from './backtest-queries.ts'
import type { Backtest } from './editor-schema.ts'
import { backtestInThread, checkInThread } from './engine-thread.ts'
import { loadReferenced, loadWorld } from './load-facts.ts'
import { detailOf } from './publish-flow.ts'
import { findDraft } from './queries.ts'
import { BACKTEST_DAYS, BACKTEST_MESSAGES_MAX } from './schema.ts'

const DAY_MS = 86_400_000

/**
 * What the draft would have done with the first messages of the last 30 days' conversations, at most 5,000, with
 * contacts as they are today. Sends nothing, and takes a fixed number of statements. Throws FLOW_NOT_FOUND, FLOW_INVALID,
 * and FORBIDDEN for agents who may not see all conversations.
 */
export const backtestFlow = async (ctx: Ctx, flowId: string): Promise<Backtest> => {
  if (!seesAll(ctx.actor)) throw new ApiError('FORBIDDEN')
  const flow = await findDraft(ctx, flowId)
  if (!flow) throw new ApiError('FLOW_NOT_FOUND')
  const { problems, kind, references } = await checkInThread(flow.draft)
  if (kind === null) throw new ApiError('FLOW_INVALID', { details: problems.map(detailOf) })
  const world = await loadWorld(ctx, await loadReferenced(ctx, references))
  const others = [...(await liveFlowsOf(ctx)).flows.values()].filter(({ id }) => id !== flowId)
  const since = new Date(ctx.now().getTime() - BACKTEST_DAYS * DAY_MS)
  const result = await backtestInThread({
    job: 'backtest',
    definition: flow.draft,
    flow: { id: flow.id, position: flow.position },
    others,
    messages: await readFirstMessages(ctx, { since, limit: BACKTEST_MESSAGES_MAX }),
    world,
  })
  const names = new Map(others.map(({ id, name }) => [id, name]))
  return {
    ...result,
    days: BACKTEST_DAYS,
    overtaken: result.overtaken.map((one) => ({ ...one, flowName: names.get(one.flowId) ?? '' })),
  }
}
