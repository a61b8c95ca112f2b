import Type from 'typebox'
import { Attachment } from '../conversations/schema.ts'
import { Id } from '../schema.ts'

/** Of one message. A channel may carry fewer: see attachments in channels/channel.ts. */
export const ATTACHMENTS_MAX = 10

/** Uploads that a message takes. */
export const AttachmentIds = Type.Array(Id, { maxItems: ATTACHMENTS_MAX, uniqueItems: true })

export const Uploaded = Type.Object({ attachment: Attachment }, { title: 'Uploaded' })
