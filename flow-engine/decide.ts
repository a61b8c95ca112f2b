// The steps that choose where to go on: branch, hours, split and goto.
import { findHours, isOpen, isUsable } from './business-hours.ts'
import { holds } from './conditions.ts'
import type { StepOf } from './schema.ts'
import { draw, failed, go, logStep, type Outcome, type SprintDraft } from './sprint.ts'

/** The first path whose condition holds. */
export const takeBranch = (draft: SprintDraft, step: StepOf<'branch'>): Outcome => {
  const context = { scope: draft.scope, now: draft.env.now }
  const at = step.paths.findIndex(({ when }) => holds(when, context))
  const target = step.paths[at]?.goto ?? step.else
  logStep(draft, step, 'done', { path: at < 0 ? 'else' : at, target })
  return go(target)
}

/** From here on, `hours.*` speaks of these hours. */
export const takeHours = (draft: SprintDraft, step: StepOf<'hours'>): Outcome => {
  const hours = findHours(draft.env.hours, step.hoursId)
  if (!hours || !isUsable(hours)) return failed('hours_missing')
  draft.state.hoursId = step.hoursId ?? null
  const target = isOpen(hours, draft.env.now) ? step.open : step.closed
  logStep(draft, step, 'done', { target })
  return go(target)
}

export const takeSplit = (draft: SprintDraft, step: StepOf<'split'>): Outcome => {
  const percent = draw(draft) * 100
  let sum = 0
  const at = step.paths.findIndex((path) => {
    sum += path.percent
    return percent < sum
  })
  const target = (step.paths[at] ?? step.paths.at(-1)!).goto
  logStep(draft, step, 'done', { path: at < 0 ? step.paths.length - 1 : at, target })
  return go(target)
}

export const takeGoto = (draft: SprintDraft, step: StepOf<'goto'>): Outcome => {
  logStep(draft, step, 'done', { target: step.to })
  return go(step.to)
}
