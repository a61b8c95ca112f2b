// Conversations that the AI agent takes by itself, by its settings, and drafts that it writes for people.
import { dueAt } from '../ai/debounce.ts'
import { silenceMaxMs, takesNew, writesDrafts } from '../ai/may-reply.ts'
import { NEW_MEMORY } from '../ai/think.ts'
import { findDialog, type InboundMessage, isPaused, isWithPerson, type Stage, setState } from './place.ts'
import { mayReplyHere, schedule, whenIn, whoIn } from './plan-ai.ts'

/** Nobody has it: neither a person, nor a flow, nor the agent itself. */
const isFree = ({ world, place }: Stage): boolean =>
  world.hasAi &&
  place.agent === null &&
  place.conversation.status === 'open' &&
  place.sending.refusal === null &&
  !isPaused(place, world.now) &&
  findDialog(place) === undefined

/**
 * A message that no flow has taken. A new conversation, or one that the customer reopened, becomes the agent's where
 * the settings say so.
 */
export const takeNew = (stage: Stage, message: InboundMessage): void => {
  const { world } = stage
  if (!(message.isFirst || message.isReopening) || !isFree(stage)) return
  if (!takesNew(world.ai, whoIn(stage), whenIn(stage))) return
  take(stage, 'new conversation')
  schedule(stage, message.at, false)
}

/** How long the team may be silent here before the agent takes the conversation; null: for ever. */
export const aiSilenceMs = (stage: Stage): number | null =>
  isFree(stage) ? silenceMaxMs(stage.world.ai, stage.place.conversation.channel) : null

/** Nobody has replied for as long as the settings say. The caller sees to it that this happens once for a silence. */
export const takeUnanswered = (stage: Stage): void => {
  if (!isFree(stage) || !mayReplyHere(stage) || !stage.place.owesReply) return
  take(stage, 'nobody has replied')
  schedule(stage, stage.world.now, true)
}

/** The line begins an episode, so it comes before the turn, as in the order of ids. */
const take = ({ world, place }: Stage, because: string): void => {
  place.agent = { id: 'ai', name: 'ai', isAi: true }
  place.acts.push({ is: 'assign', run: null, agentId: 'ai', because, lineId: world.newId() })
  setState(place, { ai: NEW_MEMORY })
}

/** A message that waits for a person. One draft for all that the customer writes in a row. */
export const wantDraft = (stage: Stage, message: InboundMessage): void => {
  const { world, place } = stage
  const { conversation } = place
  if (!world.hasAi || place.sending.refusal !== null || message.isAutomatic) return
  if (conversation.status !== 'open') return
  if (findDialog(place) !== undefined && !isWithPerson(place, world.now)) return
  if (!writesDrafts(world.ai, whoIn(stage), whenIn(stage))) return
  place.wantsDraftAt = dueAt(conversation.channel, { at: message.at, createdAt: world.now, now: world.now })
}
