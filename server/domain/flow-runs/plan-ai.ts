// The AI agent's part in a conversation that it has: when it has something to think about, and what becomes of what it
// thought. It thinks elsewhere (domain/ai/turn/take-turn.ts); whether that is still wanted is decided here, with the
// conversation locked.
import type { Effect } from '../../../flow-engine/contract.ts'
import { dueAt } from '../ai/debounce.ts'
import type { HandOverReason } from '../ai/hand-over-reason.ts'
import { mayReply } from '../ai/may-reply.ts'
import { showAction } from '../ai/proposals/proposal.ts'
import { proposalText } from '../ai/proposals/texts.ts'
import { type Decision, type Memory, NEW_MEMORY } from '../ai/think.ts'
import type { Turn, TurnOutcome } from '../ai/turn-queries.ts'
import { addCode } from './added-code.ts'
import { maySend, sentMessages } from './guards.ts'
import { findDialog, type InboundMessage, isPaused, type Run, type Stage, setState } from './place.ts'
import { takeAiEffects } from './plan-ai-effects.ts'
import { handOverFromAi } from './plan-ai-hand-over.ts'
import type { HandOverWords } from './plan-ai-note.ts'
import { sayForAi } from './plan-ai-say.ts'
import { countTurn, finishStep, memoryOf, takeProgress, waitingRun } from './plan-ai-step.ts'
import { choicesOf, languageFor, languageWith, textOf } from './plan-ai-words.ts'
import { stopDialogs, takeSprint } from './plan-sprint.ts'
import { actionPart, addProposal } from './proposed.ts'
import { remembered } from './remembered.ts'

/** Whether it is the AI agent's turn to reply, and not a person's or a flow's. */
export const isWithAi = ({ world, place }: Stage): boolean => {
  if (place.agent?.isAi !== true || place.conversation.status !== 'open') return false
  const dialog = findDialog(place)
  return !isPaused(place, world.now) && (dialog === undefined || dialog.state?.wait?.for === 'ai')
}

/** Messages of its own in a row; what the customer types in between doesn't count, a tap or a person does. */
export const MESSAGES_IN_A_ROW_MAX = 12

export const withPerson = (memory: Memory | null): Memory | null => memory && { ...memory, inARow: 0 }

export const whoIn = ({ place: { contact, conversation } }: Stage) => ({
  channel: conversation.channel,
  country: contact.country,
  language: contact.language,
  tagIds: contact.tags.map(({ id }) => id),
})

export const whenIn = ({ world: { hours, now } }: Stage) => ({ hours, now })

export const mayReplyHere = (stage: Stage): boolean =>
  stage.world.hasAi &&
  stage.place.sending.refusal === null &&
  mayReply(stage.world.ai, whoIn(stage), whenIn(stage))

/** A customer's message in a conversation that it has. False if it hasn't. */
export const takeForAi = async (stage: Stage, message: InboundMessage): Promise<boolean> => {
  if (!isWithAi(stage)) return false
  if (message.isReopening) forget(stage)
  const words = { language: languageWith(stage.place, message.text) }
  if (!mayReplyHere(stage)) await handOver(stage, unavailable(stage), words)
  else if (message.tapped !== null) {
    setState(stage.place, { ai: withPerson(memoryOf(stage)) })
    schedule(stage, message.at, true)
  } else if (memoryOf(stage).inARow >= MESSAGES_IN_A_ROW_MAX) await handOver(stage, 'loop', words)
  else schedule(stage, message.at, false)
  return true
}

/** It was assigned: it replies at once to what the customer wrote last, if nobody has. */
export const takeAssignment = async (stage: Stage): Promise<void> => {
  const { place } = stage
  if (!isWithAi(stage)) return
  const { run } = memoryOf(stage)
  setState(place, { ai: { ...NEW_MEMORY, run } })
  if (!mayReplyHere(stage)) return handOver(stage, unavailable(stage))
  if (place.owesReply) schedule(stage, stage.world.now, true)
}

