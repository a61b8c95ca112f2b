// Takes one step after the other until the run waits or ends.
import { takeAssign, takeClose, takeNote, takeSet, takeTag } from './change.ts'
import { takeBranch, takeGoto, takeHours, takeSplit } from './decide.ts'
import { collectAnswers, takeAi, takeCall, takeFlow, takePeople, takeWait } from './delegate.ts'
import type { EndReason } from './end-reasons.ts'
import { RUN_STEPS_MAX, SPRINT_STEPS_MAX } from './limits.ts'
import type { Step } from './schema.ts'
import { takeAsk, takeSend } from './speak.ts'
import { emit, endRun, handOverAtLast, logStep, type Outcome, type SprintDraft } from './sprint.ts'

/** Walks on from where the run stands. */
export const walk = (draft: SprintDraft): void => {
  while (draft.state.status === 'running' && draft.state.wait === null) takeNextStep(draft)
}

const takeNextStep = (draft: SprintDraft): void => {
  const { definition, state } = draft
  const { at } = state
  const block = at && Object.hasOwn(definition.blocks, at.block) ? definition.blocks[at.block] : undefined
  if (!at || !block) {
    failRun(draft, null, 'broken_definition')
    return
  }
  const step = block.steps[at.step]
  if (!step) {
    goTo(draft, block.steps.at(-1)!.id, block.next ?? 'end')
    return
  }
  if (draft.steps >= SPRINT_STEPS_MAX) {
    failRun(draft, step, 'sprint_steps_exceeded')
    return
  }
  if (state.stepsTaken >= RUN_STEPS_MAX) {
    failRun(draft, step, 'run_steps_exceeded')
    return
  }
  draft.steps++
  state.stepsTaken++
  if (step.isOff) {
    logStep(draft, step, 'off')
    at.step++
    return
  }
  settle(draft, step, takeStep(draft, step))
}

const takeStep = (draft: SprintDraft, step: Step): Outcome => {
  switch (step.type) {
    case 'send': {
      const outcome = takeSend(draft, step)
      if (outcome.kind !== 'failed') logStep(draft, step, 'done')
      return outcome
    }
    case 'ask':
      return takeAsk(draft, step)
    case 'branch':
      return takeBranch(draft, step)
    case 'hours':
      return takeHours(draft, step)
    case 'wait':
      return takeWait(draft, step)
    case 'set':
      return takeSet(draft, step)
    case 'tag':
      return takeTag(draft, step)
    case 'assign':
      return takeAssign(draft, step)
    case 'note':
      return takeNote(draft, step)
    case 'close':
      return takeClose(draft, step)
    case 'call':
      return takeCall(draft, step)
    case 'ai':
      return takeAi(draft, step)
    case 'people':
      return takePeople(draft, step)
    case 'flow':
      return takeFlow(draft, step)
    case 'split':
      return takeSplit(draft, step)
    case 'goto':
      return takeGoto(draft, step)
  }
}

/** Moves the run on by what came of the step that it stands at. */
export const settle = (draft: SprintDraft, step: Step, outcome: Outcome): void => {
  const { state } = draft
  switch (outcome.kind) {
    case 'next':
      state.at!.step++
      return
    case 'go':
      goTo(draft, step.id, outcome.target)
      return
    case 'failed':
      settleFailure(draft, step, outcome.reason)
      return
    case 'waits':
    case 'ended':
      return
  }
}

/** Reaching a limit ends the run whatever its author says: going on would only reach it again. */
const LIMITS: ReadonlySet<EndReason> = new Set([
  'sprint_messages_exceeded',
  'sprint_effects_exceeded',
  'run_messages_exceeded',
])

const settleFailure = (draft: SprintDraft, step: Step, reason: EndReason): void => {
  const target = step.onFailed
  if (target === undefined || LIMITS.has(reason)) {
    failRun(draft, step, reason)
    return
  }
  logStep(draft, step, 'failed', { reason, target })
  draft.state.wait = null
  goTo(draft, step.id, target)
}

/** Ends a run that can't go on. A customer in a dialog is handed over to people. */
export const failRun = (draft: SprintDraft, step: Step | null, reason: EndReason): void => {
  logStep(draft, step, 'failed', { reason })
  if (draft.definition.kind === 'dialog')
    handOverAtLast(draft, step?.id ?? firstStepId(draft), 'failed', collectAnswers(draft))
  endRun(draft, reason)
}

const firstStepId = ({ definition }: SprintDraft): string =>
  Object.values(definition.blocks)[0]?.steps[0]?.id ?? ''

/** Goes to a block, or ends the run there. */
export const goTo = (draft: SprintDraft, stepId: string, target: string): void => {
  const { definition, state } = draft
  state.wait = null
  if (target === 'end') {
    endRun(draft, 'finished')
    return
  }
  if (target === 'people') {
    handOverTo(draft, stepId)
    return
  }
  if (target === 'ai') {
    assignToAi(draft, stepId)
    return
  }
  if (!Object.hasOwn(definition.blocks, target)) {
    failRun(draft, null, 'broken_definition')
    return
  }
  state.at = { block: target, step: 0 }
}

const handOverTo = (draft: SprintDraft, stepId: string): void => {
  handOverAtLast(draft, stepId, 'flow', collectAnswers(draft))
  endRun(draft, 'handed_over')
}

const assignToAi = (draft: SprintDraft, stepId: string): void => {
  const limit = emit(draft, { stepId, type: 'assign', to: 'ai' })
  if (limit) {
    failRun(draft, null, limit)
    return
  }
  endRun(draft, 'assigned_to_ai')
}
