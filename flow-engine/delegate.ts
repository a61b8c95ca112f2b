// The steps that wait, or leave the work to others: wait, call, ai, flow and people.
import { findHours, isUsable, opensAt } from './business-hours.ts'
import { isPrivateAnswer, moveToTeam } from './change.ts'
import type { Effect, HandOver } from './contract.ts'
import { findStep } from './definition-index.ts'
import { DAY_MS, MINUTE_MS, waitMs } from './duration.ts'
import { cutText, isBlank } from './fold-text.ts'
import { DEPTH_MAX } from './limits.ts'
import { type Json, readPath } from './paths.ts'
import { toFieldText } from './run-values.ts'
import type { StepOf } from './schema.ts'
import {
  emit,
  emitThen,
  endRun,
  failed,
  languageOf,
  logStep,
  NEXT,
  type Outcome,
  renderLocalized,
  type SprintDraft,
  startWait,
} from './sprint.ts'

/** A call that has brought nothing by then counts as unknown; the worker's own limit is seconds. */
export const CALL_WAIT_MS = 10 * MINUTE_MS
/** An AI agent that has come to no end by then has given up. */
export const AI_WAIT_MS = 3 * DAY_MS
const AI_TURNS_DEFAULT = 10
const COLLECTED_MAX = 50
const COLLECTED_TEXT_MAX = 200

export const takeWait = (draft: SprintDraft, step: StepOf<'wait'>): Outcome => {
  const { env } = draft
  const latest = env.now + waitMs(step.for)
  let until = latest
  if (step.until === 'opening') {
    const hours = findHours(env.hours, undefined)
    if (!hours || !isUsable(hours)) return failed('hours_missing')
    until = Math.min(opensAt(hours, env.now) ?? latest, latest)
  }
  if (until <= env.now) {
    logStep(draft, step, 'done')
    return NEXT
  }
  startWait(draft, { for: 'time', stepId: step.id, until })
  logStep(draft, step, 'waiting', { until })
  return { kind: 'waits' }
}

export const takeCall = (draft: SprintDraft, step: StepOf<'call'>): Outcome => {
  if (!draft.env.existing.actionIds.includes(step.actionId)) return failed('action_missing')
  const parameters = Object.fromEntries(
    Object.entries(step.with ?? {}).map(([name, { from, value }]) => [
      name,
      from === undefined ? (value ?? null) : (readPath(draft.scope, from) ?? null),
    ]),
  )
  return delegate(draft, step, { for: 'call', waitMs: CALL_WAIT_MS }, (token) => ({
    stepId: step.id,
    type: 'call',
    token,
    actionId: step.actionId,
    parameters,
  }))
}

export const takeAi = (draft: SprintDraft, step: StepOf<'ai'>): Outcome =>
  delegate(draft, step, { for: 'ai', waitMs: AI_WAIT_MS }, (token) => ({
    stepId: step.id,
    type: 'startAi',
    token,
    goal: step.goal ?? '',
    collect: step.collect ?? [],
    turnsMax: step.turnsMax ?? AI_TURNS_DEFAULT,
  }))

export const takeFlow = (draft: SprintDraft, step: StepOf<'flow'>): Outcome => {
  const { existing } = draft.env
  const { state } = draft
  // What continues a flow after a wait ends it, and everything that it was a part of.
  const depth = step.as === 'instead' && state.hasWaited ? 0 : state.depth + 1
  if (!existing.flowIds.includes(step.flowId)) return failed('flow_missing')
  if (depth > DEPTH_MAX) return failed('flow_too_deep')
  const variables = Object.fromEntries(
    Object.entries(step.with ?? {}).map(([name, path]): [string, Json] => [
      name,
      readPath(draft.scope, path) ?? null,
    ]),
  )
  const effect = { stepId: step.id, type: 'startFlow', flowId: step.flowId, variables, depth } as const
  if (step.as === 'part')
    return delegate(draft, step, { for: 'part', waitMs: null }, (token) => ({ ...effect, as: 'part', token }))
  const limit = emit(draft, { ...effect, as: 'instead', token: 0 })
  if (limit) return failed(limit)
  logStep(draft, step, 'done')
  endRun(draft, 'continued_elsewhere')
  return { kind: 'ended' }
}

const delegate = (
  draft: SprintDraft,
  step: StepOf<'call' | 'ai' | 'flow'>,
  wait: { for: 'call' | 'ai' | 'part'; waitMs: number | null },
  effectOf: (token: number) => Effect,
): Outcome => {
  const limit = emit(draft, effectOf(draft.state.tokens + 1))
  if (limit) return failed(limit)
  const until = wait.waitMs === null ? null : draft.env.now + wait.waitMs
  startWait(draft, { for: wait.for, stepId: step.id, until })
  logStep(draft, step, 'waiting', { until })
  return { kind: 'waits' }
}

export const takePeople = (draft: SprintDraft, step: StepOf<'people'>): Outcome => {
  const { definition, env } = draft
  const isSilent = definition.kind === 'background'
  const rendered = step.text && !isSilent ? renderLocalized(draft, step.text) : undefined
  const isKnown = env.existing.agents.some((agent) => agent.id === step.assign)
  const { limit, missing = [] } = moveToTeam(draft, step)
  if (limit) return failed(limit)
  if (step.assign !== undefined && !isKnown) missing.unshift(step.assign)
  logStep(draft, step, 'done', missing.length > 0 ? { missing } : {})
  const outcome = emitThen(draft, {
    stepId: step.id,
    type: 'handOver',
    reason: 'flow',
    assignTo: isKnown ? step.assign! : null,
    text: rendered && !isBlank(rendered.text) ? rendered.text : null,
    language: rendered?.language ?? languageOf(draft),
    isSilent,
    summary: step.summary ?? 'answers',
    collected: collectAnswers(draft),
  })
  if (outcome.kind === 'failed') return outcome
  endRun(draft, 'handed_over')
  return { kind: 'ended' }
}

/** What was asked and answered, in the order of the flow's steps, without private answers. */
export const collectAnswers = (draft: SprintDraft): HandOver['collected'] => {
  const { definition, state } = draft
  const shape = { max: COLLECTED_TEXT_MAX, scope: draft.publicScope }
  const answers = Object.entries(state.answers).slice(-COLLECTED_MAX)
  return answers.flatMap(([stepId, { value, option }]) => {
    const step = findStep(definition, stepId)?.step
    if (step?.type !== 'ask' || isPrivateAnswer(draft, step.store)) return []
    const chosen = option === null ? undefined : step.options?.[option - 1]
    const answer = chosen
      ? renderLocalized(draft, chosen.title, shape).text
      : toFieldText(value, definition.language)
    const question = renderLocalized(draft, step.text, shape).text
    return [{ question, answer: cutText(answer, COLLECTED_TEXT_MAX) }]
  })
}
