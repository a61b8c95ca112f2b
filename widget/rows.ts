// Lays out a thread: day separators, groups of messages by sender, and which bubble shows the name, time and
// state. Days are in the viewer's time zone, not the server's.
import type { Bubble } from './thread.ts'
import { locale, words } from './words.ts'

const runMaxMs = 5 * 60_000

export type Row = { key: string; signature: string } & (
  | { kind: 'day' | 'notice'; text: string }
  | { kind: 'bubble'; bubble: Bubble; isFirst: boolean; isLast: boolean; meta: string }
)

export const layOutRows = (bubbles: Bubble[], isClosed: boolean, now: Date): Row[] => {
  const rows: Row[] = []
  const ownKeys = bubbles.filter((bubble) => bubble.senderType === 'customer').map((bubble) => bubble.key)
  const lastOwnKey = ownKeys[ownKeys.length - 1]
  bubbles.forEach((bubble, index) => {
    const previous = bubbles[index - 1]
    const next = bubbles[index + 1]
    const day = dayOf(bubble)
    if (!previous || dayOf(previous) !== day) {
      const text = describeDay(new Date(bubble.createdAt), now)
      rows.push({ kind: 'day', key: `day ${day}`, signature: text, text })
    }
    const isFirst = !previous || !isOneRun(previous, bubble)
    const isLast = !next || !isOneRun(bubble, next)
    const meta = describeMeta(bubble, isLast, bubble.key === lastOwnKey)
    const { key, id, nickname, state, chosen, isAnswered, reaction } = bubble
    const signature = JSON.stringify([
      ...[id, nickname, state, isFirst, isLast, meta, addressesOf(bubble), chosen, isAnswered, reaction],
    ])
    rows.push({ kind: 'bubble', key, signature, bubble, isFirst, isLast, meta })
  })
  if (isClosed && rows.length > 0) {
    rows.push({ kind: 'notice', key: 'closed', signature: '', text: words.closed })
  }
  return rows
}

/** Attachment URLs are signed and short-lived; a new session brings new ones. */
export const addressesOf = ({ attachments }: Bubble): string => attachments.map(({ url }) => url).join(' ')

const isOneRun = (a: Bubble, b: Bubble): boolean =>
  a.senderType === b.senderType &&
  a.nickname === b.nickname &&
  a.byEmail === b.byEmail &&
  dayOf(a) === dayOf(b) &&
  a.state !== 'failed' &&
  Date.parse(b.createdAt) - Date.parse(a.createdAt) < runMaxMs

const describeMeta = (bubble: Bubble, isLast: boolean, isLastOwn: boolean): string => {
  const time = timeOf(new Date(bubble.createdAt))
  if (bubble.state === 'failed') return words.notSent
  if (bubble.state === 'sending') return isLast ? words.sending : ''
  if (!isLast) return ''
  if (bubble.byEmail) return `${time} · ${words.byEmail}`
  if (!isLastOwn) return time
  return `${time} · ${bubble.state === 'read' ? words.seen : words.sent}`
}

const dayOf = (bubble: Bubble): string => new Date(bubble.createdAt).toDateString()

const describeDay = (date: Date, now: Date): string => {
  const yesterday = new Date(now)
  yesterday.setDate(now.getDate() - 1)
  if (date.toDateString() === now.toDateString()) return words.today
  if (date.toDateString() === yesterday.toDateString()) return words.yesterday
  return new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(date.getFullYear() !== now.getFullYear() && { weekday: undefined, year: 'numeric' }),
  }).format(date)
}

const timeOf = (date: Date): string =>
  new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' }).format(date)
