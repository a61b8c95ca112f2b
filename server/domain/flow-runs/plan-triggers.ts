// Which flows something starts.
import type { MessageFacts } from '../../../flow-engine/contract.ts'
import { scopeOf } from '../../../flow-engine/facts.ts'
import type { Scope } from '../../../flow-engine/paths.ts'
import { NEW_RUN } from '../../../flow-engine/sprint.ts'
import { type Cause, makeCause, matchTriggers, type PreparedFlows } from '../../../flow-engine/triggers.ts'
import { CAUSE_CHAIN_MAX, mayStart } from './guards.ts'
import { findDialog, isWithPerson, type Run, type RunCause, type Stage } from './place.ts'
import { cancelDialogs, envOf, startRun, stopDialogs } from './plan-sprint.ts'

type Happened = Pick<Cause, 'on' | 'by'> & Partial<Omit<Cause, 'channel' | 'accountId'>>

type Options = {
  /** Only background flows may start. */
  noDialogs?: boolean
  /** Of the run that did it; 0 for what people did. */
  chain?: number
  prepared?: PreparedFlows
}

const NOTHING: ExistingNothing = {
  tags: [],
  agents: [],
  teamIds: [],
  actionIds: [],
  templates: [],
  flowIds: [],
  attachmentIds: [],
}
type ExistingNothing = Parameters<typeof envOf>[1]

export const scopeIn = (stage: Stage, message: MessageFacts | null): Scope =>
  scopeOf({
    env: envOf(stage, NOTHING, 0),
    contact: stage.place.contact,
    state: { ...NEW_RUN, message },
  })

/** Whether a keyword starts a flow that may interrupt the dialog that runs. */
const matchOf = (stage: Stage, happened: Happened, { noDialogs = false, prepared }: Options) => {
  const { world, place } = stage
  const cause = makeCause({
    isWithPerson: isWithPerson(place, world.now),
    hasDialog: findDialog(place) !== undefined,
    ...happened,
    // Dialogs pass over what is automatic; the triggers know no other word for it.
    isAutomatic: noDialogs || happened.isAutomatic === true,
    channel: place.conversation.channel,
    accountId: place.conversation.channelAccountId,
  })
  return matchTriggers(prepared ?? world.live.prepared, cause, {
    now: world.now,
    scope: scopeIn(stage, cause.message),
    lastStartedAt: place.lastStartedAt,
  })
}

/** Starts what it triggers: at most one dialog, and background flows. Returns the dialog. */
export const startTriggered = async (
  stage: Stage,
  happened: Happened,
  options: Options = {},
): Promise<Run | undefined> => {
  const { world, place } = stage
  const chain = (options.chain ?? 0) + 1
  if (chain > CAUSE_CHAIN_MAX) return undefined
  const { dialog, background, passedOver } = matchOf(stage, happened, options)
  const start = (flowId: string, trigger: number, over: RunCause['passedOver']): Promise<Run> =>
    startRun(stage, {
      flow: world.live.flows.get(flowId)!,
      cause: {
        on: happened.on,
        by: happened.by,
        trigger,
        messageId: happened.message?.id ?? null,
        passedOver: over,
        chain,
      },
      parentRunId: null,
      isTest: false,
      input: {
        type: 'started',
        message: happened.message ?? null,
        variables: {},
        depth: 0,
        choice: null,
      },
    })
  let started: Run | undefined
  if (dialog && mayStart(place.state.guards, dialog.flowId, world.now)) {
    if (dialog.interrupts) await cancelDialogs(stage, 'interrupted')
    started = await start(dialog.flowId, dialog.trigger, passedOver)
  } else if (dialog && happened.message && !isWithPerson(place, world.now)) {
    // Somebody has to answer the customer.
    await stopDialogs(stage, 'limit_reached')
  }
  for (const { flowId, trigger } of background) await start(flowId, trigger, [])
  return started
}

/** Whether a message has a keyword of a flow that may interrupt the dialog that runs. */
export const interruptsDialog = (stage: Stage, happened: Happened): boolean =>
  matchOf(stage, happened, {}).dialog?.interrupts === true
