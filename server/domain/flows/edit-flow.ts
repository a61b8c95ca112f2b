// Creating, renaming, copying and deleting flows, and saving their drafts. Nothing here changes what runs.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { foldText } from '../search/search-text.ts'
import { lockWorkspace, raiseAutomationRevision } from '../workspaces/queries.ts'
import { type Draft, readDraft } from './draft.ts'
import type { DraftSaved, FlowDetails } from './editor-schema.ts'
import {
  deleteFlowRow,
  type FlowRow,
  findDraft,
  findFlowDetails,
  findVersionText,
  insertFlow,
  listNames,
  lockFlow,
  updateFlow,
  updatePositions,
} from './queries.ts'
import { FLOW_NAME_MAX, FLOWS_MAX } from './schema.ts'
import { copyTests } from './test-queries.ts'

/** Throws FLOW_NOT_FOUND. */
export const getFlowDetails = async (ctx: Ctx, flowId: string): Promise<FlowDetails> => {
  const flow = await findFlowDetails(ctx, flowId)
  if (!flow) throw new ApiError('FLOW_NOT_FOUND')
  return { flow }
}

/** Locks a flow. Throws FLOW_NOT_FOUND. */
export const lockExistingFlow = async (ctx: Ctx, flowId: string): Promise<FlowRow> => {
  const flow = await lockFlow(ctx, flowId)
  if (!flow) throw new ApiError('FLOW_NOT_FOUND')
  return flow
}

/** A new flow as a draft. For a transaction. Throws VALIDATION_ERROR for a name that is taken, or beyond 200 flows. */
export const addFlow = async (ctx: Ctx, name: string, draft: Draft): Promise<string> => {
  await lockWorkspace(ctx)
  const others = await listNames(ctx)
  requireRoom(others)
  requireFreeName(others, name)
  const position = Math.max(0, ...others.map(({ position }) => position)) + 1
  return insertFlow(ctx, { name, nameKey: foldText(name), kind: draft.kind, position, draft: draft.text })
}

export const requireRoom = (others: readonly unknown[]): void => {
  if (others.length >= FLOWS_MAX)
    throw invalid({
      field: 'name',
      message: `can’t be added: the workspace already has ${FLOWS_MAX} flows. Archive some first`,
    })
}

const requireFreeName = (others: readonly { id: string; nameKey: string }[], name: string): void => {
  if (others.some(({ nameKey }) => nameKey === foldText(name)))
    throw invalid({ field: 'name', message: 'is the name of another flow' })
}

/** Throws VALIDATION_ERROR as addFlow does, and for a draft that can't be kept. */
export const createFlow = (ctx: Ctx, input: { name: string; definition?: unknown }): Promise<FlowDetails> =>
  inTransaction(ctx, async (ctx) =>
    getFlowDetails(ctx, await addFlow(ctx, input.name, readDraft(input.definition))),
  )

/** Throws FLOW_NOT_FOUND, and VALIDATION_ERROR for a name that is taken. */
export const renameFlow = (ctx: Ctx, flowId: string, name: string): Promise<FlowDetails> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const flow = await lockExistingFlow(ctx, flowId)
    const others = await listNames(ctx)
    if (flow.state !== 'archived')
      requireFreeName(
        others.filter(({ id }) => id !== flowId),
        name,
      )
    await updateFlow(ctx, flowId, { name, nameKey: foldText(name) })
    // Messages carry the name.
    if (flow.state === 'live') await raiseAutomationRevision(ctx, true)
    return getFlowDetails(ctx, flowId)
  })

/**
 * Saves a draft if it is based on the latest one. Throws FLOW_NOT_FOUND, FLOW_DRAFT_CHANGED if somebody else saved
 * meanwhile, and VALIDATION_ERROR for a draft that can't be kept.
 */
export const saveDraft = (
  ctx: Ctx,
  flowId: string,
  { definition, revision }: { definition: unknown; revision: number },
): Promise<DraftSaved> =>
  inTransaction(ctx, async (ctx) => {
    const draft = readDraft(definition)
    const flow = await lockExistingFlow(ctx, flowId)
    if (flow.draftRevision !== revision) throw new ApiError('FLOW_DRAFT_CHANGED')
    return storeDraft(ctx, flow, draft)
  })

