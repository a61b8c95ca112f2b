// Which flows may start runs. What becomes of runs that haven't ended is decided in flow-runs/stop-flow.ts.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { foldText } from '../search/search-text.ts'
import { lockWorkspace, raiseAutomationRevision } from '../workspaces/queries.ts'
import { freeName, getFlowDetails, lockExistingFlow, requireRoom } from './edit-flow.ts'
import type { FlowDetails } from './editor-schema.ts'
import { type FlowRow, listNames, updateFlow } from './queries.ts'
import type { FlowState } from './schema.ts'

/** Stops a live flow from starting runs. A paused one stays as it is. Throws FLOW_NOT_FOUND and FLOW_STATE_CONFLICT. */
export const pauseFlow = (ctx: Ctx, flowId: string): Promise<void> =>
  moveFlow(ctx, flowId, { from: 'live', to: 'paused', refusal: 'Only a live flow can be paused.' })

/** Lets a paused flow start runs again. A live one stays as it is. Throws FLOW_NOT_FOUND and FLOW_STATE_CONFLICT. */
export const resumeFlow = async (ctx: Ctx, flowId: string): Promise<FlowDetails> => {
  await moveFlow(ctx, flowId, { from: 'paused', to: 'live', refusal: 'Only a paused flow can be resumed.' })
  return getFlowDetails(ctx, flowId)
}

const moveFlow = (
  ctx: Ctx,
  flowId: string,
  { from, to, refusal }: { from: FlowState; to: FlowState; refusal: string },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const flow = await lockExistingFlow(ctx, flowId)
    if (flow.state === to) return
    if (flow.state !== from) throw new ApiError('FLOW_STATE_CONFLICT', { message: refusal })
    await setState(ctx, flow, to)
  })

const setState = async (ctx: Ctx, { id }: FlowRow, state: FlowState): Promise<void> => {
  await updateFlow(ctx, id, { state })
  await raiseAutomationRevision(ctx, state === 'live')
}

/** Hides a flow, which then starts nothing; its name is free again. Archiving twice is fine. Throws FLOW_NOT_FOUND. */
export const archiveFlow = (ctx: Ctx, flowId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const flow = await lockExistingFlow(ctx, flowId)
    if (flow.state !== 'archived') await setState(ctx, flow, 'archived')
  })

/**
 * Brings an archived flow back, paused or as a draft, and with a number after its name if that was taken meanwhile.
 * Others stay as they are. Throws FLOW_NOT_FOUND, and VALIDATION_ERROR beyond 200 flows.
 */
export const restoreFlow = (ctx: Ctx, flowId: string): Promise<FlowDetails> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const flow = await lockExistingFlow(ctx, flowId)
    if (flow.state === 'archived') {
      const others = await listNames(ctx)
      requireRoom(others)
      const name = freeName(flow.name, others)
      const position = Math.max(0, ...others.map(({ position }) => position)) + 1
      const state = flow.version === null ? 'draft' : 'paused'
      await updateFlow(ctx, flowId, { state, name, nameKey: foldText(name), position })
    }
    return getFlowDetails(ctx, flowId)
  })
