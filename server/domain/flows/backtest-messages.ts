// Tries a flow on messages of the past: what it would have started, where that would have led, and which live flow it
// would have overtaken. Runs in a thread, on data alone; nothing is sent.
import { advance } from '../../../flow-engine/advance.ts'
import type { Env, FlowChannel, LogEntry, MessageFacts } from '../../../flow-engine/contract.ts'
import type { EndReason } from '../../../flow-engine/end-reasons.ts'
import { scopeOf } from '../../../flow-engine/facts.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { NEW_RUN } from '../../../flow-engine/sprint.ts'
import { makeTestWorld, type WorldFacts } from '../../../flow-engine/test-world.ts'
import {
  type LiveFlow,
  type Matched,
  makeCause,
  matchTriggers,
  type PassedOver,
  type PreparedFlows,
  prepareTriggers,
} from '../../../flow-engine/triggers.ts'

/** The first message of a conversation. */
export type PastMessage = {
  conversationId: string
  channel: FlowChannel
  accountId: string
  /** Milliseconds. */
  at: number
  /** Whether the conversation is the contact's first one. */
  isFirst: boolean
  isAutomatic: boolean
  message: MessageFacts
  /** As the contact is today. */
  contact: Env['contact']
}

export type BacktestTask = {
  job: 'backtest'
  definition: string
  flow: { id: string; position: number }
  /** The other live flows. */
  others: readonly LiveFlow[]
  /** An array of PastMessage, the oldest first, as JSON text. */
  messages: string
  world: WorldFacts
}

type Counted<T> = T & { count: number }

export type BacktestResult = {
  /** Messages there were, and how many of them were tried before the time was up. */
  messages: number
  examined: number
  started: number
  /** The first branch, business hours or split that the runs came to, and where it led. */
  branches: Counted<{ stepId: string; target: string }>[]
  /** Where the runs stood after the first message: at a step that waits, or at their end. */
  stops: Counted<{ stepId: string | null; endReason: EndReason | null }>[]
  /** Live flows that started, and that this one would have overtaken. */
  overtaken: Counted<{ flowId: string }>[]
  /** Why the flow wasn't started although a trigger fits. */
  passedOver: Counted<{ because: PassedOver['because'] }>[]
  /** Conversations in which it would have started, the latest first. */
  samples: string[]
}

const EXAMINED_MS = 8_000
const SAMPLES_MAX = 20

/** When each flow was last started, for each contact. */
type Starts = Map<string, Record<string, number>>

export const backtestMessages = (definition: FlowDefinition, task: BacktestTask): BacktestResult => {
  const { flow, others, world } = task
  // Written by the statement that read them.
  const messages = JSON.parse(task.messages) as PastMessage[]
  const before = { prepared: prepareTriggers(others), starts: new Map() as Starts }
  const after = {
    prepared: prepareTriggers([...others, { ...flow, definition }]),
    starts: new Map() as Starts,
  }
  const tally = makeTally()
  const endsAtMs = performance.now() + EXAMINED_MS
  let examined = 0
  for (const past of messages) {
    if (performance.now() > endsAtMs) break
    examined++
    const env = envOf(definition, past, world)
    const was = match(before, past, env)
    const is = match(after, past, env)
    const passed = is.passedOver.find(({ flowId }) => flowId === flow.id)
    if (passed) tally.passedOver.add({ because: passed.because })
    if (!startsIn(is).includes(flow.id)) continue
    tally.samples.push(past.conversationId)
    if (was.dialog && was.dialog.flowId !== is.dialog?.flowId)
      tally.overtaken.add({ flowId: was.dialog.flowId })
    countFirstSprint(definition, past, env, tally)
  }
  return {
    messages: messages.length,
    examined,
    started: tally.samples.length,
    branches: tally.branches.list(),
    stops: tally.stops.list(),
    overtaken: tally.overtaken.list(),
    passedOver: tally.passedOver.list(),
    samples: tally.samples.slice(-SAMPLES_MAX).reverse(),
  }
}

const makeCounter = <T extends object>() => {
  const counts = new Map<string, Counted<T>>()
  return {
    add: (what: T): void => {
      const key = JSON.stringify(what)
      counts.set(key, { ...what, count: (counts.get(key)?.count ?? 0) + 1 })
    },
    /** The most frequent first. */
    list: (): Counted<T>[] => [...counts.values()].sort((a, b) => b.count - a.count),
  }
}

const makeTally = () => ({
  branches: makeCounter<{ stepId: string; target: string }>(),
  stops: makeCounter<{ stepId: string | null; endReason: EndReason | null }>(),
  overtaken: makeCounter<{ flowId: string }>(),
  passedOver: makeCounter<{ because: PassedOver['because'] }>(),
  samples: [] as string[],
})

const envOf = (definition: FlowDefinition, past: PastMessage, world: WorldFacts): Env => {
  const env = makeTestWorld(definition, { ...world, now: past.at }, past.channel)
  return {
    ...env,
    contact: past.contact,
    conversation: { ...env.conversation, id: past.conversationId, isFirst: past.isFirst },
  }
}

const startsIn = ({ dialog, background }: Matched): string[] => [
  ...(dialog ? [dialog.flowId] : []),
  ...background.map(({ flowId }) => flowId),
]

/** What the first message of a conversation starts: as a message, or because it opens the conversation. */
const match = (
  { prepared, starts }: { prepared: PreparedFlows; starts: Starts },
  past: PastMessage,
  env: Env,
): Matched => {
  const lastStartedAt = starts.get(past.contact.id) ?? {}
  const state = { ...NEW_RUN, message: past.message }
  const facts = {
    now: past.at,
    scope: scopeOf({ env, contact: env.contact, state }),
    lastStartedAt,
  }
  // In the order of the conductor: a dialog that the opening started is the only one.
  const { channel, accountId, message, isAutomatic } = past
  const first = { by: 'customer', channel, accountId, message, isAutomatic, isFirst: true } as const
  const opened = matchTriggers(prepared, makeCause({ ...first, on: 'opened' }), facts)
  const written = matchTriggers(prepared, makeCause({ ...first, on: 'message' }), facts)
  const matched = {
    dialog: opened.dialog ?? written.dialog,
    background: [...opened.background, ...written.background],
    passedOver: [...opened.passedOver, ...written.passedOver],
  }
  const now = Object.fromEntries(startsIn(matched).map((flowId) => [flowId, past.at]))
  starts.set(past.contact.id, { ...lastStartedAt, ...now })
  return matched
}

const DECISIONS = new Set<LogEntry['type']>(['branch', 'hours', 'split'])

const countFirstSprint = (
  definition: FlowDefinition,
  { message }: PastMessage,
  env: Env,
  { branches, stops }: ReturnType<typeof makeTally>,
): void => {
  const { state, log } = advance(
    definition,
    null,
    { type: 'started', message, variables: {}, depth: 0, choice: null },
    env,
  )
  const decision = log.find(({ type, detail }) => DECISIONS.has(type) && typeof detail.target === 'string')
  if (decision?.stepId) branches.add({ stepId: decision.stepId, target: String(decision.detail.target) })
  stops.add({ stepId: state.wait?.stepId ?? null, endReason: state.endReason })
}
