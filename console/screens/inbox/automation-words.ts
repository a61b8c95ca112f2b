import { dateTimeOf, dayKey, timeOf } from '../../state/dates.ts'
import type { ConversationAutomation } from '../../state/types.ts'
import { t } from '../../words/t.ts'

type Run = Pick<ConversationAutomation['runs'][number], 'waitingFor' | 'wakesAt'>
type Pause = NonNullable<ConversationAutomation['pause']>

/** The time alone if it is today. */
const whenOf = (iso: string, now: Date): string =>
  dayKey(iso) === dayKey(now.toISOString()) ? timeOf(iso) : dateTimeOf(iso)

/** What a flow is doing; follows its name. */
export const runWords = ({ waitingFor, wakesAt }: Run, now = new Date()): string => {
  if (waitingFor === 'reply')
    return wakesAt ? t`is waiting for a reply until ${whenOf(wakesAt, now)}` : t`is waiting for a reply`
  if (waitingFor === 'time' && wakesAt) return t`continues at ${whenOf(wakesAt, now)}`
  return waitingFor === 'call' ? t`is waiting for an action` : t`is running`
}

const WHY: Record<string, string> = {
  looks_automated: t`the customer appears to be a program`,
  limit_reached: t`it reached its limit of messages`,
  failed: t`a flow failed`,
}

export const pauseWords = ({ reason, by, byName, until }: Pause, now = new Date()): string => {
  const end = until ? t` until ${whenOf(until, now)}` : ''
  const why = WHY[reason]
  if (why) return t`Automation paused${end} · ${why}`
  if (reason === 'handed_over')
    return t`Automation paused${end} · ${byName ? t`${byName} handed over to the team` : t`handed over to the team`}`
  if (by.startsWith('phone:')) return t`Automation paused${end} · someone replied from the phone`
  return t`Automation paused${byName ? t` by ${byName}` : ''}${end}`
}
