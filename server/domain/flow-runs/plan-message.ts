// What a customer's message does: to the run that it answers, or to the flows that it starts.
import type { MessageFacts, StepChoice } from '../../../flow-engine/contract.ts'
import { handOverText } from '../../../flow-engine/hand-over-text.ts'
import { wantsPerson } from '../../../flow-engine/wants-person.ts'
import { takeAddress } from './ask-address.ts'
import { heardMessage, looksAutomated, mayStart, wasAnswer } from './guards.ts'
import {
  findDialog,
  type InboundMessage,
  isRunning,
  isWithPerson,
  type Run,
  type Stage,
  setState,
} from './place.ts'
import { isWithAi, takeForAi } from './plan-ai.ts'
import { handOverFromAi } from './plan-ai-hand-over.ts'
import { sayForAi } from './plan-ai-say.ts'
import { takeNew, wantDraft } from './plan-ai-start.ts'
import { expectationOf, languageWith } from './plan-ai-words.ts'
import { takeCode } from './plan-codes.ts'
import { canSend, planHandOver, sayHandOver } from './plan-hand-over.ts'
import { takeConfirmation } from './plan-proposals.ts'
import { cancelDialogs, cancelRunIn, endRun, startRun, stopDialogs, takeSprint } from './plan-sprint.ts'
import { interruptsDialog, startTriggered } from './plan-triggers.ts'

export const takeMessage = async (stage: Stage, message: InboundMessage): Promise<void> => {
  const { place } = stage
  if (!message.isAutomatic) {
    place.owesReply = true
    takeAddress(stage, message)
  }
  const noDialogs = message.isAutomatic || (await mayNotTalk(stage, message))
  const isTaken = !noDialogs && (await takeForDialogs(stage, message))
  const causes = [
    ...(message.isFirst ? (['opened'] as const) : []),
    ...(message.isReopening ? (['reopened'] as const) : []),
    'message' as const,
  ]
  const waiting = place.runs.filter((run) => !run.isDialog && isRunning(run))
  let isSettled = noDialogs || isTaken
  for (const on of causes) {
    const happened = { on, by: 'customer' as const, message, isFirst: message.isFirst }
    if (await startTriggered(stage, happened, { noDialogs: isSettled })) isSettled = true
  }
  for (const run of waiting) await takeSprint(stage, run, { type: 'message', message, choice: null })
  if (!isSettled) takeNew(stage, message)
  if (!isWithAi(stage)) wantDraft(stage, message)
}

/** Customers who want no messages and programs get no dialogs; those that run end. */
const mayNotTalk = async (stage: Stage, message: InboundMessage): Promise<boolean> => {
  const { place } = stage
  const { refusal } = place.sending
  if (refusal === 'opted_out' || refusal === 'blocked') {
    for (const run of [...place.runs])
      if (run.isDialog && isRunning(run)) await endRun(stage, run, refusal, { isSilent: true })
    if (isWithAi(stage)) await handOverFromAi(stage, 'not_here')
    return true
  }
  if (place.state.guards.sent.length === 0) return false
  const { at, text, tapped } = message
  setState(place, { guards: heardMessage(place.state.guards, { at, text, isTap: tapped !== null }) })
  if (isWithPerson(place, stage.world.now) || !looksAutomated(place.state.guards)) return false
  // It may be a person who writes fast: they hear it once, and a program that replies to it is left alone.
  await sayThatPeopleReply(stage, text)
  return stopDialogs(stage, 'looks_automated')
}

const sayThatPeopleReply = async (stage: Stage, text: string): Promise<void> => {
  const { world, place } = stage
  const language = languageWith(place, text)
  if (place.agent?.isAi) sayForAi(stage, await expectationOf(stage, language), { turnId: null, sources: [] })
  else if (findDialog(place) && canSend(place, world.now)) sayHandOver(stage, null, handOverText(language))
}

/** True if a run used the message, or nobody else may. */
const takeForDialogs = async (stage: Stage, message: InboundMessage): Promise<boolean> => {
  if (await takeCode(stage, message)) return true
  if (await takeConfirmation(stage, message)) return true
  if (message.tapped && (await takeTap(stage, message))) return true
  const dialog = findDialog(stage.place)
  if (dialog?.state?.wait?.for === 'ai' && !wantsPerson(message.text)) return takeForAi(stage, message)
  if (dialog) {
    const happened = { on: 'message' as const, by: 'customer' as const, message, isFirst: message.isFirst }
    if (interruptsDialog(stage, happened)) return false
    await answer(stage, dialog, message)
    return true
  }
  return (await takeWish(stage, message)) || takeForAi(stage, message)
}

