// One message in a thread, whichever app shows it.
import type { Clock } from './clock.ts'

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
  /** A customer's message that the business marked as read. */
  isReadByBusiness: boolean
}

export const showEntry = ({ shown }: Clock, entry: Entry): Entry => ({ ...entry, atMs: shown(entry.atMs) })
