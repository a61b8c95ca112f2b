// What automation asks for at every message: which flows are live, and what a version of a flow says. Both are kept in
// memory, because versions never change and the workspace's revision tells when something else became live.
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { type LiveFlow, type PreparedFlows, prepareTriggers } from '../../../flow-engine/triggers.ts'
import { makeBoundedCache } from '../../platform/bounded-cache.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import {
  type AiModes,
  findAutomationRevision,
  readLiveFlows,
  readVersions,
  type VersionKey,
} from './live-queries.ts'

/** A flow that may start runs. `definition` is the part that decides it; `findVersion` has the rest. */
export type StartableFlow = LiveFlow & {
  name: string
  version: number
  definition: LiveFlow['definition'] & Pick<FlowDefinition, 'onPerson'>
}

export type LiveFlows = {
  /** workspaces.automation_revision as it was read. */
  revision: number
  /** By id. */
  flows: ReadonlyMap<string, StartableFlow>
  /** For `matchTriggers`. */
  prepared: PreparedFlows
  aiModes: AiModes
}

/** In UTF-16 units of JSON; parsed, they take about four times as many bytes. */
const LIVE_LENGTH_MAX = 16 * 1024 * 1024
const VERSIONS_LENGTH_MAX = 16 * 1024 * 1024

const live = makeBoundedCache<LiveFlows>(LIVE_LENGTH_MAX)
const versions = makeBoundedCache<FlowDefinition>(VERSIONS_LENGTH_MAX)

/** The live flows, dialogs in the order in which they are tried. */
export const listLiveFlows = async (ctx: Ctx): Promise<StartableFlow[]> => [
  ...(await liveFlowsOf(ctx)).flows.values(),
]

/**
 * The live flows, prepared for matching. One statement while nothing changed, two after a change. A caller that has
 * just read the workspace's automation_revision passes it and saves the first.
 */
export const liveFlowsOf = async (ctx: Ctx, revision?: number): Promise<LiveFlows> => {
  const known = live.get(ctx.workspaceId)
  const current = known && (revision ?? (await findAutomationRevision(ctx)))
  if (known && known.revision === current) return known
  const read = await readLiveFlows(ctx)
  // Written by the statement from versions, which were checked before they were stored.
  const flows = JSON.parse(read.flows) as StartableFlow[]
  const found: LiveFlows = {
    revision: read.revision,
    flows: new Map(flows.map((flow) => [flow.id, flow])),
    prepared: prepareTriggers(flows),
    aiModes: read.aiModes,
  }
  live.set(ctx.workspaceId, found, read.flows.length + 1)
  return found
}

/** Undefined if there is no such version. */
export const findVersion = async (
  ctx: Ctx,
  flowId: string,
  version: number,
): Promise<FlowDefinition | undefined> =>
  (await findVersions(ctx, [{ flowId, version }])).get(versionKey({ flowId, version }))

/** Of the result of `findVersions`. */
export const versionKey = ({ flowId, version }: VersionKey): string => `${flowId} ${version}`

/** Many versions by `versionKey`, in one statement at most; those that don't exist are missing. */
export const findVersions = async (
  ctx: Ctx,
  keys: readonly VersionKey[],
): Promise<Map<string, FlowDefinition>> => {
  const found = new Map<string, FlowDefinition>()
  const missing = new Map<string, VersionKey>()
  for (const key of keys) {
    const text = versionKey(key)
    const known = versions.get(`${ctx.workspaceId} ${text}`)
    if (known) found.set(text, known)
    else missing.set(text, key)
  }
  if (missing.size === 0) return found
  for (const { definition: text, ...key } of await readVersions(ctx, [...missing.values()])) {
    // Checked before it was stored.
    const definition = JSON.parse(text) as FlowDefinition
    versions.set(`${ctx.workspaceId} ${versionKey(key)}`, definition, text.length)
    found.set(versionKey(key), definition)
  }
  return found
}
