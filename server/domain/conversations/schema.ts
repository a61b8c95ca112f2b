import Type, { type Static } from 'typebox'
import { Attachment } from '../attachments/schema.ts'
import { CONTACT_NAME_MAX } from '../contacts/schema.ts'
import { ChannelEnum, Email, Id, Moment, MomentOf, Name, nullable, Text } from '../schema.ts'
import { Tag } from '../tags/schema.ts'
import { TeamRef } from '../team-settings/schema.ts'

/** A snooze that only the customer’s reply ends. */
export const UNTIL_REPLY = '9999-12-31T00:00:00.000Z'

export const ConversationParams = Type.Object({ conversationId: Id })

export const MESSAGE_BODY_MAX = 2000
const SUBJECT_MAX = 200

const SenderTypeEnum = Type.Enum(['customer', 'agent', 'automation', 'system'], {
  title: 'SenderType',
  description:
    'Who wrote it: the contact, an agent (a person, the API or the AI agent), an automation such as a flow, or the system.',
})

export const MessageStatusEnum = Type.Enum(['queued', 'sent', 'delivered', 'read', 'failed'], {
  title: 'MessageStatus',
  description:
    'Delivery status: `queued`, `sent`, `delivered`, `read`. It only moves forward. A message that could not be sent is `failed`, with the reason in `metadata.error`; a later `delivered` or `read` replaces that.',
})

export const StatusEnum = Type.Enum(['open', 'closed'], { title: 'ConversationStatus' })

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
export type ContactRef = Static<typeof ContactRef>

export const Assignment = Type.Object(
  { agentId: Id, agentNickname: Type.String(), assignedAt: Moment },
  { title: 'Assignment' },
)
export type Assignment = Static<typeof Assignment>

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
export type LastMessage = Static<typeof LastMessage>

export const Conversation = Type.Object(
  {
    id: Id,
    channel: ChannelEnum,
    subject: nullable(Type.String()),
    status: StatusEnum,
    contact: ContactRef,
    assignment: nullable(Assignment),
    team: nullable(TeamRef),
    lastMessage: nullable(LastMessage),
    createdAt: Moment,
    updatedAt: Moment,
    snoozedUntil: nullable(
      MomentOf({
        description: `Out of the inbox until then, or until the customer writes. ${UNTIL_REPLY} if only that ends it.`,
      }),
    ),
    tags: Type.Array(Tag, { description: 'Of the conversation itself, apart from those of its contact.' }),
  },
  { title: 'Conversation' },
)
export type Conversation = Static<typeof Conversation>

const Sender = Type.Object(
  {
    id: Type.String(),
    nickname: Type.String(),
    company: nullable(Type.String({ description: "The workspace's name; null for a customer." })),
    role: Type.Enum(['customer', 'agent', 'admin', 'ai', 'automation', 'system']),
  },
  { title: 'Sender' },
)

/** The options of a flow's question. */
export const ChoicesMetadata = Type.Object(
  {
    text: Type.String({
      description: 'The question without the options. `body` has both, as numbered text.',
    }),
    label: Type.String({ description: 'The label of the button that opens a list of options.' }),
    more: Type.String({
      description: 'The title of the row that leads to the next options, where a channel shows only some.',
    }),
    runId: Id,
    stepId: Type.String(),
    from: Type.Optional(
      Type.Integer({ minimum: 1, description: 'How many options the messages before this one showed.' }),
    ),
    options: Type.Array(
      Type.Object({
        id: Type.String(),
        number: Type.Integer({
          minimum: 0,
          description: 'Its place in the flow’s question; 0 for the option to talk to a person.',
        }),
        title: Type.String(),
        description: Type.Optional(Type.String()),
      }),
    ),
  },
  {
    title: 'Choices',
    description: 'The options offered with a message, shown as buttons or a list where the channel has them.',
    examples: [
      {
        text: 'How can we help?',
        label: 'Choose',
        more: 'More…',
        runId: 'cmi8q2f5c0006r5v8d2k0w3hb',
        stepId: 's1',
        options: [
          { id: 'order', number: 1, title: 'My order' },
          { id: 'hours', number: 2, title: 'Opening hours' },
        ],
      },
    ],
  },
)
export type ChoicesMetadata = Static<typeof ChoicesMetadata>

