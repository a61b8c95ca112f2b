// Flows as files: an export names what the flow refers to, and an import finds the same by name in its own workspace.
import { isRecord } from '../../../flow-engine/check-shape.ts'
import { isBlank } from '../../../flow-engine/fold-text.ts'
import { PROBLEMS_MAX, type Problem } from '../../../flow-engine/problems.ts'
import {
  NOUNS,
  type Reference,
  type ReferenceKind,
  referencesOf,
  replaceReferences,
} from '../../../flow-engine/references.ts'
import type { Scenario } from '../../../flow-engine/scenario.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { readDraft } from './draft.ts'
import { addFlow, freeName, lockExistingFlow, storeDraft } from './edit-flow.ts'
import type { FlowFile, Imported } from './editor-schema.ts'
import { checkInThread } from './engine-thread.ts'
import { readScenario } from './flow-tests.ts'
import { loadReferenced } from './load-facts.ts'
import { detailOf } from './publish-flow.ts'
import { findDraft, listNames } from './queries.ts'
import type { Referenced } from './reference-queries.ts'
import { FLOW_NAME_MAX, TESTS_MAX } from './schema.ts'
import { insertFlowTests, listFlowTests, replaceTests } from './test-queries.ts'

const FORMAT = 'foyer-flow'
/** Names in a file: more references than a definition can hold aren't looked up. */
const NAMES_MAX = 5_000

/** The draft with its tests, in a fixed number of statements. Throws FLOW_NOT_FOUND. */
export const exportFlow = async (ctx: Ctx, flowId: string): Promise<FlowFile> => {
  const flow = await findDraft(ctx, flowId)
  if (!flow) throw new ApiError('FLOW_NOT_FOUND')
  const { references } = await checkInThread(flow.draft)
  const referenced = await loadReferenced(ctx, references)
  const tests = await listFlowTests(ctx, flowId)
  return {
    format: FORMAT,
    name: flow.name,
    definition: JSON.parse(flow.draft) as object,
    tests: tests.map(({ scenario }) => scenario),
    names: referenced
      .filter(
        ({ kind, id }) => kind !== 'template' && references.some((one) => one.kind === kind && one.id === id),
      )
      .map(({ kind, id, name }) => ({ kind, id, name })),
  }
}

export type ImportInput = {
  /** What an export wrote, or a definition alone. */
  file: unknown
  /** Instead of the file's. */
  name?: string | undefined
  /** Replaces the draft and the tests of this flow instead of adding one. */
  flowId?: string | undefined
}

/**
 * Adds a flow from a file as a draft. What it refers to is looked up by id, then by the name that the file gives; what
 * isn't found stays as it is and is listed, step by step. A name that is taken gets a number. Throws FLOW_INVALID for a
 * definition that could never be published, VALIDATION_ERROR for what is no file of a flow, and FLOW_NOT_FOUND.
 */
export const importFlow = async (ctx: Ctx, { file, name, flowId }: ImportInput): Promise<Imported> => {
  const parts = readFile(file, name)
  const { text } = readDraft(parts.definition)
  const checked = await checkInThread(text)
  if (checked.kind === null) throw new ApiError('FLOW_INVALID', { details: checked.problems.map(detailOf) })
  // It has just been accepted.
  const definition = parts.definition as FlowDefinition
  const found = await findHere(ctx, checked.references, parts.names)
  const adapted = replaceReferences(definition, (reference) => found.get(keyOf(reference)))
  const draft = { text: JSON.stringify(adapted), kind: checked.kind }
  const tests = parts.tests.map((test) => adaptTest(test, found))
  const stored = await inTransaction(ctx, async (ctx) => {
    if (flowId === undefined) {
      await lockWorkspace(ctx)
      const id = await addFlow(ctx, freeName(parts.name, await listNames(ctx)), draft)
      await insertFlowTests(ctx, id, tests)
      return { flowId: id, draftRevision: 1 }
    }
    const flow = await lockExistingFlow(ctx, flowId)
    const { draftRevision } = await storeDraft(ctx, flow, draft)
    await replaceTests(ctx, flowId, tests)
    return { flowId, draftRevision }
  })
  return { ...stored, problems: missingHere(definition, found, parts.names) }
}

type Names = ReadonlyMap<string, string>