/** The kind of a published flow is that of its live version. */
export const storeDraft = async (ctx: Ctx, flow: FlowRow, draft: Draft): Promise<DraftSaved> => {
  const draftRevision = flow.draftRevision + 1
  const kind = flow.version === null ? { kind: draft.kind } : {}
  const updatedAt = await updateFlow(ctx, flow.id, { draft: draft.text, draftRevision, ...kind })
  return { draftRevision, updatedAt }
}

/** Makes an old version the draft; it is live only after publishing. Throws FLOW_NOT_FOUND and FLOW_VERSION_NOT_FOUND. */
export const restoreVersion = (ctx: Ctx, flowId: string, version: string): Promise<DraftSaved> =>
  inTransaction(ctx, async (ctx) => {
    const flow = await lockExistingFlow(ctx, flowId)
    const found = await findVersionText(ctx, flowId, numberOf(version))
    if (!found) throw new ApiError('FLOW_VERSION_NOT_FOUND')
    return storeDraft(ctx, flow, { text: found.definition, kind: flow.kind })
  })

/** The definition of a version. Throws FLOW_VERSION_NOT_FOUND. */
export const getVersion = async (
  ctx: Ctx,
  flowId: string,
  version: string,
): Promise<{ version: number; definition: object }> => {
  const found = await findVersionText(ctx, flowId, numberOf(version))
  if (!found) throw new ApiError('FLOW_VERSION_NOT_FOUND')
  return { version: numberOf(version), definition: JSON.parse(found.definition) as object }
}

/** Anything else than a number is that of no version. */
const numberOf = (version: string): number => (/^[1-9]\d{0,8}$/.test(version) ? Number(version) : 0)

/** A copy of the draft and its tests, as a new draft. Throws as addFlow does, and FLOW_NOT_FOUND. */
export const duplicateFlow = (ctx: Ctx, flowId: string): Promise<FlowDetails> =>
  inTransaction(ctx, async (ctx) => {
    const flow = await findDraft(ctx, flowId)
    if (!flow) throw new ApiError('FLOW_NOT_FOUND')
    await lockWorkspace(ctx)
    const name = freeName(`${flow.name.slice(0, FLOW_NAME_MAX - COPY_MARGIN)} copy`, await listNames(ctx))
    const copyId = await addFlow(ctx, name, { text: flow.draft, kind: flow.kind })
    await copyTests(ctx, flowId, copyId)
    return getFlowDetails(ctx, copyId)
  })

/** Room for " copy" and a number. */
const COPY_MARGIN = 10

/** The name, or the first of "name 2", "name 3" … that is free. */
export const freeName = (name: string, others: readonly { nameKey: string }[]): string => {
  const taken = new Set(others.map(({ nameKey }) => nameKey))
  let free = name
  for (let number = 2; taken.has(foldText(free)); number++)
    free = `${name.slice(0, FLOW_NAME_MAX - COPY_MARGIN)} ${number}`
  return free
}

/** Deletes a draft that was never published; runs refer to the others. Throws FLOW_NOT_FOUND and FLOW_STATE_CONFLICT. */
export const deleteFlow = (ctx: Ctx, flowId: string): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    const { version } = await lockExistingFlow(ctx, flowId)
    if (version !== null)
      throw new ApiError('FLOW_STATE_CONFLICT', {
        message: 'A flow that was published can’t be deleted. Archive it instead.',
      })
    await deleteFlowRow(ctx, flowId)
    return { success: true }
  })

/**
 * Sets the order in which flows are tried; those that aren't named come after, in their order. Throws VALIDATION_ERROR
 * for an id that is no flow of the workspace.
 */
export const reorderFlows = (ctx: Ctx, ids: readonly string[]): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const known = await listNames(ctx)
    const unknown = ids.findIndex((id) => !known.some((flow) => flow.id === id))
    if (unknown >= 0) throw invalid({ field: `ids[${unknown}]`, message: 'is not a flow of this workspace' })
    const rest = known
      .filter(({ id }) => !ids.includes(id))
      .sort((a, b) => a.position - b.position)
      .map(({ id }) => id)
    await updatePositions(ctx, [...ids, ...rest])
    await raiseAutomationRevision(ctx, false)
    return { success: true }
  })
