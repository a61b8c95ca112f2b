// Runs as people and programs read them.
import { END_REASONS } from '../../../flow-engine/end-reasons.ts'
import { publicVariables } from '../../../flow-engine/facts.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import { ApiError } from '../../platform/errors.ts'
import { findVersion } from '../automation/live-flows.ts'
import { findRun, listRunRows, type RunRow } from './run-queries.ts'
import type { FlowRun, FlowRunAnswer, FlowRunList, FlowRunsQuery } from './schema.ts'

const toRun = ({ endReason, ...row }: RunRow): FlowRun => ({
  ...row,
  endReason,
  endMessage:
    endReason !== null && Object.hasOwn(END_REASONS, endReason)
      ? END_REASONS[endReason as keyof typeof END_REASONS].says
      : null,
})

/** The newest runs first, in one statement. Ids of nothing find nothing. Throws VALIDATION_ERROR for a foreign cursor. */
export const listFlowRuns = async (
  ctx: Ctx,
  { cursor, limit = PAGE_DEFAULT, ...filter }: FlowRunsQuery,
): Promise<FlowRunList> => {
  const { flowId, conversationId, contactId, status } = filter
  const listing = ['listFlowRuns', ctx.workspaceId, flowId, conversationId, contactId, status]
  const before = cursor === undefined ? undefined : decodeCursor(listing, cursor).id
  const rows = await listRunRows(ctx, { ...filter, before, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return {
    runs: shown.map(toRun),
    nextCursor: rows.length > limit ? encodeCursor(listing, { at: null, id: shown.at(-1)!.id }) : null,
  }
}

/** A run with its steps and what it collected, without private variables. Throws FLOW_RUN_NOT_FOUND. */
export const getFlowRun = async (ctx: Ctx, runId: string): Promise<FlowRunAnswer> => {
  const found = await findRun(ctx, runId)
  if (!found) throw new ApiError('FLOW_RUN_NOT_FOUND')
  const { state, cause, steps, ...row } = found
  // Without the definition nobody can tell which variables are private.
  const definition =
    state && row.version !== null ? await findVersion(ctx, row.flowId, row.version) : undefined
  const variables = state && definition ? publicVariables(definition, state) : {}
  return { run: { ...toRun(row), variables, cause, steps } }
}
