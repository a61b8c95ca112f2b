// What the console's inbox asks and shows beyond what the API does.
import Type, { type Static } from 'typebox'
import { Note } from '../notes/schema.ts'
import { Id, Moment, nullable, Text } from '../schema.ts'
import { Attachment, ContactRef, Conversation, MESSAGE_BODY_MAX, Message } from './schema.ts'

export const ATTACHMENT_IDS_MAX = 20
const TEMPLATE_NAME_MAX = 512
const LANGUAGE_MAX = 20
const PARAMETER_MAX = 1024
const PARAMETERS_MAX = 100
const URL_MAX = 2000

/** A conversation as people's lists show it. */
export const InboxRow = Type.Object({
  ...Conversation.properties,
  unreadCount: Type.Integer(),
  channelAccountId: Id,
})
export type InboxRow = Static<typeof InboxRow>

/** Past it a count says "or more". */
export const COUNTED_MAX = 1000

const Count = Type.Integer({ maximum: COUNTED_MAX })
export const ConversationCounts = Type.Object({ mine: Count, unassigned: Count, open: Count, unread: Count })
export type ConversationCounts = Static<typeof ConversationCounts>

export const ConversationDetails = Type.Object({
  conversation: Type.Object({
    ...InboxRow.properties,
    contact: Type.Object({ ...ContactRef.properties, avatarUrl: nullable(Type.String()) }),
  }),
  replyWindow: nullable(Type.Object({ closesAt: nullable(Moment), isOpen: Type.Boolean() })),
  canReply: Type.Boolean(),
  cannotReplyReason: nullable(Type.String()),
  channelAccount: Type.Object({ id: Id, name: Type.String(), address: nullable(Type.String()) }),
  subject: nullable(Type.String()),
  attachmentsAllowed: nullable(Type.Object({ max: Type.Integer(), bytesMax: Type.Integer() })),
})
export type ConversationDetails = Static<typeof ConversationDetails>

/** Of a file that the provider keeps: still to be fetched, or not to be had. */
const AttachmentState = Type.Enum(['stored', 'pending', 'failed'])
export type AttachmentState = Static<typeof AttachmentState>

export const InboxMessage = Type.Object({
  ...Message.properties,
  attachments: Type.Array(Type.Object({ ...Attachment.properties, state: AttachmentState })),
})
export type InboxMessage = Static<typeof InboxMessage>

export const Timeline = Type.Object({
  entries: Type.Array(
    Type.Union([
      Type.Object({ kind: Type.Literal('message'), message: InboxMessage }),
      Type.Object({ kind: Type.Literal('note'), note: Note }),
    ]),
  ),
  nextCursor: nullable(Type.String()),
})
export type Timeline = Static<typeof Timeline>

export const ReadBody = Type.Object({ upToMessageId: Type.Optional(Id) })
export const Read = Type.Object({ success: Type.Literal(true), unreadCount: Type.Integer() })
export type Read = Static<typeof Read>

export const Unassigned = Type.Object({
  success: Type.Literal(true),
  conversationId: Id,
  assignment: Type.Null(),
})
export type Unassigned = Static<typeof Unassigned>

/** A message of text, files, or both. */
export const ComposeBody = Type.Object(
  {
    body: Type.Optional(Type.String({ trim: true, maxLength: MESSAGE_BODY_MAX })),
    attachmentIds: Type.Optional(Type.Array(Id, { maxItems: ATTACHMENT_IDS_MAX })),
    clientId: Type.Optional(Text(100)),
  },
  { atLeastOneOf: ['body', 'attachmentIds'] },
)

export const TemplateBody = Type.Object({
  templateName: Text(TEMPLATE_NAME_MAX),
  language: Type.Optional(Text(LANGUAGE_MAX)),
  parameters: Type.Optional(
    Type.Array(Type.String({ maxLength: PARAMETER_MAX }), { maxItems: PARAMETERS_MAX }),
  ),
  headerImageUrl: Type.Optional(Text(URL_MAX)),
})
export type TemplateBody = Static<typeof TemplateBody>

export const MessageParams = Type.Object({ messageId: Id })

export const PRESENCE_STATES = ['viewing', 'typing', 'left'] as const
export const PresenceBody = Type.Object({ state: Type.Enum([...PRESENCE_STATES]) })
export const Done = Type.Object({ success: Type.Literal(true) })
