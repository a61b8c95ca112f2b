import Type, { type Static } from 'typebox'
import { ChannelEnum, Id, Moment, nullable } from '../schema.ts'

export const ConversationParams = Type.Object({ conversationId: Id })

export const MESSAGE_BODY_MAX = 2000
export const SUBJECT_MAX = 200

export const SenderTypeEnum = Type.Enum(['customer', 'agent', 'automation', 'system'], {
  description:
    'Who wrote it: the contact, an agent (a person, the API or the AI agent), a flow or other automatic send, or the thread itself.',
})

export const MessageStatusEnum = Type.Enum(['queued', 'sent', 'delivered', 'read', 'failed'], {
  description: 'How far it got. It only moves forward; see the Delivery section.',
})

export const StatusEnum = Type.Enum(['open', 'closed'])

/** The contact as conversations and messages show it. */
export const ContactRef = Type.Object(
  {
    id: Id,
    name: Type.String(),
    email: nullable(Type.String()),
    phone: nullable(Type.String({ description: 'E.164' })),
  },
  { title: 'ContactRef' },
)

export const Assignment = Type.Object(
  { agentId: Id, agentNickname: Type.String(), assignedAt: Moment },
  { title: 'Assignment' },
)

export const LastMessage = Type.Object(
  {
    id: Id,
    body: Type.String(),
    senderId: Type.String(),
    senderType: SenderTypeEnum,
    status: MessageStatusEnum,
    createdAt: Moment,
  },
  { title: 'LastMessage' },
)

export const Conversation = Type.Object(
  {
    id: Id,
    channel: ChannelEnum,
    subject: nullable(Type.String()),
    status: StatusEnum,
    contact: ContactRef,
    assignment: nullable(Assignment),
    lastMessage: nullable(LastMessage),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { title: 'Conversation' },
)
export type Conversation = Static<typeof Conversation>

export const Attachment = Type.Object(
  {
    id: Id,
    type: Type.Enum(['image', 'audio', 'video', 'file', 'sticker', 'location', 'contacts']),
    name: Type.String(),
    mimeType: Type.String(),
    size: Type.Integer({ description: 'Bytes.' }),
    url: Type.String({ description: 'Signed and short-lived.' }),
  },
  { title: 'Attachment' },
)

export const Sender = Type.Object(
  {
    id: Type.String(),
    nickname: Type.String(),
    company: nullable(Type.String({ description: "The workspace's name; null for a customer." })),
    role: Type.Enum(['customer', 'agent', 'admin', 'ai', 'automation', 'system']),
  },
  { title: 'Sender' },
)

export const Message = Type.Object(
  {
    id: Id,
    conversationId: Id,
    senderId: Type.String({ description: '`api:<token id>` for what the API sent.' }),
    senderType: SenderTypeEnum,
    body: Type.String(),
    replyToMessageId: nullable(Type.String()),
    replyQuote: nullable(Type.String()),
    metadata: nullable(Type.Object({}, { additionalProperties: true })),
    status: MessageStatusEnum,
    createdAt: Moment,
    attachments: Type.Array(Attachment),
    sender: Sender,
  },
  { title: 'Message' },
)
export type Message = Static<typeof Message>

/** A message as the workspace-wide list shows it. */
export const MessageItem = Type.Object(
  {
    id: Id,
    conversationId: Id,
    channel: ChannelEnum,
    body: Type.String(),
    senderType: SenderTypeEnum,
    status: MessageStatusEnum,
    createdAt: Moment,
    contact: ContactRef,
  },
  { title: 'MessageItem' },
)
export type MessageItem = Static<typeof MessageItem>

export const Closed = Type.Object(
  { success: Type.Literal(true), conversationId: Id, status: Type.Literal('closed') },
  {
    title: 'ConversationClosed',
    examples: [{ success: true, conversationId: 'cmi8q2f5c0000x7h2k9d3m1vb', status: 'closed' }],
  },
)
export type Closed = Static<typeof Closed>

export const Reopened = Type.Object(
  { success: Type.Literal(true), conversationId: Id, status: Type.Literal('open') },
  {
    title: 'ConversationReopened',
    examples: [{ success: true, conversationId: 'cmi8q2f5c0000x7h2k9d3m1vb', status: 'open' }],
  },
)
export type Reopened = Static<typeof Reopened>
