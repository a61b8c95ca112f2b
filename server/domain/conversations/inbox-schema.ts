// What the console's inbox requests and shows beyond the API.
import Type, { type Static } from 'typebox'
import { Attachment } from '../attachments/schema.ts'
import { MentionRange, Note } from '../contacts/schema.ts'
import { EMAIL_BODY_MAX, OutgoingEmail } from '../emails/schema.ts'
import { ChannelEnum, Id, Moment, nullable, Text } from '../schema.ts'
import { Assignment, ContactRef, Conversation, Message, SendTo } from './schema.ts'
import { Priority } from './triage-schema.ts'

const ATTACHMENT_IDS_MAX = 20

/**
 * A conversation as the console's lists show it. Its last message and activity are those before a broadcast, until
 * something else happens.
 */
export const InboxRow = Type.Object({
  ...Conversation.properties,
  assignment: nullable(Type.Object({ ...Assignment.properties, isAi: Type.Boolean() })),
  /** Of what the customer wrote, for the person who asks. */
  unreadCount: Type.Integer(),
  /** When the customer wrote what nobody has replied to yet. */
  waitingSince: nullable(Moment),
  /** When the customer has to be answered; null: at no time, or it is snoozed. */
  answerDueAt: nullable(Moment),
  priority: Priority,
  channelAccountId: Id,
})
export type InboxRow = Static<typeof InboxRow>

/** Without the region. */
export const Language = Type.String({ pattern: '^([a-z]{2,3}|[a-z]{5,8})$' })

/** What lists can be filtered by, besides what is listed elsewhere: the connected channels that the person sees. */
export const FilterChoices = Type.Object({
  channelAccounts: Type.Array(Type.Object({ id: Id, channel: ChannelEnum, name: Type.String() })),
  languages: Type.Array(Language),
})
export type FilterChoices = Static<typeof FilterChoices>

/** What a conversation was found by. */
const FoundIn = Type.Enum(['message', 'hiddenText', 'note', 'file', 'subject', 'contact', 'tag'])

/** Start and end in the text, in UTF-16 units. */
const Mark = Type.Tuple([Type.Integer(), Type.Integer()])

export const Found = Type.Object({
  conversation: InboxRow,
  /** The text that says most about why. Null: it is too far back in a very long thread. */
  match: nullable(
    Type.Object({
      kind: FoundIn,
      /** The message or note in the thread. */
      entryId: nullable(Id),
      text: Type.String(),
      marks: Type.Array(Mark),
    }),
  ),
})
export type Found = Static<typeof Found>

export const FoundConversations = Type.Object({
  results: Type.Array(Found),
  nextCursor: nullable(Type.String()),
  /** Older messages have not been searched. */
  searchedBackTo: nullable(Moment),
})
export type FoundConversations = Static<typeof FoundConversations>

/** Of the conversations that a search finds first, whatever their status; with `isMore`, there are others. */
export const FoundElsewhere = Type.Object({
  open: Type.Integer(),
  closed: Type.Integer(),
  isMore: Type.Boolean(),
})
export type FoundElsewhere = Static<typeof FoundElsewhere>

/** The messages and notes of a conversation that have the most of the terms, newest first. */
export const ThreadMatches = Type.Object({
  entryIds: Type.Array(Id),
  /** For marking: regular expressions for text without case and accents. */
  expressions: Type.Array(Type.String()),
})
export type ThreadMatches = Static<typeof ThreadMatches>

/** Beyond it a count says "or more". */
export const COUNTED_MAX = 1000

const Count = Type.Integer({ maximum: COUNTED_MAX })
export const ConversationCounts = Type.Object({
  mine: Count,
  unassigned: Count,
  open: Count,
  snoozed: Count,
  /** Open conversations with something unread for the person, by their choice; UNREAD_MAX is that many or more. */
  unread: Count,
  includesUnassigned: Type.Boolean(),
})
/** How many a list has; LISTED_MAX is that many or more. */
export const LISTED_MAX = 100
export const ListedCount = Type.Object({ count: Type.Integer({ maximum: LISTED_MAX }) })
export const UnreadChoice = Type.Object({ includesUnassigned: Type.Boolean() })

export type ConversationCounts = Static<typeof ConversationCounts>

