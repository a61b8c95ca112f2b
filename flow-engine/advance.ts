// The interpreter of flows: the same on the server, in the console's simulator and in tests.
import { startFromChoice, takeMessage } from './answer.ts'
import { isJsonWithin } from './byte-length.ts'
import type { Env, Input, RunState, Sprint, Wait } from './contract.ts'
import { findStep } from './definition-index.ts'
import { collectAnswers } from './delegate.ts'
import { END_REASONS, type EndReason } from './end-reasons.ts'
import { findVariable } from './facts.ts'
import { KEPT_BYTES_MAX, STATE_BYTES_MAX } from './limits.ts'
import type { Json } from './paths.ts'
import { startingVariables, toVariable } from './run-values.ts'
import type { FlowDefinition, Step } from './schema.ts'
import {
  endRun,
  failed,
  go,
  handOverAtLast,
  keepMessage,
  languageOf,
  logStep,
  NEW_RUN,
  NEXT,
  type Outcome,
  type SprintDraft,
  startDraft,
} from './sprint.ts'
import { failRun, goTo, settle, walk } from './walk.ts'

/**
 * Takes one input and walks until the run waits or ends. Pure: the arguments are not changed, and the same arguments
 * give the same result, byte for byte. It never throws for a definition that checkDefinition accepts. `state` is null
 * for a new run, whose first input is `started`. An input that comes too late, or that the run doesn't wait for, changes
 * nothing and has `isUsed` false.
 */
export const advance = (
  definition: FlowDefinition,
  state: RunState | null,
  input: Input,
  env: Env,
): Sprint => {
  const draft = startDraft(definition, state ?? NEW_RUN, env)
  const isUsed = take(draft, input, state === null)
  if (isUsed) {
    walk(draft)
    takeKeptTap(draft)
    boundState(draft)
  }
  return { state: draft.state, effects: draft.effects, log: draft.log, isUsed }
}

const take = (draft: SprintDraft, input: Input, isNew: boolean): boolean => {
  if (draft.state.status !== 'running' || isNew !== (input.type === 'started')) return false
  if (input.type === 'started') return start(draft, input)
  if (input.type === 'cancelled') return cancel(draft, input)
  const { wait } = draft.state
  if (!wait) return false
  const placed = findStep(draft.definition, wait.stepId)
  if (!placed) {
    failRun(draft, null, 'broken_definition')
    return true
  }
  if (input.type === 'message') {
    const answered = takeMessage(draft, wait, input.message, input.choice)
    return answered !== null && resume(draft, answered.at, answered.outcome)
  }
  if (input.token !== wait.token) return false
  const outcome = takeResult(draft, wait, placed.step, input)
  return outcome !== null && resume(draft, { block: placed.block, step: placed.at }, outcome)
}

const start = (draft: SprintDraft, input: Extract<Input, { type: 'started' }>): boolean => {
  const { definition, state, env } = draft
  state.depth = input.depth
  if (input.message) keepMessage(draft, input.message)
  const context = { language: languageOf(draft), timeZone: env.workspace.timeZone }
  state.variables = startingVariables(definition.variables ?? {}, input.variables, context)
  const answered = input.choice && startFromChoice(draft, input.message, input.choice)
  if (answered) return resume(draft, answered.at, answered.outcome)
  goTo(draft, '', definition.start)
  return true
}

/** A run that is cut off fails only where it leaves the customer to people. */
const cancel = (draft: SprintDraft, { reason, toPeople }: Extract<Input, { type: 'cancelled' }>): boolean => {
  const { definition, state } = draft
  const stepId = state.wait?.stepId ?? ''
  if (toPeople && definition.kind === 'dialog') handOverAtLast(draft, stepId, 'failed', collectAnswers(draft))
  const { status } = END_REASONS[reason]
  endRun(draft, status === 'cancelled' || (toPeople && status === 'failed') ? reason : 'stopped')
  return true
}

/** Puts the run back to the step that it waited at, and on from there. */
const resume = (draft: SprintDraft, at: { block: string; step: number }, outcome: Outcome): boolean => {
  const step = draft.definition.blocks[at.block]?.steps[at.step]
  if (draft.state.status === 'running' && step) {
    draft.state.at = at
    settle(draft, step, outcome)
  }
  return true
}

/** Once the call is over. A run that has ended keeps the tap for whoever starts it again. */
const takeKeptTap = (draft: SprintDraft): void => {
  const { tap, wait } = draft.state
  if (!tap || !wait || wait.for === 'call' || wait.for === 'ai') return
  delete draft.state.tap
  const answered = takeMessage(draft, wait, tap.message, tap.choice)
  if (!answered) return
  resume(draft, answered.at, answered.outcome)
  walk(draft)
}

