// What all conversations of a batch share.
import { prepareTriggers } from '../../../flow-engine/triggers.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { DEFAULT_SETTINGS } from '../ai/default-settings.ts'
import { toSettings } from '../ai/settings-queries.ts'
import { findVersion, type LiveFlows } from '../automation/live-flows.ts'
import { isRightCode } from '../identity-codes/code.ts'
import { findCodeAddress } from '../identity-codes/queries.ts'
import { type Excluded, findExisting } from './existing.ts'
import { listWorkloads, type WorkspaceFacts } from './fact-queries.ts'
import type { World } from './place.ts'
import { takeStep } from './plan-ai.ts'
import { findUsualReply } from './usual-reply.ts'

export const worldOf = (
  ctx: Ctx,
  { name, hasAi, hasModel, ai, hours }: WorkspaceFacts,
  live: LiveFlows,
  excluded: Excluded,
): World => {
  const usual = hours.find(({ isDefault }) => isDefault)
  return {
    ...emptyWorld(ctx),
    workspace: { name, timeZone: usual?.timeZone ?? 'UTC' },
    hasAi: hasAi && !excluded.has('agent ai'),
    hasModel,
    ai: ctx.isAiOff ? { ...toSettings(ai), isStopped: true } : toSettings(ai),
    hours,
    live,
    excluded,
    existingFor: (definition) => findExisting(ctx, definition, live, excluded),
    findUsualReply: once(() => findUsualReply(ctx, hours)),
  }
}

export const emptyWorld = (ctx: Ctx): World => ({
  now: ctx.now().getTime(),
  workspace: { name: '', timeZone: 'UTC' },
  hours: [],
  live: { revision: 0, flows: new Map(), prepared: prepareTriggers([]), aiModes: {} },
  hasAi: false,
  hasModel: false,
  ai: DEFAULT_SETTINGS,
  newId: () => ctx.newId(),
  startAi: takeStep,
  excluded: new Set(),
  definitionOf: (flowId, version) => findVersion(ctx, flowId, version),
  existingFor: () => Promise.reject(new Error('nothing is conducted')),
  findUsualReply: async () => null,
  findCodeAddress: (conversationId) => findCodeAddress(ctx, conversationId),
  isRightCode: (id, given) => isRightCode(ctx.seal, { workspaceId: ctx.workspaceId, id }, given),
  chooseAgent: chooserOf(ctx),
})

/** For all of a batch. */
const once = <T>(find: () => Promise<T>): (() => Promise<T>) => {
  let found: Promise<T> | undefined
  return () => {
    found ??= find()
    return found
  }
}

/** Those chosen in this batch count as assigned, the latest last. */
const chooserOf = (ctx: Ctx): World['chooseAgent'] => {
  const chosen: string[] = []
  return async (agentIds, by) => {
    const loads = await listWorkloads(ctx, agentIds)
    const ranks = loads.map(({ agentId, open, assignedAt }) => {
      const own = chosen.filter((id) => id === agentId).length
      const assignedMs = assignedAt ? Date.parse(assignedAt) : 0
      const turn = [chosen.lastIndexOf(agentId), assignedMs] as const
      return {
        agentId,
        rank: by === 'fewest_open' ? ([open + own, ...turn] as const) : ([...turn, 0] as const),
      }
    })
    ranks.sort(({ rank: a }, { rank: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
    const { agentId } = ranks[0]!
    chosen.push(agentId)
    return agentId
  }
}
