// An email's shape, and what is needed to write one.
import Type, { type Static } from 'typebox'
import { Address, closed } from '../shapes.ts'

export const MailConnection = Type.Object({
  /** The business's address and name. */
  address: Type.String(),
  name: Type.String(),
  /** Where raw emails are posted, and the bearer token for it. */
  inboundUrl: Address,
  inboundSecret: Address,
})
export type MailConnection = Static<typeof MailConnection>

export type Attachment = { name: string; mimeType: string; bytes: Buffer; cid: string | null }

export type Mail = {
  id: string
  personId: string
  /** Received from the business, or written by the customer. */
  direction: 'received' | 'written'
  atMs: number
  from: string
  to: string
  replyTo: string | null
  subject: string
  messageId: string | null
  references: string[]
  text: string
  html: string | null
  attachments: Attachment[]
  isRead: boolean
  /** Whether the business accepted the customer's email; null until it responds. */
  isAccepted: boolean | null
}

const File = Type.Object({
  fileName: Type.String({ maxLength: 255 }),
  mimeType: Type.String(),
  data: Type.String(),
})
export const MailInput = closed({
  kind: Type.Enum(['mail', 'auto-reply', 'bounce']),
  /** Replies to this email and quotes it. */
  replyTo: Type.Optional(Type.String({ maxLength: 200 })),
  subject: Type.Optional(Type.String({ maxLength: 500 })),
  text: Type.Optional(Type.String({ maxLength: 200_000 })),
  attachments: Type.Optional(Type.Array(File, { maxItems: 10 })),
})
export type MailInput = Static<typeof MailInput>
