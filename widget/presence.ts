// The line below the title: whether someone is there, when the team is back, or how soon it usually replies.
import type { Settings } from './settings.ts'
import { fill, locale, plural, words } from './words.ts'

const dayMs = 86_400_000
/** Longer than that, a weekday could be that of the week after. */
const weekMs = 6 * dayMs

/** `isOnline` is null until it is known. */
export const describePresence = (
  isOnline: boolean | null,
  { isOpen, opensAt, replyMinutes }: Pick<Settings, 'isOpen' | 'opensAt' | 'replyMinutes'>,
  now: Date,
): string => {
  const opening = opensAt === null ? Number.NaN : Date.parse(opensAt)
  if (!isOnline && isOpen === false && opening > now.getTime()) return describeOpening(new Date(opening), now)
  if (replyMinutes !== null) return describeReply(replyMinutes)
  if (isOnline === null) return words.presenceUnknown
  return isOnline ? words.online : words.offline
}

const describeOpening = (opening: Date, now: Date): string => {
  const time = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' }).format(opening)
  if (opening.toDateString() === now.toDateString()) return fill(words.backAt, { time })
  const isNear = opening.getTime() - now.getTime() < weekMs
  const day = new Intl.DateTimeFormat(
    locale,
    isNear ? { weekday: 'long' } : { day: 'numeric', month: 'long' },
  ).format(opening)
  return fill(words.backOn, { day, time })
}

const describeReply = (minutes: number): string => {
  if (minutes <= 10) return words.replyMinutes
  if (minutes <= 60) return words.replyHour
  const hours = Math.ceil(minutes / 60)
  return hours < 24 ? plural(words.replyHours, hours) : words.replyDay
}
