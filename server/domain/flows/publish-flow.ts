import type { Problem } from '../../../flow-engine/problems.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, type ErrorDetail } from '../../platform/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { raiseAutomationRevision } from '../workspaces/queries.ts'
import { getFlowDetails, lockExistingFlow } from './edit-flow.ts'
import type { FlowDetails } from './editor-schema.ts'
import { type FlowRow, findDraft, findVersionText, insertVersion, updateFlow } from './queries.ts'
import { failureAsProblem, type Reviewed, reviewDraft } from './review-flow.ts'

type Publication = {
  flowId: string
  revision: number
  note?: string | undefined
  acceptWarnings?: boolean | undefined
}

/**
 * Makes the draft the live version; runs that wait go on with theirs. Of two publications at once, one succeeds.
 * Warnings and failing tests have to be accepted, and are kept with the version. Throws FLOW_NOT_FOUND,
 * FLOW_DRAFT_CHANGED, FLOW_STATE_CONFLICT for an archived flow, FLOW_INVALID, FLOW_UNCHANGED and FLOW_HAS_WARNINGS.
 */
export const publishFlow = async (ctx: Ctx, publication: Publication): Promise<FlowDetails> => {
  const found = await findDraft(ctx, publication.flowId)
  if (!found) throw new ApiError('FLOW_NOT_FOUND')
  const { draft, ...flow } = found
  requirePublishable(flow, publication.revision)
  const reviewed = await reviewDraft(ctx, flow, draft)
  requireSound(reviewed.problems)
  return inTransaction(ctx, async (ctx) => {
    const locked = await lockExistingFlow(ctx, flow.id)
    requirePublishable(locked, publication.revision)
    await storeVersion(ctx, locked, { ...publication, draft, reviewed })
    return getFlowDetails(ctx, flow.id)
  })
}

const requirePublishable = (flow: FlowRow, revision: number): void => {
  if (flow.draftRevision !== revision) throw new ApiError('FLOW_DRAFT_CHANGED')
  if (flow.state === 'archived')
    throw new ApiError('FLOW_STATE_CONFLICT', { message: 'The flow is archived. Restore it first.' })
}

const requireSound = (problems: readonly Problem[]): void => {
  const found = problems.filter(({ severity }) => severity === 'error')
  if (found.length > 0) throw new ApiError('FLOW_INVALID', { details: found.map(detailOf) })
}

/** `field` names the step, the block, or the flow as a whole. */
export const detailOf = ({ block, stepId, message }: Problem): ErrorDetail => ({
  field: stepId ?? block ?? 'flow',
  message,
})

const storeVersion = async (
  ctx: Ctx,
  flow: FlowRow,
  { draft, reviewed, note, acceptWarnings }: Publication & { draft: string; reviewed: Reviewed },
): Promise<void> => {
  const live = flow.version === null ? undefined : await findVersionText(ctx, flow.id, flow.version)
  if (live?.hash === reviewed.hash) throw new ApiError('FLOW_UNCHANGED')
  const warnings = [...reviewed.problems, ...reviewed.failures.map(failureAsProblem)]
  if (warnings.length > 0 && !acceptWarnings)
    throw new ApiError('FLOW_HAS_WARNINGS', { details: warnings.map(detailOf) })
  const version = (flow.version ?? 0) + 1
  await insertVersion(ctx, {
    flowId: flow.id,
    version,
    definition: draft,
    hash: reviewed.hash,
    note: note || null,
    warnings,
  })
  await updateFlow(ctx, flow.id, {
    state: 'live',
    kind: reviewed.kind,
    version,
    publishedRevision: flow.draftRevision,
  })
  await raiseAutomationRevision(ctx, true)
  await recordAudit(ctx, {
    action: 'flow.published',
    target: { type: 'flow', id: flow.id, name: flow.name },
    changes: { version: { from: flow.version, to: version } },
  })
}
