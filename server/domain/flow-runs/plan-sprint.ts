// One sprint of a run: the engine's step, and what follows from its effects. Nothing is written here.
import { crc32 } from 'node:zlib'
import { advance } from '../../../flow-engine/advance.ts'
import type { Effect, Env, ExistingFacts, Input, LogEntry, Sprint } from '../../../flow-engine/contract.ts'
import { END_REASONS, type EndReason } from '../../../flow-engine/end-reasons.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { NEW_RUN } from '../../../flow-engine/sprint.ts'
import { maySend, SPRINTS_MAX, sentMessages, startedDialog } from './guards.ts'
import { isRunning, type Run, type RunCause, type Stage, setState } from './place.ts'
import { takeEffect, toPeople } from './plan-effect.ts'
import { pauseForPeople, planHandOver } from './plan-hand-over.ts'
import { sayWhatHappened } from './says.ts'

/** Runs of a background flow can't speak, and so can't start flows that do. */
const existingIn = (facts: ExistingFacts, { world: { live } }: Stage, run: Run): ExistingFacts => ({
  ...facts,
  flowIds: facts.flowIds.filter((id) => {
    const kind = live.flows.get(id)?.definition.kind
    return kind !== undefined && (run.isDialog || kind === 'background')
  }),
})

/** Follows from the run, so that a sprint can be replayed, and a customer stays on one side of a split. */
export const randomOf = (runId: string): number => crc32(runId) / 2 ** 32

export const envOf = ({ world, place }: Stage, existing: ExistingFacts, random: number): Env => ({
  now: world.now,
  random,
  contact: place.contact,
  conversation: {
    id: place.conversation.id,
    channel: place.conversation.channel,
    subject: place.subject,
    isFirst: place.isFirstConversation,
    openedAt: place.openedAt,
    agent: place.agent && { id: place.agent.id, name: place.agent.name },
  },
  workspace: world.workspace,
  sending: place.sending,
  hours: world.hours,
  existing,
  escapePhrases: [],
})

type Options = {
  /** The run that waits for this one isn't told. */
  isQuiet?: boolean
  /** The customer of a cancelled dialog is handed over. */
  toPeople?: boolean
}

/** Gives a run its input. False if the input meant nothing to it; nothing is changed then. */
export const takeSprint = async (
  stage: Stage,
  run: Run,
  input: Input,
  { isQuiet = false }: Options = {},
): Promise<boolean> => {
  const { world, place } = stage
  if (!isRunning(run)) return false
  place.sprints++
  if (!run.definition) return endRun(stage, run, 'flow_unpublished')
  if (place.sprints > SPRINTS_MAX) return endRun(stage, run, 'sprint_steps_exceeded')
  const existing = existingIn(await world.existingFor(run.definition), stage, run)
  const sprint = advance(run.definition, run.state, input, envOf(stage, existing, randomOf(run.id)))
  if (!sprint.isUsed) return false
  const count = countMessages(sprint.effects)
  const { guards } = place.state
  if (run.isDialog && count > 0 && !maySend(guards, world.now, count))
    return stopDialogs(stage, 'limit_reached')
  if (count > 0) setState(place, { guards: sentMessages(guards, world.now, count) })
  await apply(stage, run, sprint)
  await follow(stage, run, sprint.effects, isQuiet)
  return true
}

const countMessages = (effects: readonly Effect[]): number =>
  effects.filter(({ type }) => type === 'send' || type === 'sendTemplate').length

const apply = async (stage: Stage, run: Run, { state, effects, log }: Sprint): Promise<void> => {
  run.state = state
  run.status = state.status
  run.isChanged = true
  logSteps(stage, run, log)
  const parts = sayWhatHappened(effects, log, state.endReason)
  for (const effect of effects) await takeEffect(stage, run, effect)
  if (parts.length > 0)
    stage.place.acts.push({ is: 'line', run, says: parts.join(', '), parts, steps: log.length })
}

const logSteps = ({ place }: Stage, run: Run, log: readonly LogEntry[]): void => {
  for (const entry of log) place.steps.push({ ...entry, run, seq: run.stepsLogged++ })
}

/** What the run started, and whoever waits for it. */
const follow = async (
  stage: Stage,
  run: Run,
  effects: readonly Effect[],
  isQuiet: boolean,
): Promise<void> => {
  for (const effect of effects) {
    if (effect.type === 'startAi') await stage.world.startAi(stage, run, effect)
    if (effect.type === 'startFlow') {
      const flow = stage.world.live.flows.get(effect.flowId)!
      await startRun(stage, {
        flow,
        cause: { ...run.cause, trigger: null, passedOver: [] },
        parentRunId: effect.as === 'part' ? run.id : null,
        isTest: run.isTest,
        input: {
          type: 'started',
          message: run.state?.message ?? null,
          variables: effect.variables,
          depth: effect.depth,
          choice: null,
        },
      })
    }
  }
  if (!isQuiet) await tellParent(stage, run)
}

