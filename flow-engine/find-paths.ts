// Walks a definition as a graph: which steps a run can reach, and where it could go round without ever waiting.
import { listSteps, type PlacedStep } from './definition-index.ts'
import type { FlowDefinition, Step } from './schema.ts'
import { isPause, targetsOf } from './step-parts.ts'

/** A step by its place, as block:at. */
type Graph = Map<string, string[]>

const nameOf = (block: string, at: number): string => `${block}:${at}`

/** What may follow each step. Ends (end, people, ai) are left out, unknown blocks too. */
const followers = (definition: FlowDefinition): Graph =>
  new Map(
    listSteps(definition).map(({ step, block, at }) => {
      const { targets, isExit } = targetsOf(step)
      const { steps, next } = definition.blocks[block]!
      const isLast = at === steps.length - 1
      const behind = isExit ? [] : isLast ? (next ? [next] : []) : undefined
      const blocks = [...targets, ...(behind ?? [])].filter((target) =>
        Object.hasOwn(definition.blocks, target),
      )
      const names = blocks.map((target) => nameOf(target, 0))
      return [nameOf(block, at), behind === undefined ? [...names, nameOf(block, at + 1)] : names]
    }),
  )

/** The steps that a run can come to, as `block:at`. */
export const findReachable = (definition: FlowDefinition): Places => walkFrom(definition, () => true)

/**
 * The steps that a run can come to before it has waited for a reply or a time. All of them in a definition without its
 * first block, of which only the calls of other flows are known.
 */
export const findInstant = (definition: FlowDefinition): Places =>
  Object.hasOwn(definition.blocks, definition.start)
    ? walkFrom(definition, (step) => !waits(step))
    : { has: () => true }

/** A question may be skipped. */
const waits = (step: Step): boolean =>
  !step.isOff && (step.type === 'wait' || (step.type === 'ask' && step.skipIf === undefined))

type Places = { has: (block: string, at: number) => boolean }

const walkFrom = (definition: FlowDefinition, isPassed: (step: Step) => boolean): Places => {
  const graph = followers(definition)
  const steps = new Map(listSteps(definition).map(({ step, block, at }) => [nameOf(block, at), step]))
  const reached = new Set<string>()
  const open = [nameOf(definition.start, 0)]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const step = steps.get(next)
    if (reached.has(next) || !step) continue
    reached.add(next)
    if (isPassed(step)) open.push(...graph.get(next)!)
  }
  return { has: (block, at) => reached.has(nameOf(block, at)) }
}

export type EndlessLoop = { block: string; stepId: string; loop: string[] }

/**
 * One loop without a pause for each group of such loops. A step that pauses breaks a loop: a question may be asked for
 * ever, as long as somebody answers.
 */
export const findEndlessLoops = (definition: FlowDefinition): EndlessLoop[] => {
  const graph = followers(definition)
  const steps = new Map(listSteps(definition).map((placed) => [nameOf(placed.block, placed.at), placed]))
  const isOpen = (name: string) => !isPause(steps.get(name)!.step)
  const done = new Set<string>()
  const loops: EndlessLoop[] = []
  for (const start of graph.keys()) {
    const circle = isOpen(start) ? findCircle(graph, isOpen, start, done) : undefined
    if (!circle) continue
    const placed = circle.map((name) => steps.get(name)!)
    const [first] = placed
    const blocks = placed.map(({ block }) => block).filter((block, at, all) => block !== all[at - 1])
    loops.push({ block: first!.block, stepId: first!.step.id, loop: [...new Set(blocks), blocks[0]!] })
  }
  return loops
}

/** Depth first, without recursion; `done` holds the steps from which no circle was found, or one was reported. */
const findCircle = (
  graph: Graph,
  isOpen: (name: string) => boolean,
  start: string,
  done: Set<string>,
): string[] | undefined => {
  if (done.has(start)) return undefined
  const path = [{ name: start, next: 0 }]
  const onPath = new Map([[start, 0]])
  while (path.length > 0) {
    const top = path.at(-1)!
    const following = graph.get(top.name)![top.next++]
    if (following === undefined) {
      path.pop()
      onPath.delete(top.name)
      done.add(top.name)
      continue
    }
    const from = onPath.get(following)
    if (from !== undefined) {
      for (const { name } of path) done.add(name)
      return path.slice(from).map(({ name }) => name)
    }
    if (done.has(following) || !isOpen(following)) continue
    onPath.set(following, path.length)
    path.push({ name: following, next: 0 })
  }
  return undefined
}

/** How a step is left: done, its question not answered in time, or not done. */
export type Follower = { stepId: string; after: 'done' | 'timedOut' | 'failed' }

/** The steps that may come right after a step. */
export const followersOf = (definition: FlowDefinition, { step, block, at }: PlacedStep): Follower[] => {
  const { targets, isExit } = targetsOf(step)
  const { steps, next } = definition.blocks[block]!
  const firstOf = (target: string | undefined): string | undefined =>
    target !== undefined && Object.hasOwn(definition.blocks, target)
      ? definition.blocks[target]!.steps[0]!.id
      : undefined
  const behind = isExit ? undefined : (steps[at + 1]?.id ?? firstOf(next))
  const named = targets.map((target) => ({ stepId: firstOf(target), after: howLeft(step, target) }))
  return [...named, { stepId: behind, after: 'done' as const }].flatMap(({ stepId, after }) =>
    stepId === undefined ? [] : [{ stepId, after }],
  )
}

/** A target that is named for several reasons counts as the worst of them. */
const howLeft = (step: Step, target: string): Follower['after'] => {
  if (step.type === 'ask' && step.timeout?.then === target) return 'timedOut'
  const isFailure =
    step.onFailed === target ||
    (step.type === 'ask' && step.retry?.then === target) ||
    (step.type === 'ai' && step.onGiveUp === target)
  return isFailure ? 'failed' : 'done'
}
