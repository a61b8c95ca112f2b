// What a sprint did, in a few words for the line in the thread.
import type { Effect, LogEntry } from '../../../flow-engine/contract.ts'
import { END_REASONS, type EndReason } from '../../../flow-engine/end-reasons.ts'
import { cutText } from '../../../flow-engine/fold-text.ts'

const QUESTION_MAX = 80

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const messages = (count: number): string => (count === 1 ? 'sent a message' : `sent ${count} messages`)

/** Reasons that the effects have said already, or that go without saying. */
const QUIET: ReadonlySet<EndReason> = new Set([
  'finished',
  'handed_over',
  'asked_for_person',
  'not_understood',
  'assigned_to_ai',
  'continued_elsewhere',
])

const HANDED_OVER = {
  asked: 'handed over to the team because the customer asked for a person',
  flow: 'handed over to the team',
  not_understood: 'handed over to the team because replies weren’t understood',
  failed: 'handed over to the team',
} as const

/** In their order; none for a sprint that isn't worth a line. The console has each in its languages. */
export const sayWhatHappened = (
  effects: readonly Effect[],
  log: readonly LogEntry[],
  endReason: EndReason | null,
): string[] => {
  const parts: string[] = []
  const add = (part: string): void => {
    if (!parts.includes(part)) parts.push(part)
  }
  const asked = new Set(log.filter(({ outcome }) => outcome === 'asked').map(({ stepId }) => stepId))
  const isAgain = log.some(({ outcome }) => outcome === 'invalid')
  const plain = effects.filter((effect) => effect.type === 'send' && !asked.has(effect.stepId))
  if (log.some(({ outcome }) => outcome === 'timedOut')) add('got no reply in time')
  if (isAgain) add('didn’t understand the reply')
  if (plain.length > 0 && !isAgain) add(messages(plain.length))
  else if (plain.length > 0) add('asked again')
  for (const effect of effects) {
    const part = partOf(effect, asked)
    if (part) add(part)
  }
  if (log.some(({ outcome }) => outcome === 'waiting') && parts.length === 0) add('started to wait')
  if (endReason !== null && !QUIET.has(endReason)) add(`ended: ${lowerFirst(END_REASONS[endReason].says)}`)
  return parts
}

const partOf = (effect: Effect, asked: ReadonlySet<string | null>): string | undefined => {
  switch (effect.type) {
    case 'send':
      return asked.has(effect.stepId) ? `asked “${cutText(oneLine(effect.text), QUESTION_MAX)}”` : undefined
    case 'sendTemplate':
      return `sent the template “${effect.name}”`
    case 'assign':
      return effect.to === 'nobody' ? 'unassigned the conversation' : 'assigned the conversation'
    case 'assignAmong':
      return 'assigned the conversation'
    case 'team':
      return 'moved the conversation to a team'
    case 'tag':
      return effect.add.length > 0 ? 'tagged the customer' : 'removed a tag'
    case 'setField':
      return 'updated the customer’s details'
    case 'note':
      return 'added a note'
    case 'close':
      return 'closed the conversation'
    case 'call':
      return 'called an action'
    case 'startAi':
      return undefined
    case 'startFlow':
      return effect.as === 'part' ? 'started another flow' : 'continued in another flow'
    case 'handOver':
      return HANDED_OVER[effect.reason]
  }
}