/** Its settings have changed. */
export const takeSettings = async (stage: Stage): Promise<void> => {
  if (isWithAi(stage) && !mayReplyHere(stage)) await handOver(stage, unavailable(stage))
}

/** The customer never got what it said. */
export const takeUndelivered = async (stage: Stage): Promise<void> => {
  if (isWithAi(stage)) await handOver(stage, 'not_delivered')
}

const unavailable = ({ world }: Stage): HandOverReason => (world.ai.isStopped ? 'stopped' : 'not_here')

/** A new episode: it introduces itself again. */
const forget = (stage: Stage): void => {
  const { run } = memoryOf(stage)
  setState(stage.place, { ai: { ...NEW_MEMORY, run } })
}

/** One turn for all that the customer writes in a row. What is being thought of less than that is dropped. */
export const schedule = ({ world, place }: Stage, at: number, isAtOnce: boolean): void => {
  const before = place.turn
  const createdAt = before?.createdAt ?? world.now
  const due = isAtOnce ? world.now : dueAt(place.conversation.channel, { at, createdAt, now: world.now })
  const id = before?.id ?? world.newId()
  const revision = (before?.revision ?? 0) + 1
  place.turn = {
    id,
    state: 'waiting',
    revision,
    dueAt: due,
    createdAt,
    question: null,
    decision: null,
    messageId: null,
    outcome: null,
  }
  place.turns.set(id, place.turn)
}

const endTurn = ({ place }: Stage, outcome: TurnOutcome): Turn | null => {
  if (!place.turn) return null
  const ended = { ...place.turn, state: 'ended' as const, outcome }
  place.turns.set(ended.id, ended)
  place.turn = null
  return ended
}

/**
 * What it thought. Dropped if somebody else has the word by now, if the customer has written more, or if somebody has
 * replied meanwhile.
 */
export const takeThought = async (
  stage: Stage,
  { turnId, revision }: { turnId: string; revision: number },
  hasNewer: boolean,
): Promise<void> => {
  const { turn } = stage.place
  if (turn?.id !== turnId || turn.revision !== revision || turn.state !== 'thought' || !turn.decision) return
  if (hasNewer || !isWithAi(stage)) return
  if (!mayReplyHere(stage)) return handOver(stage, unavailable(stage))
  const { isOwed = false, ...memory } = memoryOf(stage)
  if (isOwed) setState(stage.place, { ai: memory })
  if (!stage.place.owesReply && !isOwed) {
    endTurn(stage, 'discarded')
    return
  }
  await carryOut(stage, turn, turn.decision)
}

const OUTCOMES = {
  answer: 'answered',
  offer: 'offered',
  ask: 'asked',
  propose: 'asked',
  code: 'asked',
} as const
const SAID_OUTCOMES = { reply: 'answered', question: 'asked' } as const

const carryOut = async (stage: Stage, turn: Turn, decision: Decision): Promise<void> => {
  const { world, place } = stage
  const memory = memoryOf(stage)
  if (decision.is === 'handOver') {
    await takeAiEffects(stage, decision.effects ?? [])
    return handOver(stage, decision.reason, decision)
  }
  if (decision.is === 'propose' && decision.proposed.confirm === 'person')
    return proposeToPeople(stage, turn, decision)
  if (decision.is === 'silent') {
    endTurn(stage, 'silent')
    await finishStep(stage, 'done')
    return
  }
  const { windowClosesAt } = place.sending
  if (windowClosesAt !== null && world.now >= windowClosesAt) return handOver(stage, 'failed')
  if (!maySend(place.state.guards, world.now, 1)) {
    endTurn(stage, 'discarded')
    await stopDialogs(stage, 'limit_reached')
    return
  }
  const words = { language: languageFor(place, decision), isFirst: !memory.isIntroduced }
  if (decision.is === 'code' && !(await addCode(stage, words.language)))
    return handOver(stage, 'identity', { language: words.language })
  const text = textOf(stage, decision, words)
  const ended = endTurn(stage, decision.is === 'say' ? SAID_OUTCOMES[decision.as] : OUTCOMES[decision.is])!
  place.acts.push({
    is: 'message',
    run: null,
    by: { turn: ended, metadata: metadataOf(stage, turn, decision) },
    stepId: '',
    text,
    choices: choicesOf(stage, decision, { ...words, text }),
    attachmentIds: [],
  })
  setState(place, {
    guards: sentMessages(place.state.guards, world.now, 1),
    ai: { ...memory, ...remembered(memory, decision), isIntroduced: true, inARow: memory.inARow + 1 },
  })
  place.owesReply = false
  if ('effects' in decision) await takeAiEffects(stage, decision.effects)
  if (decision.is === 'say' && (await takeProgress(stage, decision))) return
  await countTurn(stage)
}