/** What a customer tapped. */
const ChoiceMetadata = Type.Object(
  {
    kind: Type.String({
      description: '`button`, `list`, `templateButton`, `form`, `callPermission` or another kind.',
    }),
    id: nullable(
      Type.String({ description: 'What the button carried. For a flow’s question, an opaque token.' }),
    ),
    title: nullable(Type.String()),
    number: Type.Optional(Type.Integer({ description: 'Web chat only: the `number` of the option.' })),
  },
  {
    title: 'Choice',
    additionalProperties: true,
    description: 'What the customer tapped; `body` has its title.',
  },
)

export const Message = Type.Object(
  {
    id: Id,
    conversationId: Id,
    senderId: Type.String({ description: '`api:<token id>` for messages sent through the API.' }),
    senderType: SenderTypeEnum,
    body: Type.String(),
    replyToMessageId: nullable(Type.String()),
    replyQuote: nullable(Type.String()),
    metadata: nullable(
      Type.Object(
        { choices: Type.Optional(ChoicesMetadata), choice: Type.Optional(ChoiceMetadata) },
        {
          additionalProperties: true,
          description:
            'Additional details from the channel. For email: `senderVerification` (`verified`, `failed` or `absent`), and `hidden`, the quoted text and signature that `body` leaves out, up to 50,000 characters.',
        },
      ),
    ),
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

const messageExample = {
  id: 'cmi8q2f5c0004t6d1r7j3n5qk',
  conversationId: 'cmi8q2f5c0000x7h2k9d3m1vb',
  senderId: 'api:cmi8q2f5c0001b4n8s6w0z2yt',
  senderType: 'agent',
  body: 'Your bike is ready to be picked up.',
  replyToMessageId: null,
  replyQuote: null,
  metadata: null,
  status: 'sent',
  createdAt: '2026-11-21T09:30:00.000Z',
  attachments: [],
  sender: {
    id: 'api:cmi8q2f5c0001b4n8s6w0z2yt',
    nickname: 'API',
    company: 'Northwind Bikes',
    role: 'automation',
  },
}

const AGENT_ID_MAX = 64

export const AssignBody = Type.Object(
  {
    agentId: Text(AGENT_ID_MAX, { description: "An active member's id, or `ai` for the AI agent." }),
    teamId: Type.Optional(
      nullable(
        Text(AGENT_ID_MAX, {
          description:
            'Also moves the conversation to this team; null: to none. Left out: it keeps its team.',
        }),
      ),
    ),
  },
  { title: 'AssignConversation', examples: [{ agentId: 'ai' }] },
)

export const MoveToTeamBody = Type.Object(
  { teamId: nullable(Text(AGENT_ID_MAX, { description: 'A team of the workspace; null: no team.' })) },
  { title: 'MoveToTeam', examples: [{ teamId: 'cmi8q2f5c0007h4j6k8l0z2xc' }] },
)

const Team = nullable(TeamRef)
const AnswerDueAt = nullable(
  MomentOf({
    description: 'When the customer has to be answered; null: at no time, or the conversation is snoozed.',
  }),
)

export const MovedToTeam = Type.Object(
  {
    success: Type.Literal(true),
    conversationId: Id,
    team: Team,
    assignment: nullable(Assignment),
    answerDueAt: AnswerDueAt,
  },
  {
    title: 'ConversationMovedToTeam',
    examples: [
      {
        success: true,
        conversationId: 'cmi8q2f5c0000x7h2k9d3m1vb',
        team: { id: 'cmi8q2f5c0007h4j6k8l0z2xc', name: 'Support' },
        assignment: null,
        answerDueAt: null,
      },
    ],
  },
)
export type MovedToTeam = Static<typeof MovedToTeam>

export const Assigned = Type.Object(
  {
    success: Type.Literal(true),
    conversationId: Id,
    assignment: Assignment,
    team: Team,
    answerDueAt: AnswerDueAt,
  },
  {
    title: 'ConversationAssigned',
    examples: [
      {
        success: true,
        conversationId: 'cmi8q2f5c0000x7h2k9d3m1vb',
        assignment: {
          agentId: 'cmi8q2f5c0002p9m4v1x8c6zd',
          agentNickname: 'Jane',
          assignedAt: '2026-11-21T09:30:00.000Z',
        },
        team: null,
        answerDueAt: null,
      },
    ],
  },
)
export type Assigned = Static<typeof Assigned>

export const SendTo = Type.Optional(
  Text(320, {
    description:
      "Email only: where to send the reply, either the sender's address or the Reply-To (`metadata.from` and `metadata.replyTo` of the conversation's messages). Defaults to the Reply-To if it is at the sender's domain or was chosen before, otherwise to the sender's address.",
  }),
)

const ATTACHMENT_IDS_MAX = 10

export const SendBody = Type.Object(
  {
    body: Type.Optional(Text(MESSAGE_BODY_MAX, { description: 'Can be left out if there are files.' })),
    attachmentIds: Type.Optional(
      Type.Array(Id, {
        maxItems: ATTACHMENT_IDS_MAX,
        uniqueItems: true,
        description:
          'Files that this token [uploaded](/docs/api/create-attachment) and that no message has yet. WhatsApp takes one file in a message, and email 18 MiB in total.',
      }),
    ),
    sendTo: SendTo,
  },
  {
    title: 'SendMessage',
    atLeastOneOf: ['body', 'attachmentIds'],
    examples: [{ body: 'Your bike is ready to be picked up.' }],
  },
)

export const Sent = Type.Object(
  { message: Message },
  { title: 'MessageSent', examples: [{ message: messageExample }] },
)
export type Sent = Static<typeof Sent>

export const CreateBody = Type.Object(
  {
    email: Email({ description: "The contact's email. Case-insensitive." }),
    name: Type.Optional(
      Name(CONTACT_NAME_MAX, { description: 'Only used if this request creates the contact.' }),
    ),
    channel: Type.Optional(Type.Enum(['email', 'web'], { default: 'email' })),
    subject: Type.Optional(Text(SUBJECT_MAX, { description: 'The subject of a new email conversation.' })),
    message: Type.Optional(
      Text(MESSAGE_BODY_MAX, { description: 'Sent right after the conversation opens.' }),
    ),
  },
  {
    title: 'CreateConversation',
    examples: [
      {
        email: 'maria@example.com',
        name: 'Maria Silva',
        channel: 'email',
        subject: 'Your repair',
        message: 'Your bike is ready to be picked up.',
      },
    ],
  },
)

export const CreatedConversation = Type.Object(
  {
    created: Type.Boolean({ description: 'False if an open conversation on the channel was used.' }),
    conversation: Type.Object({ id: Id, channel: ChannelEnum, status: StatusEnum, createdAt: Moment }),
    contact: Type.Object({ id: Id, name: Type.String(), email: nullable(Type.String()) }),
    message: nullable(Message),
  },
  {
    title: 'ConversationCreated',
    examples: [
      {
        created: true,
        conversation: {
          id: 'cmi8q2f5c0000x7h2k9d3m1vb',
          channel: 'email',
          status: 'open',
          createdAt: '2026-11-21T09:30:00.000Z',
        },
        contact: { id: 'cmi8q2f5c0003k2h7g5f9s1wa', name: 'Maria Silva', email: 'maria@example.com' },
        message: messageExample,
      },
    ],
  },
)
export type CreatedConversation = Static<typeof CreatedConversation>
