import { dateTimeOf, dayKey, timeOf } from '../../state/dates.ts'
import type { ConversationAutomation } from '../../state/types.ts'

type Run = Pick<ConversationAutomation['runs'][number], 'waitingFor' | 'wakesAt'>
type Pause = NonNullable<ConversationAutomation['pause']>

/** The time alone if it is today. */
const whenOf = (iso: string, now: Date): string =>
  dayKey(iso) === dayKey(now.toISOString()) ? timeOf(iso) : dateTimeOf(iso)

/** What a flow is doing; follows its name. */
export const runWords = ({ waitingFor, wakesAt }: Run, now = new Date()): string => {
  if (waitingFor === 'reply')
    return wakesAt ? `is waiting for a reply until ${whenOf(wakesAt, now)}` : 'is waiting for a reply'
  if (waitingFor === 'time' && wakesAt) return `continues at ${whenOf(wakesAt, now)}`
  return waitingFor === 'call' ? 'is waiting for an action' : 'is running'
}

const WHY: Record<string, string> = {
  looks_automated: 'the customer appears to be a program',
  limit_reached: 'it reached its limit of messages',
  failed: 'a flow failed',
}

export const pauseWords = ({ reason, by, byName, until }: Pause, now = new Date()): string => {
  const end = until ? ` until ${whenOf(until, now)}` : ''
  const why = WHY[reason]
  if (why) return `Automation paused${end} · ${why}`
  if (reason === 'handed_over')
    return `Automation paused${end} · ${byName ? `${byName} handed over to the team` : 'handed over to the team'}`
  if (by.startsWith('phone:')) return `Automation paused${end} · someone replied from the phone`
  return `Automation paused${byName ? ` by ${byName}` : ''}${end}`
}