/** They look at it where they look at what was handed over. */
const proposeToPeople = async (
  stage: Stage,
  turn: Turn,
  { proposed, effects }: Extract<Decision, { is: 'propose' }>,
): Promise<void> => {
  const language = proposed.language ?? 'en'
  await takeAiEffects(stage, effects)
  const action = actionPart(addProposal(stage, turn.id, proposed))
  const text = `${proposalText('askPerson', language)}\n\n${showAction(proposed, language)}`
  await handOver(stage, 'approval', { language, lead: { text, action } })
}

/** For people to see where the words come from, and what was proposed. */
const metadataOf = (stage: Stage, turn: Turn, decision: Decision) => {
  const sources = decision.is === 'answer' ? [decision.source] : 'sources' in decision ? decision.sources : []
  return {
    turnId: turn.id,
    ...(decision.is === 'say' && { confidence: decision.confidence }),
    ...(decision.is === 'propose' && { action: actionPart(addProposal(stage, turn.id, decision.proposed)) }),
    sources: sources.map(({ type, id, title, url }) => ({ type, id, title, url })),
  }
}

export const handOver = async (
  stage: Stage,
  reason: HandOverReason,
  words: HandOverWords = {},
): Promise<void> => {
  const { turn } = stage.place
  const { lead } = words
  endTurn(stage, 'handed_over')
  if (lead && waitingRun(stage))
    sayForAi(stage, lead.text, { turnId: turn?.id ?? null, sources: [], action: lead.action })
  // The step that asked for it says what comes next.
  if (await finishStep(stage, 'gaveUp')) return
  await handOverFromAi(stage, reason, { ...words, turn })
}

/**
 * A step of a flow leaves the customer to it. It gives up at once where it may not reply, and where it would have to
 * collect something without a model.
 */
export const takeStep = async (
  stage: Stage,
  run: Run,
  {
    token,
    goal,
    collect,
    turnsMax,
  }: Pick<Extract<Effect, { type: 'startAi' }>, 'token' | 'goal' | 'collect' | 'turnsMax'>,
): Promise<void> => {
  const { place } = stage
  if ((collect.length > 0 && !stage.world.hasModel) || !mayReplyHere(stage)) {
    await takeSprint(stage, run, { type: 'aiFinished', token, outcome: 'gaveUp', collected: {} })
    return
  }
  setState(place, {
    ai: { ...NEW_MEMORY, run: { id: run.id, token, turnsLeft: turnsMax, goal, collect, collected: {} } },
  })
  place.agent = { id: 'ai', name: 'ai', isAi: true }
  place.acts.push({ is: 'assign', run, agentId: 'ai' })
}

/** After everything else: nothing is thought of that nobody wants any more. */
export const settleAi = (stage: Stage): void => {
  const { place } = stage
  if (place.turn && !isWithAi(stage)) endTurn(stage, 'discarded')
  // What was thought was dropped for a message that asked for no turn of its own, such as a wrong code.
  if (place.turn?.state === 'thought' && !place.hasMore) schedule(stage, stage.world.now, true)
  const { ai } = place.state
  if (!ai?.run || waitingRun(stage)) return
  // The flow went on without it, because its time was over or somebody stopped it.
  setState(place, { ai: { ...ai, run: null } })
}
