// What the AI agent says in code's words, which no turn thought of.
import { maySend, sentMessages } from './guards.ts'
import { type AiWords, type Stage, setState } from './place.ts'
import { canSend } from './plan-hand-over.ts'

/** Nothing if the customer can't be reached or got too many automated messages. False then. */
export const sayForAi = ({ world, place }: Stage, text: string, metadata: AiWords['metadata']): boolean => {
  if (!canSend(place, world.now) || !maySend(place.state.guards, world.now, 1)) return false
  place.acts.push({
    is: 'message',
    run: null,
    by: { turn: null, metadata, isAutomation: place.agent?.isAi !== true },
    stepId: '',
    text,
    choices: null,
    attachmentIds: [],
  })
  setState(place, { guards: sentMessages(place.state.guards, world.now, 1) })
  return true
}