export const ConversationDetails = Type.Object({
  conversation: Type.Object({
    ...InboxRow.properties,
    contact: Type.Object({ ...ContactRef.properties, avatarUrl: nullable(Type.String()) }),
  }),
  replyWindow: nullable(Type.Object({ closesAt: nullable(Moment), isOpen: Type.Boolean() })),
  canReply: Type.Boolean(),
  cannotReplyReason: nullable(Type.String()),
  /** Whether the customer sees which message a reply quotes. */
  canQuote: Type.Boolean(),
  /** The emoji that can be given to the customer's messages now. */
  reactions: Type.Union([Type.Literal('any'), Type.Array(Type.String())]),
  channelAccount: Type.Object({ id: Id, name: Type.String(), address: nullable(Type.String()) }),
  subject: nullable(Type.String()),
  /** Where a reply by email goes. */
  repliesTo: nullable(
    Type.Object({
      address: Type.String(),
      choices: Type.Array(Type.String(), { maxItems: 2 }),
      isOpen: Type.Boolean(),
    }),
  ),
  /** Of the workspace: flows may run here. */
  isAutomated: Type.Boolean(),
  /** Of the AI agent, or of a program, which may be there without any automation. */
  mayHaveDrafts: Type.Boolean(),
  attachmentsAllowed: nullable(Type.Object({ max: Type.Integer(), bytesMax: Type.Integer() })),
})
export type ConversationDetails = Static<typeof ConversationDetails>

/** For a file at the provider: still to be downloaded, or unavailable. */
const AttachmentState = Type.Enum(['stored', 'pending', 'failed'])
export type AttachmentState = Static<typeof AttachmentState>

export const InboxMessage = Type.Object({
  ...Message.properties,
  attachments: Type.Array(Type.Object({ ...Attachment.properties, state: AttachmentState })),
})
export type InboxMessage = Static<typeof InboxMessage>

export const InboxNote = Type.Object({
  ...Note.properties,
  editedAt: nullable(Moment),
  mentions: Type.Array(MentionRange),
  /** Never sent to the customer. */
  attachments: Type.Array(Type.Object({ ...Attachment.properties, state: AttachmentState })),
})
export type InboxNote = Static<typeof InboxNote>

export const Timeline = Type.Object({
  entries: Type.Array(
    Type.Union([
      Type.Object({ kind: Type.Literal('message'), message: InboxMessage }),
      Type.Object({ kind: Type.Literal('note'), note: InboxNote }),
    ]),
  ),
  nextCursor: nullable(Type.String()),
})
export type Timeline = Static<typeof Timeline>

export const ReadBody = Type.Object(
  {
    upToMessageId: Type.Optional(
      Text(64, { description: 'The newest message that was read. Left out: all of them.' }),
    ),
  },
  { title: 'MarkRead', examples: [{ upToMessageId: 'cmi8q2f5c0001b4n8s6w0z2yt' }] },
)
export const Read = Type.Object(
  {
    success: Type.Literal(true),
    unreadCount: Type.Integer({ description: 'Messages that are still unread.' }),
  },
  { title: 'ConversationRead', examples: [{ success: true, unreadCount: 0 }] },
)
export type Read = Static<typeof Read>

export const Unassigned = Type.Object(
  { success: Type.Literal(true), conversationId: Id, assignment: Type.Null() },
  {
    title: 'ConversationUnassigned',
    examples: [{ success: true, conversationId: 'cmi8q2f5c0000x7h2k9d3m1vb', assignment: null }],
  },
)
export type Unassigned = Static<typeof Unassigned>

/** A message of text, files, or both. `requireLength` has the limits of other channels than email. */
export const ComposeBody = Type.Object(
  {
    body: Type.Optional(Type.String({ trim: true, maxLength: EMAIL_BODY_MAX })),
    attachmentIds: Type.Optional(Type.Array(Id, { maxItems: ATTACHMENT_IDS_MAX })),
    clientId: Type.Optional(Text(100)),
    replyTo: Type.Optional(
      Type.String({
        maxLength: 25,
        description: 'The id of a message of the conversation that this one quotes.',
      }),
    ),
    sendTo: SendTo,
    draftId: Type.Optional(Text(25, { description: 'The draft that it was written from.' })),
    email: Type.Optional(OutgoingEmail),
  },
  { atLeastOneOf: ['body', 'attachmentIds', 'email'] },
)

export const MessageParams = Type.Object({ messageId: Id })

export const ReactionBody = Type.Object({
  emoji: nullable(Text(32, { description: 'Null takes the reaction away.' })),
})

const PRESENCE_STATES = ['viewing', 'typing', 'left'] as const
export const PresenceBody = Type.Object({ state: Type.Enum([...PRESENCE_STATES]) })
export const Done = Type.Object({ success: Type.Literal(true) })
