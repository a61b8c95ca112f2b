// What has to have happened before a step: that a variable was set, that the customer wrote within the reply window.
// Both are found by one walk over all ways through the flow.
import { listSteps, type PlacedStep } from './definition-index.ts'
import { HOUR_MS, waitMs } from './duration.ts'
import { followersOf } from './find-paths.ts'
import { channelsOf } from './lint-channels.ts'
import type { LintFacts } from './lint-contract.ts'
import { type Problem, problemAt } from './problems.ts'
import type { FlowDefinition, Step } from './schema.ts'
import { readsOf, writesOf } from './step-parts.ts'

/** An hour less than the window: the customer's message is older than the run. */
const WINDOW_MARGIN_HOURS = 1

type Known = { written: ReadonlySet<string>; silentMs: number }

export const lintOrder = (definition: FlowDefinition, facts: LintFacts): Problem[] => {
  const known = walkAll(definition)
  const windows = channelsOf(definition, facts.channels).flatMap(({ name, replyWindowHours }) =>
    replyWindowHours === null ? [] : [{ name, limitMs: (replyWindowHours - WINDOW_MARGIN_HOURS) * HOUR_MS }],
  )
  return listSteps(definition).flatMap((placed) => {
    const before = known.get(placed.step.id)
    if (!before || placed.step.isOff) return []
    return [...lintReads(definition, placed, before), ...lintWindow(placed, before, windows)]
  })
}

/** Values that only steps of the flow set. */
const lintReads = (definition: FlowDefinition, placed: PlacedStep, { written }: Known): Problem[] => {
  const own = new Set(writesOf(placed.step))
  const unset = new Set(
    readsOf(placed.step)
      .map((path) => path.split('.').slice(0, 2).join('.'))
      .filter((path) => /^(run|call)\./.test(path) && !written.has(path) && !own.has(path))
      .filter((path) => !hasValue(definition, path)),
  )
  return [...unset].map((path) =>
    problemAt(
      'read_before_set',
      placed,
      `reads “${path}”, which may not be set yet. ${howToSet(path)} first, or give it a default.`,
    ),
  )
}

/** As the forms of steps call it. */
const howToSet = (path: string): string => {
  const [kind, name] = path.split('.')
  return `Save ${kind === 'run' ? 'a reply' : 'the result of an action'} as “${name}”`
}

/** Variables of flows that an API call or another flow starts are given from outside. */
const hasValue = ({ variables, triggers }: FlowDefinition, path: string): boolean => {
  const variable = variables && path.startsWith('run.') ? variables[path.slice('run.'.length)] : undefined
  const isGiven = triggers.length === 0 || triggers.some(({ on }) => on === 'api')
  return variable !== undefined && (variable.default !== undefined || isGiven)
}

const lintWindow = (
  placed: PlacedStep,
  { silentMs }: Known,
  windows: readonly { name: string; limitMs: number }[],
): Problem[] => {
  const { step } = placed
  const canBeLate = step.type === 'ask' || (step.type === 'send' && step.ifWindowClosed === undefined)
  const late = canBeLate ? windows.filter(({ limitMs }) => silentMs > limitMs) : []
  return late.map(({ name }) => {
    const fix =
      step.type === 'send' ? 'Choose a template for that case.' : 'Ask earlier, or send a template before.'
    const severity = step.type === 'send' ? 'error' : 'warning'
    return problemAt(
      'window_may_close',
      placed,
      `comes after a wait longer than ${name}’s reply window. ${fix}`,
      severity,
    )
  })
}

/**
 * What is known before each step on every way to it: the values that are surely written, and the longest time since the
 * customer wrote. Repeated until nothing changes; a value can only be dropped and a time only grow to its bound, so it
 * ends.
 */
const walkAll = (definition: FlowDefinition): Map<string, Known> => {
  const known = new Map<string, Known>()
  const visits = new Map<string, number>()
  const first = definition.blocks[definition.start]!.steps[0]!
  const open: [Step, Known][] = [[first, { written: new Set(), silentMs: 0 }]]
  const steps = new Map(listSteps(definition).map((placed) => [placed.step.id, placed]))
  for (let next = open.pop(); next; next = open.pop()) {
    const [step, arriving] = next
    const before = known.get(step.id)
    const visit = (visits.get(step.id) ?? 0) + 1
    visits.set(step.id, visit)
    const merged = before ? merge(before, arriving, visit > VISITS_MAX) : arriving
    if (before && isSame(before, merged)) continue
    known.set(step.id, merged)
    for (const { stepId, after } of followersOf(definition, steps.get(step.id)!)) {
      const follower = steps.get(stepId)
      if (follower) open.push([follower.step, passThrough(step, merged, after)])
    }
  }
  return known
}

const merge = (one: Known, other: Known, isGrowing: boolean): Known => ({
  written: new Set([...one.written].filter((path) => other.written.has(path))),
  silentMs:
    isGrowing && other.silentMs > one.silentMs ? SILENCE_MAX_MS : Math.max(one.silentMs, other.silentMs),
})

const isSame = (one: Known, other: Known): boolean =>
  one.written.size === other.written.size && one.silentMs === other.silentMs

/** Longer silences make no difference. */
const SILENCE_MAX_MS = 48 * HOUR_MS
/** A silence that still grows after so many visits is that of a loop of waits, and is taken as the longest. */
const VISITS_MAX = 20

/** What is known behind a step, by how it was left. */
const passThrough = (
  step: Step,
  { written, silentMs }: Known,
  after: 'done' | 'timedOut' | 'failed',
): Known => {
  if (step.isOff) return { written, silentMs }
  const isDone = after === 'done' && !(step.type === 'ask' && step.skipIf)
  const silence = silenceBehind(step, silentMs, after)
  return {
    written: isDone ? new Set([...written, ...writesOf(step)]) : written,
    silentMs: Math.min(silence, SILENCE_MAX_MS),
  }
}

const silenceBehind = (step: Step, silentMs: number, after: 'done' | 'timedOut' | 'failed'): number => {
  if (step.type === 'wait') return silentMs + waitMs(step.for)
  if (step.type !== 'ask') return silentMs
  if (after === 'timedOut' && step.timeout) return silentMs + waitMs(step.timeout.after)
  return after === 'done' && !step.skipIf ? 0 : silentMs
}
