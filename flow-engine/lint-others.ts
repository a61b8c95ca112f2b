// A flow among the others of its workspace: flows that call each other in a circle or too deep, and a flow that never
// starts because an earlier one always takes its trigger.
import { listSteps, type PlacedStep } from './definition-index.ts'
import { findInstant } from './find-paths.ts'
import { foldText } from './fold-text.ts'
import { DEPTH_MAX } from './limits.ts'
import type { LintFacts, OtherFlow } from './lint-contract.ts'
import { type Problem, problemAt } from './problems.ts'
import type { FlowDefinition, Trigger } from './schema.ts'

export const lintOthers = (definition: FlowDefinition, facts: LintFacts): Problem[] => [
  ...lintCalls(definition, facts),
  ...lintTriggers(definition, facts),
]

/** Each step that calls a flow is followed until it comes back here, or too deep. */
const lintCalls = (definition: FlowDefinition, { flow, others }: LintFacts): Problem[] =>
  listSteps(definition).flatMap((placed) => {
    const { step } = placed
    if (step.type !== 'flow' || step.isOff) return []
    if (isFresh(definition, placed)) return []
    const found = follow(step.flowId, flow.id, new Map(others.map((other) => [other.id, other])))
    if (found.circle) {
      const names = found.circle.join(' → ')
      const fix = step.as === 'instead' ? ' Add a question or a wait before one of these steps.' : ''
      return [
        problemAt(
          'flow_circle',
          placed,
          `flows call each other in a circle: this flow → ${names}.${fix}`,
          'error',
        ),
      ]
    }
    return found.depth > DEPTH_MAX
      ? [
          problemAt(
            'flow_too_deep',
            placed,
            `leads ${found.depth} flows deep. The limit is ${DEPTH_MAX}.`,
            'error',
          ),
        ]
      : []
  })

/** A flow that another one continues in after a question or a wait begins anew: customers may go back to a menu. */
const isFresh = (definition: FlowDefinition, { step, block, at }: PlacedStep): boolean =>
  step.type === 'flow' && step.as === 'instead' && !findInstant(definition).has(block, at)

type Followed = { circle: string[] | null; depth: number }

/** A circle among the others that doesn't come back here counts too: a run would never leave it. */
const follow = (first: string, ownId: string | null, others: ReadonlyMap<string, OtherFlow>): Followed => {
  if (first === ownId) return { circle: ['itself'], depth: 1 }
  const depths = new Map<string, number>()
  const open: Call[] = [{ id: first, path: [], names: [] }]
  let deepest = 1
  for (let next = open.pop(); next; next = open.pop()) {
    const other = others.get(next.id)
    if (next.id === ownId || next.path.includes(next.id))
      return { circle: next.names, depth: next.path.length }
    const depth = next.path.length + 1
    if (!other || (depths.get(next.id) ?? 0) >= depth) continue
    depths.set(next.id, depth)
    deepest = Math.max(deepest, depth)
    for (const { id, stepId } of callsOf(other.definition))
      open.push({
        id,
        path: [...next.path, next.id],
        names: [...next.names, `“${other.name}” (step ${stepId})`],
      })
  }
  return { circle: null, depth: deepest }
}

/** `names`: the flows on the way here, with the step by which each calls the next. */
type Call = { id: string; path: string[]; names: string[] }

const callsOf = (definition: FlowDefinition): { id: string; stepId: string }[] =>
  listSteps(definition).flatMap((placed) => {
    const { step } = placed
    const isCall = step.type === 'flow' && !step.isOff && !isFresh(definition, placed)
    return isCall ? [{ id: step.flowId, stepId: step.id }] : []
  })

/** Only dialogs compete: background flows all start. */
const lintTriggers = (definition: FlowDefinition, { flow, others }: LintFacts): Problem[] => {
  if (definition.kind === 'background') return []
  const earlier = others.filter(
    (other) => other.isLive && other.definition.kind === 'dialog' && other.position < flow.position,
  )
  return definition.triggers.flatMap((trigger, at): Problem[] => {
    const taker = earlier.find((other) => alwaysTakes(other.definition, trigger))
    if (!taker) return []
    const message = `Trigger ${at + 1}: “${taker.name}” comes first and always takes it. Move this flow up, or narrow that trigger.`
    return [{ severity: 'warning', code: 'never_starts', block: null, stepId: null, message }]
  })
}

/** Certain cases only: what depends on the contact, or on earlier runs, may leave something. */
const alwaysTakes = (earlier: FlowDefinition, trigger: Trigger): boolean =>
  earlier.audience === undefined &&
  (earlier.reentry === undefined || earlier.reentry === 'always') &&
  earlier.triggers.some((one) => covers(one, trigger))

const covers = (one: Trigger, other: Trigger): boolean =>
  one.on === other.on &&
  one.when === undefined &&
  (!one.isFirst || other.isFirst === true) &&
  (one.choice === undefined || one.choice === other.choice) &&
  (one.by ?? 'customer') === (other.by ?? 'customer') &&
  (one.evenIfAssigned || !other.evenIfAssigned) === true &&
  (one.tagId === undefined || one.tagId === other.tagId) &&
  (one.field === undefined || one.field === other.field) &&
  (one.to === undefined || one.to === other.to) &&
  (one.after === undefined || one.after === other.after) &&
  includesAll(one.channels, other.channels) &&
  includesAll(one.accountIds, other.accountIds) &&
  coversWords(one, other)

const includesAll = (all: readonly string[] | undefined, some: readonly string[] | undefined): boolean =>
  all === undefined || (some?.every((one) => all.includes(one)) ?? false)

const coversWords = (one: Trigger, other: Trigger): boolean => {
  if (one.words === undefined) return true
  const own = new Set(one.words.map(foldText))
  const isAsWide = (one.wordsMode ?? 'whole') === (other.wordsMode ?? 'whole') || one.wordsMode === 'contains'
  return isAsWide && (other.words?.every((word) => own.has(foldText(word))) ?? false)
}
