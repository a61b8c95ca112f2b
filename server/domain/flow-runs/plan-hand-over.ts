// Leaves a conversation to people: what they need to know, whom it goes to, and a word to the customer.
import type { HandOver } from '../../../flow-engine/contract.ts'
import { handOverText } from '../../../flow-engine/hand-over-text.ts'
import { PAUSED_MS } from '../automation/interrupt.ts'
import type { PauseReason } from '../automation/states.ts'
import { sentMessages } from './guards.ts'
import { isPaused, type Place, type Run, type Stage, setState } from './place.ts'

type Wanted = Omit<HandOver, 'type'>

const REASONS: Record<HandOver['reason'], string> = {
  asked: 'The customer asked for a person.',
  flow: 'Handed over to the team.',
  not_understood: 'Replies weren’t understood.',
  failed: 'The flow couldn’t go on.',
}

/** `run`: null if no flow was running, and the customer asked for a person. */
export const planHandOver = (stage: Stage, run: Run | null, wanted: Wanted): void => {
  const { world, place } = stage
  const { reason, assignTo, text, language, isSilent, summary, collected } = wanted
  // A flow and the one that it is a part of may both give up.
  const isSaid = place.acts.some((act) => act.is === 'pause' && act.reason === 'handed_over')
  if (!isSilent && !isSaid && canSend(place, world.now))
    sayHandOver(stage, run, text ?? handOverText(language))
  if (run && summary !== 'none' && collected.length > 0)
    place.acts.push({ is: 'note', run, text: noteOf(run, reason, collected) })
  if (assignTo !== null) {
    place.agent = { id: assignTo, name: assignTo, isAi: false }
    place.acts.push({ is: 'assign', run, agentId: assignTo })
  }
  pauseForPeople(stage, run, 'handed_over')
}

/** What the customer may expect; the caller knows that it can be sent. */
export const sayHandOver = ({ world, place }: Stage, run: Run | null, text: string): void => {
  place.acts.push({ is: 'message', run, stepId: '', text, choices: null, attachmentIds: [] })
  setState(place, { guards: sentMessages(place.state.guards, world.now, 1) })
}

export const canSend = ({ sending: { refusal, windowClosesAt } }: Place, now: number): boolean =>
  refusal === null && (windowClosesAt === null || now < windowClosesAt)

const noteOf = ({ flowName }: Run, reason: HandOver['reason'], collected: Wanted['collected']): string =>
  [
    `${flowName}: ${REASONS[reason]}`,
    ...collected.map(({ question, answer }) => `${question}\n→ ${answer}`),
  ].join('\n\n')

/** Nobody but people speaks for a while, and the AI agent no longer has the conversation. */
export const pauseForPeople = ({ world, place }: Stage, run: Run | null, reason: PauseReason): void => {
  if (place.agent?.isAi) {
    place.agent = null
    place.acts.push({ is: 'assign', run, agentId: null })
  }
  // A person who paused it until somebody gives the conversation back has the last word.
  if (place.state.pauseReason === 'paused' && isPaused(place, world.now)) return
  const until = new Date(world.now + PAUSED_MS)
  place.state = { ...place.state, pausedAt: new Date(world.now), pausedUntil: until, pauseReason: reason }
  place.acts.push({ is: 'pause', run, reason, until })
}