type Result = Exclude<Input, { type: 'started' | 'message' | 'cancelled' }>

/** What the end of a wait brings; null for a result that this step doesn't wait for. */
const takeResult = (draft: SprintDraft, wait: Wait, step: Step, input: Result): Outcome | null => {
  if (input.type === 'woken') return takeWake(draft, wait, step)
  if (input.type === 'callFinished' && step.type === 'call') return takeCallResult(draft, step, input)
  if (input.type === 'aiFinished' && step.type === 'ai') {
    for (const name of step.collect ?? []) setVariable(draft, name, ownValue(input.collected, name))
    return finishAi(draft, step, input.outcome === 'done')
  }
  if (input.type === 'partFinished' && step.type === 'flow') return takePart(draft, step, input)
  return null
}

const takeWake = (draft: SprintDraft, wait: Wait, step: Step): Outcome | null => {
  // A wake-up that comes early, as after a clock was set back, is no reason to go on.
  if (wait.until === null || draft.env.now < wait.until) return null
  draft.state.wait = null
  if (step.type === 'wait') {
    logStep(draft, step, 'resumed')
    return NEXT
  }
  logStep(draft, step, 'timedOut')
  if (step.type === 'ask') {
    if (step.timeout) return go(step.timeout.then)
    endRun(draft, 'no_answer')
    return { kind: 'ended' }
  }
  return step.type === 'ai' ? go(step.onGiveUp ?? 'people') : failed('action_unknown')
}

const takeCallResult = (
  draft: SprintDraft,
  step: Extract<Step, { type: 'call' }>,
  { outcome, kept }: Extract<Input, { type: 'callFinished' }>,
): Outcome => {
  const { state } = draft
  state.wait = null
  if (step.keep !== undefined)
    Object.defineProperty(state.calls, step.keep, {
      value: isJsonWithin(kept, KEPT_BYTES_MAX) ? structuredClone(kept) : null,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  if (outcome === 'failed') return failed('action_failed')
  if (outcome === 'unknown') return failed('action_unknown')
  if (outcome !== 'done') {
    const target = step.paths?.[outcome]
    if (target === undefined) return failed('action_failed')
    logStep(draft, step, 'done', { outcome, target })
    return go(target)
  }
  logStep(draft, step, 'done', { outcome })
  return NEXT
}

const finishAi = (draft: SprintDraft, step: Extract<Step, { type: 'ai' }>, isDone: boolean): Outcome => {
  draft.state.wait = null
  logStep(draft, step, 'done', { outcome: isDone ? 'done' : 'gaveUp' })
  if (!isDone) return go(step.onGiveUp ?? 'people')
  return step.onDone === undefined ? NEXT : go(step.onDone)
}

/** Ways in which a part ends that end the whole: the customer is with people or in another flow already. */
const ENDS_WHOLE: ReadonlySet<EndReason> = new Set([
  'handed_over',
  'asked_for_person',
  'not_understood',
  'assigned_to_ai',
  'continued_elsewhere',
  'not_delivered',
])

/** Variables that both flows declare come back from the part. */
const takePart = (
  draft: SprintDraft,
  step: Extract<Step, { type: 'flow' }>,
  { status, endReason, variables }: Extract<Input, { type: 'partFinished' }>,
): Outcome => {
  draft.state.wait = null
  for (const name of Object.keys(draft.definition.variables ?? {}))
    if (Object.hasOwn(variables, name)) setVariable(draft, name, variables[name])
  if (status === 'failed' && !ENDS_WHOLE.has(endReason)) return failed('part_failed')
  logStep(draft, step, 'done', { endReason })
  if (status === 'completed' && !ENDS_WHOLE.has(endReason)) return NEXT
  endRun(draft, endReason)
  return { kind: 'ended' }
}

const ownValue = (values: Record<string, Json>, name: string): Json | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

const setVariable = (draft: SprintDraft, name: string, value: Json | undefined): void => {
  const variable = findVariable(draft.definition, name)
  if (!variable || value === undefined) return
  const context = { language: languageOf(draft), timeZone: draft.env.workspace.timeZone }
  draft.state.variables[name] = toVariable(value, variable, context)
}

/** A state that outgrows its bound ends the run, without what made it large. */
const boundState = (draft: SprintDraft): void => {
  const { state } = draft
  if (isJsonWithin(state, STATE_BYTES_MAX)) return
  if (state.status === 'running') {
    if (draft.definition.kind === 'dialog')
      handOverAtLast(draft, state.wait?.stepId ?? '', 'failed', collectAnswers(draft))
    endRun(draft, 'state_too_large')
  }
  delete state.tap
  state.variables = {}
  state.calls = {}
  state.answers = {}
}
