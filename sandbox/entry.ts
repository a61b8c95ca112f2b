// A message in a thread, in any app.
import type { Clock } from './clock.ts'

/** The apps whose threads are in people.ts; mail has mailboxes, WhatsApp its own threads. */
export const CHAT_APPS = ['telegram', 'messenger', 'sms'] as const
export type ChatApp = (typeof CHAT_APPS)[number]
export type App = 'whatsapp' | 'mail' | ChatApp

export type DeliveryStatus = 'accepted' | 'sent' | 'delivered' | 'read' | 'failed'

export type Entry = {
  id: string
  from: 'customer' | 'business'
  /** WhatsApp: the business's number; empty elsewhere. */
  phoneNumberId: string
  atMs: number
  type: string
  /** What the phone shows, by type. */
  content: Record<string, unknown>
  replyTo: string | null
  status: DeliveryStatus | null
  error: { code: number | string; title: string } | null
  reactions: { customer?: string; business?: string }
  /** A customer's message that the business has marked as read. */
  isReadByBusiness: boolean
}

/** A message from the business's records. */
export type PastEntry = Pick<Entry, 'id' | 'from' | 'atMs' | 'status'> & { text: string }

export const newEntry = (
  given: Partial<Entry> & Pick<Entry, 'id' | 'from' | 'atMs' | 'type' | 'content'>,
): Entry => ({
  phoneNumberId: '',
  replyTo: null,
  status: null,
  error: null,
  reactions: {},
  isReadByBusiness: false,
  ...given,
})

export const showEntry = ({ shown }: Clock, entry: Entry): Entry => ({ ...entry, atMs: shown(entry.atMs) })
