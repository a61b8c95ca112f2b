// Decides what automation does in a conversation: its inputs in order, then the runs whose time has come, then silence.
import type { EndReason } from '../../../flow-engine/end-reasons.ts'
import type { Cause } from '../../../flow-engine/triggers.ts'
import { personWrote } from './guards.ts'
import {
  isRunning,
  isWithPerson,
  type Place,
  type PlaceInput,
  type Run,
  type Stage,
  setState,
} from './place.ts'
import {
  settleAi,
  takeAssignment,
  takeSettings,
  takeThought,
  takeUndelivered,
  withPerson,
} from './plan-ai.ts'
import { aiSilenceMs, takeUnanswered } from './plan-ai-start.ts'
import { takeKeptTap, takeMessage } from './plan-message.ts'
import { settleProposals, takeActionResult } from './plan-proposals.ts'
import { cancelRunIn, takeSprint } from './plan-sprint.ts'
import { startTriggered } from './plan-triggers.ts'
import { expireAsked } from './proposed.ts'
import { dueSilence, nextSilence } from './silence.ts'

export const planConversation = async (stage: Stage): Promise<void> => {
  for (const input of stage.place.inputs) await takeInput(stage, input)
  await finishParts(stage)
  await wakeRuns(stage)
  await takeSilence(stage)
  settleAi(stage)
  settleProposals(stage)
}

/** What the conductor itself did. */
const isOwn = ({ by, runId }: { by: string; runId: string | null }): boolean =>
  by === 'automation' && runId === null

const takeInput = async (stage: Stage, input: PlaceInput): Promise<void> => {
  const { place } = stage
  switch (input.kind) {
    case 'message':
      if (input.message) await takeMessage(stage, input.message)
      return
    case 'event':
      // Whoever took it by itself has begun already.
      if (input.data.on === 'assigned' && input.data.to === 'ai' && !isOwn(input.data))
        await takeAssignment(stage)
      await takeEvent(stage, input.data)
      return
    case 'thought':
      await takeThought(stage, input.data, hasLaterMessage(place, input))
      return
    case 'ai_action':
      await takeActionResult(stage, input.data)
      return
    case 'ai_undelivered':
      await takeUndelivered(stage)
      return
    case 'ai_settings':
      await takeSettings(stage)
      return
    case 'interrupted':
      setState(place, { guards: personWrote(place.state.guards), ai: withPerson(place.state.ai) })
      expireAsked(place)
      for (const runId of input.data.runIds)
        tellInterrupted(stage, place.otherRuns.get(runId), input.data.reason)
      return
    case 'start': {
      const run = place.runs.find(({ id }) => id === input.runId)
      if (run?.state === null)
        await takeSprint(stage, run, {
          type: 'started',
          message: null,
          variables: input.data.variables,
          depth: 0,
          choice: null,
        })
      return
    }
    case 'cancel': {
      const run = place.runs.find(({ id }) => id === input.runId)
      const { reason, toPeople = false } = input.data
      if (run) await cancelRunIn(stage, run, reason, { toPeople: toPeople && isOwedWords(stage, run) })
      return
    }
    case 'call':
    case 'part': {
      const run = place.runs.find(({ id }) => id === input.runId)
      if (!run) return
      if (input.kind === 'call') {
        await takeSprint(stage, run, { type: 'callFinished', ...input.data })
        await takeKeptTap(stage, run)
      } else await takeSprint(stage, run, { type: 'partFinished', ...input.data })
    }
  }
}

/**
 * Whether somebody has to go on where a run is cut off: not where a person is there already, and not where the flow has
 * said what it wanted and only waits for a time.
 */
const isOwedWords = ({ world, place }: Stage, { state }: Run): boolean =>
  place.conversation.status === 'open' &&
  !isWithPerson(place, world.now) &&
  (state?.wait?.for !== 'time' || place.isAnswerDue)

const hasLaterMessage = ({ inputs }: Place, { id }: PlaceInput): boolean =>
  inputs.some((other) => other.id > id && other.message !== null && !other.message.isAutomatic)

/** What automation itself did starts background flows only, and these not without end. */
const takeEvent = async (
  stage: Stage,
  { runId, ...happened }: Pick<Cause, 'on' | 'by' | 'to' | 'tagId' | 'field'> & { runId: string | null },
): Promise<void> => {
  const { runs, otherRuns } = stage.place
  const by = runId === null ? undefined : (runs.find(({ id }) => id === runId) ?? otherRuns.get(runId))
  await startTriggered(stage, happened, {
    noDialogs: happened.by === 'automation',
    chain: by?.cause.chain ?? 0,
  })
}

/** The run was cancelled by whoever interrupted it; here it gets its line. */
const tellInterrupted = ({ place }: Stage, run: Run | undefined, reason: EndReason): void => {
  if (!run) return
  if (run.state) run.state = { ...run.state, status: 'cancelled', endReason: reason, at: null, wait: null }
  place.steps.push({
    run,
    seq: run.stepsLogged++,
    stepId: null,
    type: null,
    outcome: 'ended',
    detail: { reason },
  })
  run.isChanged = true
  const says =
    reason === 'conversation_closed'
      ? 'stopped because the conversation was closed'
      : 'stopped because a teammate took over'
  place.acts.push({ is: 'line', run, says, steps: 0 })
}

/** A part that somebody cancelled goes on with what waits for it. */
const finishParts = async (stage: Stage): Promise<void> => {
  const { runs } = stage.place
  for (const run of [...runs]) {
    const wait = run.state?.wait
    if (!isRunning(run) || wait?.for !== 'part') continue
    if (runs.some((part) => part.parentRunId === run.id && isRunning(part))) continue
    await takeSprint(stage, run, {
      type: 'partFinished',
      token: wait.token,
      status: 'cancelled',
      endReason: 'stopped',
      variables: {},
    })
  }
}

/** A reply that came before the run was woken counts, even if it came after its time. */
const wakeRuns = async (stage: Stage): Promise<void> => {
  const { world, place } = stage
  for (const run of [...place.runs]) {
    const wait = run.state?.wait
    if (isRunning(run) && wait && wait.until !== null && wait.until <= world.now) {
      await takeSprint(stage, run, { type: 'woken', token: wait.token })
      await takeKeptTap(stage, run)
    }
  }
}

const takeSilence = async (stage: Stage): Promise<void> => {
  const { world, place } = stage
  const { prepared } = world.live
  const { silence, silenceDueAt } = place.state
  if (silence && silenceDueAt !== null && silenceDueAt <= world.now && place.conversation.status === 'open') {
    const due = dueSilence(prepared, silence, world.now)
    setState(place, { silence: { ...silence, firedMs: due.silentMs } })
    const started = await startTriggered(
      stage,
      { on: due.on, by: silence.of === 'customer' ? 'team' : 'customer', silentMs: due.silentMs },
      { prepared: due.prepared },
    )
    const aiAfterMs = silence.of === 'team' ? aiSilenceMs(stage) : null
    if (!started && aiAfterMs !== null && silence.firedMs < aiAfterMs && aiAfterMs <= due.silentMs)
      takeUnanswered(stage)
  }
  const open = place.conversation.status === 'open' ? place.state.silence : null
  const next = nextSilence(prepared, open, aiSilenceMs(stage))
  if (next !== silenceDueAt) setState(place, { silenceDueAt: next })
}
