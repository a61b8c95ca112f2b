// What definitions refer to and still exists. Kept for a second: it is asked for with every sprint, and a tag that was
// deleted meanwhile is found out when it is used.
import type { ExistingFacts } from '../../../flow-engine/contract.ts'
import { type Reference, type ReferenceKind, referencesOf } from '../../../flow-engine/references.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { LiveFlows } from '../automation/live-flows.ts'
import { existingOf, loadReferenced } from '../flows/load-facts.ts'

const KEPT_MS = 1_000

/** Flows and hours are read with every batch anyway, and accounts are only named by triggers. */
const READ_HERE: ReadonlySet<ReferenceKind> = new Set<ReferenceKind>([
  'tag',
  'agent',
  'team',
  'action',
  'template',
  'attachment',
])

type Kept = { readAtMs: number; workspaceId: string; facts: ExistingFacts }

const kept = new WeakMap<FlowDefinition, Kept>()
const references = new WeakMap<FlowDefinition, { read: Reference[]; flowIds: string[] }>()

/** What a provider or another transaction refused although it seemed to be there, as in EffectRefused. */
export type Excluded = ReadonlySet<string>

const referencesIn = (definition: FlowDefinition): { read: Reference[]; flowIds: string[] } => {
  const known = references.get(definition)
  if (known) return known
  const all = referencesOf(definition)
  const found = {
    read: all.filter(({ kind }) => READ_HERE.has(kind)),
    flowIds: [...new Set(all.flatMap(({ kind, id }) => (kind === 'flow' ? [id] : [])))],
  }
  references.set(definition, found)
  return found
}

/** At most one statement for each definition and second. */
export const findExisting = async (
  ctx: Ctx,
  definition: FlowDefinition,
  live: LiveFlows,
  excluded: Excluded,
): Promise<ExistingFacts> => {
  const { read, flowIds } = referencesIn(definition)
  const facts = await readKept(ctx, definition, read, excluded.size > 0)
  const isIncluded = (name: string): boolean => !excluded.has(name)
  return {
    ...facts,
    agents: facts.agents.filter(({ id }) => isIncluded(`agent ${id}`)),
    teamIds: facts.teamIds.filter((id) => isIncluded(`team ${id}`)),
    templates: facts.templates.filter(({ name }) => isIncluded(`template ${name}`)),
    flowIds: flowIds.filter((id) => live.flows.has(id)),
  }
}

const readKept = async (
  ctx: Ctx,
  definition: FlowDefinition,
  read: readonly Reference[],
  isFresh: boolean,
): Promise<ExistingFacts> => {
  if (read.length === 0) return existingOf(ctx, [])
  const found = kept.get(definition)
  const nowMs = performance.now()
  if (!isFresh && found && found.workspaceId === ctx.workspaceId && nowMs - found.readAtMs < KEPT_MS)
    return found.facts
  const facts = existingOf(ctx, await loadReferenced(ctx, read))
  kept.set(definition, { readAtMs: nowMs, workspaceId: ctx.workspaceId, facts })
  return facts
}