const answer = async (stage: Stage, run: Run, message: InboundMessage): Promise<boolean> => {
  const { place } = stage
  const before = place.steps.length
  const wait = run.state?.wait
  const parts = wait?.for === 'part' ? place.runs.filter(({ parentRunId }) => parentRunId === run.id) : []
  const choice =
    message.tapped?.runId === run.id ? { stepId: message.tapped.stepId, option: message.tapped.number } : null
  const isUsed = await takeSprint(stage, run, { type: 'message', message, choice })
  const isAnswer = place.steps.slice(before).some(({ outcome }) => outcome === 'answered')
  if (isAnswer && choice === null) setState(place, { guards: wasAnswer(place.state.guards) })
  // A button of the whole led away from its part.
  if (run.state?.wait?.token !== wait?.token)
    for (const part of parts) await cancelRunIn(stage, part, 'interrupted', { isQuiet: true })
  return isUsed
}

/** A tap goes to the run that offered it, also while a part of it speaks, and is no reply to the part. */
const takeTap = async (stage: Stage, message: InboundMessage): Promise<boolean> => {
  const { place } = stage
  const { runId, stepId, number } = message.tapped!
  const run = place.runs.find(({ id }) => id === runId)
  if (run && isRunning(run)) {
    const hasPart = run.state?.wait?.for === 'part'
    return (await answer(stage, run, message)) || hasPart
  }
  return startAgain(stage, run ?? place.otherRuns.get(runId), message, { stepId, option: number })
}

/** What was tapped during a call, after which the run ended. */
export const takeKeptTap = async (stage: Stage, run: Run): Promise<void> => {
  const tap = run.state?.tap
  if (tap && !isRunning(run) && stage.place.conversation.status === 'open')
    await startAgain(stage, run, tap.message, tap.choice)
}

/** A tap on a choice of a run that has ended starts it anew with that answer. */
const startAgain = async (
  stage: Stage,
  ended: Run | undefined,
  message: MessageFacts,
  choice: StepChoice,
): Promise<boolean> => {
  const { world, place } = stage
  const flow = ended && world.live.flows.get(ended.flowId)
  if (!ended?.definition || !flow || (ended.definition.oldChoices ?? 'jump') !== 'jump') return false
  if (isWithPerson(place, world.now)) return false
  if (!mayStart(place.state.guards, flow.id, world.now)) return stopDialogs(stage, 'limit_reached')
  await cancelDialogs(stage, 'interrupted')
  await startRun(stage, {
    flow: { id: flow.id, name: flow.name, version: ended.version },
    cause: { on: 'choice', by: 'customer', trigger: null, messageId: message.id, passedOver: [], chain: 1 },
    parentRunId: null,
    isTest: ended.isTest,
    input: {
      type: 'started',
      message,
      variables: ended.state?.variables ?? {},
      depth: 0,
      choice,
    },
  })
  return true
}

/** A wish for a person where no flow runs, but one might start or the AI agent has the conversation. */
const takeWish = async (stage: Stage, message: InboundMessage): Promise<boolean> => {
  const { world, place } = stage
  const hasDialogs = [...world.live.flows.values()].some(({ definition }) => definition.kind === 'dialog')
  if (isWithPerson(place, world.now) || !(hasDialogs || place.agent?.isAi)) return false
  if (!wantsPerson(message.text)) return false
  if (place.agent?.isAi) {
    const language = languageWith(place, message.text)
    await handOverFromAi(stage, 'asked', { turn: place.turn, wish: message.text, language })
    return true
  }
  planHandOver(stage, null, {
    reason: 'asked',
    assignTo: null,
    text: null,
    language: languageWith(place, message.text),
    isSilent: false,
    summary: 'none',
    collected: [],
  })
  place.acts.push({
    is: 'line',
    run: null,
    says: 'The customer asked for a person, so automation is paused',
    steps: 0,
  })
  return true
}