const tellParent = async (stage: Stage, { parentRunId, state }: Run): Promise<void> => {
  const parent = stage.place.runs.find(({ id }) => id === parentRunId)
  const wait = parent?.state?.wait
  if (!parent || wait?.for !== 'part' || !state || state.status === 'running') return
  await takeSprint(stage, parent, {
    type: 'partFinished',
    token: wait.token,
    status: state.status,
    endReason: state.endReason!,
    variables: state.variables,
  })
}

export type Start = {
  flow: { id: string; name: string; version: number }
  cause: RunCause
  parentRunId: string | null
  isTest: boolean
  input: Extract<Input, { type: 'started' }>
}

/** Starts a run of a version that exists. */
export const startRun = async (
  stage: Stage,
  { flow, cause, parentRunId, isTest, input }: Start,
): Promise<Run> => {
  const { world, place } = stage
  const definition = (await world.definitionOf(flow.id, flow.version)) ?? null
  const run: Run = {
    id: world.newId(),
    flowId: flow.id,
    flowName: flow.name,
    version: flow.version,
    definition,
    isDialog: isDialogFlow(definition),
    isTest,
    startedAt: new Date(world.now),
    cause,
    state: null,
    status: 'running',
    parentRunId,
    stepsLogged: 0,
    isNew: true,
    isChanged: true,
  }
  place.runs.push(run)
  place.lastStartedAt[flow.id] = world.now
  if (run.isDialog) setState(place, { guards: startedDialog(place.state.guards, flow.id, world.now) })
  await takeSprint(stage, run, input)
  return run
}

const isDialogFlow = (definition: FlowDefinition | null): boolean => definition?.kind === 'dialog'

/**
 * Cancels a run with the parts of it that run. The engine can end it whatever it waits for, unless its definition is
 * gone.
 */
export const cancelRunIn = async (
  stage: Stage,
  run: Run,
  reason: EndReason,
  { isQuiet = false, toPeople = false }: Options = {},
): Promise<void> => {
  for (const part of stage.place.runs)
    if (part.parentRunId === run.id && isRunning(part))
      await cancelRunIn(stage, part, reason, { isQuiet: true })
  if (!isRunning(run)) return
  if (!run.state || !run.definition) await endRun(stage, run, reason)
  else await takeSprint(stage, run, { type: 'cancelled', reason, toPeople }, { isQuiet })
}

/** Cancels all dialogs. */
export const cancelDialogs = async (stage: Stage, reason: EndReason): Promise<void> => {
  for (const run of [...stage.place.runs])
    if (run.isDialog && isRunning(run)) await cancelRunIn(stage, run, reason, { isQuiet: true })
}

/** Ends the dialogs and leaves the conversation to people. What the customer hears is the caller's. */
export const stopDialogs = async (
  stage: Stage,
  reason: 'limit_reached' | 'looks_automated',
): Promise<true> => {
  const running = stage.place.runs.some((run) => run.isDialog && isRunning(run))
  await cancelDialogs(stage, reason)
  pauseForPeople(stage, null, reason)
  if (!running)
    stage.place.acts.push({ is: 'line', run: null, says: lineOf(END_REASONS[reason].says), steps: 0 })
  return true
}

const lineOf = (says: string): string => `Automation paused: ${says.charAt(0).toLowerCase()}${says.slice(1)}`

/** Ends a run without the engine. A customer whose dialog can't go on is handed over. */
export const endRun = async (
  stage: Stage,
  run: Run,
  reason: EndReason,
  { isSilent = false }: { isSilent?: boolean } = {},
): Promise<true> => {
  const { status, says } = END_REASONS[reason]
  const state = { ...(run.state ?? NEW_RUN), status, endReason: reason, at: null, wait: null }
  run.state = state
  run.status = status
  run.isChanged = true
  logSteps(stage, run, [{ stepId: null, type: null, outcome: 'ended', detail: { reason } }])
  stage.place.acts.push({
    is: 'line',
    run,
    says: `ended: ${says.charAt(0).toLowerCase()}${says.slice(1)}`,
    steps: 0,
  })
  if (run.isDialog && !isSilent) planHandOver(stage, run, { ...toPeople(run), reason: 'failed' })
  await tellParent(stage, run)
  return true
}
