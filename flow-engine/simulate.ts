// Plays a flow without a server: one move after the other for the console's simulator, or a whole scenario as a test.
// It runs the same `advance` as the server.
import { advance } from './advance.ts'
import { findHours, WEEKDAYS } from './business-hours.ts'
import type { Effect, Env, Input, LogEntry, RunState } from './contract.ts'
import { findStep } from './definition-index.ts'
import { readDuration } from './duration.ts'
import { RUN_STEPS_MAX } from './limits.ts'
import type { Json } from './paths.ts'
import { readMoment } from './read-values.ts'
import type { Scenario, Turn } from './scenario.ts'
import type { FlowDefinition } from './schema.ts'

/** Calls and parts that finish at once, one after the other; the run's own limit of steps comes first. */
const RESULTS_MAX = RUN_STEPS_MAX
/** Wake-ups within one `wait`. */
const WAKES_MAX = 100
const SAY_MS = 1_000

/** Where a simulation stands. Plain data, so that going back is keeping the one before. */
export type Simulation = {
  state: RunState | null
  env: Env
  /** Milliseconds for which plain messages are accepted after the customer's last one; null: always. */
  replyWindowMs: number | null
  isClosed: boolean
  /** How often each action was called. */
  calls: Record<string, number>
  effects: Effect[]
  log: LogEntry[]
}

export type Move = Exclude<Turn, { expect: object }>

/** The world of a scenario: the workspace's own, with what the scenario says about it. */
export const startSimulation = (
  world: Env,
  scenario: Scenario,
  replyWindowMs: number | null = null,
): Simulation => {
  const { channel, language, at, contact = {}, hours } = scenario
  const { tags, ...given } = contact
  const now = at === undefined ? world.now : (readMoment(at) ?? world.now)
  const known = world.existing.tags
  const env: Env = {
    ...world,
    now,
    contact: {
      ...world.contact,
      ...given,
      ...unknownIn(given),
      language: language ?? world.contact.language,
      tags:
        tags?.map(
          (tag) => known.find(({ id, name }) => id === tag || name === tag) ?? { id: tag, name: tag },
        ) ?? world.contact.tags,
    },
    conversation: { ...world.conversation, channel: channel ?? world.conversation.channel, openedAt: now },
    hours: hours === undefined ? world.hours : alwaysHours(world, hours === 'open'),
  }
  return { state: null, env, replyWindowMs, isClosed: false, calls: {}, effects: [], log: [] }
}

/** Empty in a scenario stands for what isn't known. */
const unknownIn = (given: Readonly<Record<string, unknown>>): Partial<Env['contact']> =>
  Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value === '' ? [[name, null]] : [])))

const alwaysHours = ({ hours, workspace }: Env, isOpen: boolean): Env['hours'] => {
  const weekly = Object.fromEntries(
    WEEKDAYS.map((day) => [day, isOpen ? [{ from: '00:00', to: '24:00' }] : []]),
  )
  const fallback = { id: 'hours', name: 'Hours', isDefault: true, timeZone: workspace.timeZone }
  const all = findHours(hours, undefined) ? hours : [...hours, fallback]
  return all.map((one) => ({ ...one, weekly, exceptions: [] }))
}

/** Makes one move; `effects` and `log` are what came of it. The first message or event starts the run. */
export const playMove = (
  definition: FlowDefinition,
  simulation: Simulation,
  move: Move,
  scenario: Pick<Scenario, 'calls' | 'variables' | 'referral'>,
): Simulation => {
  const before = { ...simulation, effects: [], log: [] }
  const moved =
    'wait' in move
      ? letTimePass(definition, before, readDuration(move.wait) ?? 0, scenario)
      : takeInput(definition, customerActs(before, move), inputOf(definition, before, move, scenario))
  return finishResults(definition, moved, scenario)
}

/** The customer's messages open the conversation and the reply window again. */
const customerActs = (simulation: Simulation, move: Move): Simulation => {
  const { env, replyWindowMs } = simulation
  if ('ai' in move) return simulation
  if ('event' in move) return { ...simulation, isClosed: simulation.isClosed || move.event === 'closed' }
  const now = simulation.state === null ? env.now : env.now + SAY_MS
  const windowClosesAt = replyWindowMs === null ? null : now + replyWindowMs
  return { ...simulation, isClosed: false, env: { ...env, now, sending: { ...env.sending, windowClosesAt } } }
}

const inputOf = (
  definition: FlowDefinition,
  { state, env }: Simulation,
  move: Exclude<Move, { wait: string }>,
  { variables = {}, referral }: Pick<Scenario, 'variables' | 'referral'>,
): Input => {
  if ('event' in move)
    return state !== null && move.event === 'closed'
      ? { type: 'cancelled', reason: 'conversation_closed' }
      : { type: 'started', message: null, variables, depth: 0, choice: null }
  if ('ai' in move)
    return {
      type: 'aiFinished',
      token: state?.wait?.token ?? 0,
      outcome: move.ai,
      collected: move.collected ?? {},
    }
  const attachments =
    'attach' in move ? [{ id: `simulated-${env.now}`, type: move.attach, name: move.attach }] : []
  const message = {
    id: `simulated-${env.now}`,
    text: 'say' in move ? move.say : '',
    choice: null,
    attachments,
  }
  if (state === null) {
    const first = referral ? { ...message, referral } : message
    return { type: 'started', message: first, variables, depth: 0, choice: null }
  }
  const choice = 'tap' in move ? findChoice(definition, state, move) : null
  return {
    type: 'message',
    message: { ...message, text: message.text || titleOf(definition, choice) },
    choice,
  }
}

