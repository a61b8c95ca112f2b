import Type, { type Static } from 'typebox'
import { Id, Moment, nullable } from '../schema.ts'

/** Why automation is paused. */
export const AutomationPause = Type.Object({
  reason: Type.String(),
  /** Null: until somebody resumes it, or the conversation is closed. */
  until: nullable(Moment),
  by: Type.String(),
  /** Of the person or flow; null for everyone else. */
  byName: nullable(Type.String()),
})
export type AutomationPause = Static<typeof AutomationPause>

export const ActiveRun = Type.Object({
  id: Id,
  flowId: Id,
  flowName: Type.String(),
  isDialog: Type.Boolean(),
  waitingFor: nullable(Type.Enum(['reply', 'time', 'call', 'ai', 'part'])),
  /** When it goes on by itself. */
  wakesAt: nullable(Moment),
  startedAt: Moment,
})
export type ActiveRun = Static<typeof ActiveRun>

/** Who speaks in a conversation, beside people. */
export const ConversationAutomation = Type.Object({
  pause: nullable(AutomationPause),
  runs: Type.Array(ActiveRun),
})
export type ConversationAutomation = Static<typeof ConversationAutomation>
