// The step of a flow that waits for the AI agent: what it found out for it, and when the flow goes on.
import { type Memory, NEW_MEMORY, type Said } from '../ai/think.ts'
import { isRunning, type Run, type Stage, setState } from './place.ts'
import { takeSprint } from './plan-sprint.ts'

export const memoryOf = ({ place }: Stage): Memory => ({ ...NEW_MEMORY, ...place.state.ai })

export const waitingRun = ({ place }: Stage): Run | undefined => {
  const { run } = place.state.ai ?? NEW_MEMORY
  const found = place.runs.find(({ id }) => id === run?.id)
  return found && isRunning(found) && found.state?.wait?.token === run?.token ? found : undefined
}

/** Goes on with the flow. False if none waits. */
export const finishStep = async (stage: Stage, outcome: 'done' | 'gaveUp'): Promise<boolean> => {
  const { collected = {} } = memoryOf(stage).run ?? {}
  const { place } = stage
  const run = waitingRun(stage)
  if (!run) return false
  const { token } = run.state!.wait!
  setState(place, { ai: null })
  unassign(stage, run)
  await takeSprint(stage, run, { type: 'aiFinished', token, outcome, collected })
  return true
}

/** What it found out for the step of a flow. True if that was all, and the flow went on. */
export const takeProgress = async (stage: Stage, { effects, isDone = false }: Said): Promise<boolean> => {
  const { ai } = stage.place.state
  if (!ai?.run) return false
  const found = effects.flatMap((effect) => (effect.is === 'collected' ? [[effect.name, effect.value]] : []))
  const collected = { ...ai.run.collected, ...Object.fromEntries(found) }
  setState(stage.place, { ai: { ...ai, run: { ...ai.run, collected } } })
  const { collect = [] } = ai.run
  const hasAll = collect.length > 0 && collect.every((name) => Object.hasOwn(collected, name))
  return hasAll || (isDone && collect.length === 0) ? finishStep(stage, 'done') : false
}

const unassign = ({ place }: Stage, run: Run): void => {
  if (!place.agent?.isAi) return
  place.agent = null
  place.acts.push({ is: 'assign', run, agentId: null })
}

export const countTurn = async (stage: Stage): Promise<void> => {
  const { place } = stage
  const { ai } = place.state
  if (!ai?.run) return
  const turnsLeft = ai.run.turnsLeft - 1
  setState(place, { ai: { ...ai, run: { ...ai.run, turnsLeft } } })
  if (turnsLeft <= 0) await finishStep(stage, 'gaveUp')
}