/** The option with that id of the question that waits, or of the step that is named. */
const findChoice = (
  definition: FlowDefinition,
  { wait }: RunState,
  { tap, step }: { tap: string; step?: string },
): { stepId: string; option: number } | null => {
  const stepId = step ?? wait?.stepId ?? ''
  const found = findStep(definition, stepId)?.step
  if (found?.type !== 'ask') return null
  const own = found.options?.findIndex(({ id }) => id === tap) ?? -1
  if (own >= 0) return { stepId, option: own + 1 }
  const builtIn = tap === 'person' ? 0 : (found.answer === 'yesno' && { yes: 1, no: 2 }[tap]) || undefined
  if (builtIn !== undefined) return { stepId, option: builtIn }
  const rating = found.answer === 'rating' && Number(tap.replace(/^r/, '')) - Math.ceil(found.min ?? 1) + 1
  return rating && rating > 0 ? { stepId, option: rating } : null
}

const titleOf = (definition: FlowDefinition, choice: { stepId: string; option: number } | null): string => {
  const step = choice && findStep(definition, choice.stepId)?.step
  const title = step?.type === 'ask' ? step.options?.[choice!.option - 1]?.title : undefined
  return typeof title === 'string' ? title : (Object.values(title ?? {})[0] ?? '')
}

const takeInput = (definition: FlowDefinition, simulation: Simulation, input: Input): Simulation => {
  const { state, effects, log } = advance(definition, simulation.state, input, simulation.env)
  const after = {
    ...simulation,
    state,
    effects: [...simulation.effects, ...effects],
    log: [...simulation.log, ...log],
  }
  return effects.reduce(applyEffect, after)
}

/** What the server would do to contact and conversation. */
const applyEffect = (simulation: Simulation, effect: Effect): Simulation => {
  const { env } = simulation
  const withContact = (contact: Partial<Env['contact']>) => ({
    ...simulation,
    env: { ...env, contact: { ...env.contact, ...contact } },
  })
  switch (effect.type) {
    case 'setField': {
      if (!effect.field.startsWith('fields.')) return withContact({ [effect.field]: effect.value })
      const key = effect.field.slice('fields.'.length)
      const { [key]: _, ...others } = env.contact.fields
      return withContact({ fields: effect.value === null ? others : { ...others, [key]: effect.value } })
    }
    case 'tag': {
      const kept = env.contact.tags.filter(({ id }) => !effect.remove.includes(id))
      return withContact({
        tags: [...kept, ...env.existing.tags.filter(({ id }) => effect.add.includes(id))],
      })
    }
    case 'assign': {
      const agent = effect.to === 'nobody' ? null : { id: effect.to, name: effect.to }
      return { ...simulation, env: { ...env, conversation: { ...env.conversation, agent } } }
    }
    case 'assignAmong': {
      const id = effect.agentIds[0]!
      return {
        ...simulation,
        env: { ...env, conversation: { ...env.conversation, agent: { id, name: id } } },
      }
    }
    case 'close':
      return { ...simulation, isClosed: true }
    default:
      return simulation
  }
}

/** Wakes the run whenever it is due. */
const letTimePass = (
  definition: FlowDefinition,
  start: Simulation,
  ms: number,
  scenario: Pick<Scenario, 'calls'>,
): Simulation => {
  const end = start.env.now + ms
  let simulation = start
  for (let wakes = 0; wakes < WAKES_MAX; wakes++) {
    const wait = simulation.state?.wait
    if (!wait || wait.until === null || wait.until > end) break
    const env = { ...simulation.env, now: Math.max(wait.until, simulation.env.now) }
    simulation = takeInput(definition, { ...simulation, env }, { type: 'woken', token: wait.token })
    simulation = finishResults(definition, simulation, scenario)
  }
  return { ...simulation, env: { ...simulation.env, now: end } }
}

/** Calls answer at once as the scenario says, and fail where it says nothing; parts are finished at once. */
const finishResults = (
  definition: FlowDefinition,
  start: Simulation,
  { calls = [] }: Pick<Scenario, 'calls'>,
): Simulation => {
  let simulation = start
  for (let results = 0; results < RESULTS_MAX; results++) {
    const wait = simulation.state?.wait
    const step = wait && findStep(definition, wait.stepId)?.step
    if (wait && step?.type === 'call') {
      const { actionId, keep } = step
      const stubs = calls.filter(({ action }) => action === actionId || action === keep)
      const count = simulation.calls[actionId] ?? 0
      const answer = (stubs[count] ?? stubs.at(-1))?.answer ?? { status: 0 }
      simulation = { ...simulation, calls: { ...simulation.calls, [actionId]: count + 1 } }
      simulation = takeInput(definition, simulation, {
        type: 'callFinished',
        token: wait.token,
        outcome: outcomeOf(answer.status),
        // A scenario is JSON.
        kept: (answer.body ?? null) as Json,
      })
    } else if (wait && step?.type === 'flow')
      simulation = takeInput(definition, simulation, {
        type: 'partFinished',
        token: wait.token,
        status: 'completed',
        endReason: 'finished',
        variables: {},
      })
    else break
  }
  return simulation
}

/** What the status of a response means to a flow; 0 stands for no response at all. */
export const outcomeOf = (status: number): Extract<Input, { type: 'callFinished' }>['outcome'] => {
  if (status >= 200 && status < 300) return 'done'
  if (status === 404 || status === 410) return 'notFound'
  return status >= 400 && status < 500 && status !== 408 && status !== 429 ? 'refused' : 'failed'
}