type FileParts = { name: string; definition: unknown; tests: Scenario[]; names: Names }

const readFile = (file: unknown, given: string | undefined): FileParts => {
  if (!isRecord(file)) throw invalid({ field: 'file', message: 'must be a flow as JSON' })
  if (file.format !== FORMAT) {
    if (!isRecord(file.blocks)) throw invalid({ field: 'file', message: 'must be a flow as JSON' })
    return { name: given ?? 'Imported flow', definition: file, tests: [], names: new Map() }
  }
  const { tests = [], names = [] } = file
  if (!Array.isArray(tests) || tests.length > TESTS_MAX)
    throw invalid({ field: 'file', message: `can have at most ${TESTS_MAX} tests` })
  if (!Array.isArray(names) || names.length > NAMES_MAX)
    throw invalid({ field: 'file', message: `can have at most ${NAMES_MAX} names` })
  const own = typeof file.name === 'string' ? file.name.trim().slice(0, FLOW_NAME_MAX) : ''
  return {
    name: given ?? (isBlank(own) ? 'Imported flow' : own),
    definition: file.definition,
    tests: tests.map((test, at) => readScenario(test, 'file', `Test ${at + 1}`)),
    names: new Map(names.flatMap(readName)),
  }
}

const readName = (value: unknown): [string, string][] => {
  if (!isRecord(value)) return []
  const { kind, id, name } = value
  const isNamed = typeof kind === 'string' && typeof id === 'string' && typeof name === 'string'
  return isNamed && Object.hasOwn(NOUNS, kind) ? [[`${kind} ${id}`, name]] : []
}

const keyOf = ({ kind, id }: Pick<Reference, 'kind' | 'id'>): string => `${kind} ${id}`

/** The id here for each reference that has one: its own, or that of the only thing of that kind and name. */
const findHere = async (
  ctx: Ctx,
  references: readonly Reference[],
  names: Names,
): Promise<Map<string, string>> => {
  const wanted = references.map((reference) => ({ ...reference, name: names.get(keyOf(reference)) }))
  const byName = wanted.flatMap(({ kind, name }) => (name === undefined ? [] : [{ kind, name }]))
  const referenced = await loadReferenced(ctx, references, byName)
  const found = new Map<string, string>()
  for (const { kind, id, name, language } of wanted) {
    const own = referenced.filter((one) => one.kind === kind)
    const isHere = own.some((one) => one.id === id && (language === undefined || one.name === language))
    const named = name === undefined ? [] : own.filter((one: Referenced) => one.name === name)
    const here = isHere ? id : named.length === 1 ? named[0]!.id : undefined
    if (here !== undefined) found.set(keyOf({ kind, id }), here)
  }
  return found
}

const missingHere = (
  definition: FlowDefinition,
  found: ReadonlyMap<string, string>,
  names: Names,
): Problem[] => {
  const places = new Map(
    Object.entries(definition.blocks).flatMap(([block, { steps }]) =>
      steps.map(({ id }) => [id, block] as const),
    ),
  )
  return referencesOf(definition)
    .filter((reference) => !found.has(keyOf(reference)))
    .slice(0, PROBLEMS_MAX)
    .map((reference) => {
      const { kind, id, stepId } = reference
      const place = stepId === null ? 'A trigger' : `Step ${stepId}`
      const name = names.get(keyOf(reference)) ?? id
      return {
        severity: 'error' as const,
        code: 'deleted_reference' as const,
        block: stepId === null ? null : (places.get(stepId) ?? null),
        stepId,
        message: `${place}: this workspace has no ${NOUNS[kind]} “${name}”. Choose another.`,
      }
    })
}

/** Tests name actions by id, and agents that a conversation was assigned to. */
const adaptTest = (test: Scenario, found: ReadonlyMap<string, string>): Scenario => {
  const idFor = (kind: ReferenceKind, id: string): string => found.get(keyOf({ kind, id })) ?? id
  return {
    ...test,
    ...(test.calls && {
      calls: test.calls.map((call) => ({ ...call, action: idFor('action', call.action) })),
    }),
    turns: test.turns.map((turn) =>
      'expect' in turn && turn.expect.assigned !== undefined
        ? { expect: { ...turn.expect, assigned: idFor('agent', turn.expect.assigned) } }
        : turn,
    ),
  }
}
