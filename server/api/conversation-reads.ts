// Reading conversations and messages. The writes are in conversations.ts.
import Type from 'typebox'
import { Attachment } from '../domain/attachments/schema.ts'
import { requireContact } from '../domain/contacts/profile-queries.ts'
import { InboxRow, Language, ListedCount } from '../domain/conversations/inbox-schema.ts'
import {
  countInboxRows,
  findConversation,
  findInboxRow,
  listConversations,
  listInboxRows,
} from '../domain/conversations/list-conversations.ts'
import { Conversation, ConversationParams, Message, MessageItem } from '../domain/conversations/schema.ts'
import { listThread } from '../domain/conversations/thread-queries.ts'
import { listMessages, withAttachments } from '../domain/messages/list-messages.ts'
import { ChannelEnum, nullable, QueryTime } from '../domain/schema.ts'
import { PAGE_DEFAULT, PAGE_MAX } from '../platform/db/pagination.ts'
import { ApiError } from '../platform/errors.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const SEARCH_MAX = 160

const conversationExample = {
  id: 'cmi8q2f5c0000x7h2k9d3m1vb',
  channel: 'email',
  subject: 'Where is my order?',
  status: 'open',
  contact: { id: 'cmi8q1xk20000a3c5e7g9j1km', name: 'Ada Moreau', email: 'ada@example.com', phone: null },
  assignment: {
    agentId: 'cmi7z0p4d0000q2w4e6r8t0yu',
    agentNickname: 'Jonas',
    assignedAt: '2026-11-21T09:31:12.000Z',
  },
  team: { id: 'cmi8q2f5c0007h4j6k8l0z2xc', name: 'Support' },
  lastMessage: {
    id: 'cmi8q2f5c0001b4n8s6w0z2yt',
    body: 'Hello, my order has not arrived yet.',
    senderId: 'cmi8q1xk20000a3c5e7g9j1km',
    senderType: 'customer',
    status: 'read',
    createdAt: '2026-11-21T09:30:00.000Z',
  },
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:31:12.000Z',
  snoozedUntil: null,
  tags: [{ id: 'cmi8q2f5c0006n2m7v4b1x9kq', name: 'Delivery', color: '#0ea5e9' }],
}

const nextCursorExample = 'WHcwMmRFNGkyMDI2LTExLTIxVDA5OjMwOjAwLjAwMFp-Y21pOA'

const Cursor = Type.Optional(
  Type.String({ description: 'The `nextCursor` of the previous page. Omit it for the first page.' }),
)
const Limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT, description: 'Page size.' }),
)
const NextCursor = nullable(
  Type.String({ description: 'Pass it as `cursor` to get the next page. Null on the last page.' }),
)

const ConversationsQuery = Type.Object({
  status: Type.Optional(
    Type.Enum(['open', 'closed', 'unassigned', 'all'], {
      default: 'all',
      description: '`unassigned` means open without an agent.',
    }),
  ),
  channel: Type.Optional(ChannelEnum),
  agentId: Type.Optional(Type.String({ description: 'The assigned agent, or `ai` for the AI agent.' })),
  teamId: Type.Optional(Type.String({ description: 'Only conversations of this team.' })),
  contactId: Type.Optional(Type.String({ description: 'Only conversations with this contact.' })),
  tagId: Type.Optional(Type.String({ description: 'Only conversations whose contact has this tag.' })),
  unread: Type.Optional(
    Type.Boolean({
      description: 'true: only conversations with unread messages from the contact. false has no effect.',
    }),
  ),
  hasFailedMessage: Type.Optional(
    Type.Boolean({
      description:
        'true: only conversations with a message that is `failed` and was not sent again. false has no effect.',
    }),
  ),
  createdAfter: QueryTime('Only conversations created at this time or later.'),
  createdBefore: QueryTime('Only conversations created before this time.'),
  updatedAfter: QueryTime('Only conversations with activity at this time or later (`updatedAt`).'),
  q: Type.Optional(
    Type.String({
      trim: true,
      maxLength: SEARCH_MAX,
      description:
        'Text to find in subjects, contact names and emails, and message bodies, case-insensitive. When set, a page can have fewer conversations than `limit` and still have a `nextCursor`.',
    }),
  ),
  cursor: Cursor,
  limit: Limit,
  sort: Type.Optional(
    Type.Enum(['updated', 'created'], {
      default: 'updated',
      description: '`updated`: latest activity first. `created`: newest first, for polling.',
    }),
  ),
})

const ConversationList = Type.Object(
  { conversations: Type.Array(Conversation), nextCursor: NextCursor },
  {
    title: 'ConversationList',
    examples: [{ conversations: [conversationExample], nextCursor: nextCursorExample }],
  },
)

const ConversationAnswer = Type.Object(
  { conversation: Conversation },
  { title: 'ConversationAnswer', examples: [{ conversation: conversationExample }] },
)

const ThreadQuery = Type.Object({ cursor: Cursor, limit: Limit })

const Thread = Type.Object(
  { messages: Type.Array(Message), nextCursor: NextCursor },
  {
    title: 'Thread',
    examples: [
      {
        messages: [
          {
            id: 'cmi8q2f5c0001b4n8s6w0z2yt',
            conversationId: 'cmi8q2f5c0000x7h2k9d3m1vb',
            senderId: 'cmi8q1xk20000a3c5e7g9j1km',
            senderType: 'customer',
            body: 'Hello, my order has not arrived yet.',
            replyToMessageId: null,
            replyQuote: null,
            metadata: null,
            status: 'read',
            createdAt: '2026-11-21T09:30:00.000Z',
            attachments: [],
            sender: {
              id: 'cmi8q1xk20000a3c5e7g9j1km',
              nickname: 'Ada Moreau',
              company: null,
              role: 'customer',
            },
          },
        ],
        nextCursor: null,
      },
    ],
  },
)

const MessagesQuery = Type.Object({
  direction: Type.Optional(
    Type.Enum(['inbound', 'outbound', 'all'], {
      default: 'inbound',
      description:
        '`inbound`: from contacts. `outbound`: from agents and automations. `all`: both. System messages are never included.',
    }),
  ),
  conversationId: Type.Optional(Type.String({ description: 'Only messages of this conversation.' })),
  contactId: Type.Optional(Type.String({ description: 'Only messages of conversations with this contact.' })),
  channel: Type.Optional(ChannelEnum),
  createdAfter: QueryTime('Only messages created at this time or later.'),
  include: Type.Optional(
    Type.Enum(['attachments'], { description: 'Returns each message with its attachments.' }),
  ),
  cursor: Cursor,
  limit: Limit,
})

const ListedMessage = Type.Object(
  {
    ...MessageItem.properties,
    attachments: Type.Optional(Type.Array(Attachment, { description: 'With `include=attachments`.' })),
  },
  { title: 'MessageItem' },
)

const MessageList = Type.Object(
  { messages: Type.Array(ListedMessage), nextCursor: NextCursor },
  {
    title: 'MessageList',
    examples: [
      {
        messages: [
          {
            id: 'cmi8q2f5c0001b4n8s6w0z2yt',
            conversationId: 'cmi8q2f5c0000x7h2k9d3m1vb',
            channel: 'email',
            body: 'Hello, my order has not arrived yet.',
            senderType: 'customer',
            status: 'read',
            createdAt: '2026-11-21T09:30:00.000Z',
            contact: conversationExample.contact,
          },
        ],
        nextCursor: nextCursorExample,
      },
    ],
  },
)

/** Agents can ask for their own conversations. */
const InboxQuery = Type.Object({
  ...ConversationsQuery.properties,
  mine: Type.Optional(Type.Boolean()),
  snoozed: Type.Optional(
    Type.Boolean({ description: 'true: only those that are snoozed. false: only others.' }),
  ),
  mentioned: Type.Optional(Type.Boolean({ description: 'true: only those with a note that mentions you.' })),
  ownTagId: Type.Optional(Type.String({ description: 'Only conversations that have this tag themselves.' })),
  channelAccountId: Type.Optional(Type.String()),
  language: Type.Optional(Language),
  ownTeams: Type.Optional(Type.Boolean({ description: 'true: only those of teams that you are in.' })),
  overdue: Type.Optional(
    Type.Boolean({ description: 'true: only those that should have been answered by now.' }),
  ),
  sort: Type.Optional(
    Type.Enum(['inbox', 'waiting', 'due', 'snoozed', 'updated', 'created'], { default: 'inbox' }),
  ),
})
const InboxList = Type.Object({ conversations: Type.Array(InboxRow), nextCursor: NextCursor })
const InboxAnswer = Type.Object({ conversation: InboxRow })

const LIST = {
  operationId: 'listConversations',
  tags: ['Conversations'],
  summary: 'List conversations',
  description:
    'Conversations of the workspace, latest activity first, or newest first with `sort=created`. Filters are combined with AND. While you page through the default order, a conversation with new activity may appear again; none is skipped. With `sort=created`, new conversations always appear above those returned before. To poll, read from the newest until you reach an id you already know.',
}
const GET = {
  operationId: 'getConversation',
  tags: ['Conversations'],
  summary: 'Get a conversation',
  description: 'One conversation, as in the list.',
  params: ConversationParams,
}
const READS = { scope: 'conversations:read' } as const
const LISTS = { ...READS, reads: 'current replica' } as const
const DEFAULTS = { status: 'all', sort: 'updated', limit: PAGE_DEFAULT } as const

export const registerConversationReads = (app: App): void => {
  app.get(
    '/conversations',
    {
      config: LISTS,
      schema: { ...LIST, querystring: ConversationsQuery, response: { 200: ConversationList } },
    },
    ({ ctx, query }) => listConversations(ctx, { ...DEFAULTS, ...query }),
  )

  app.get(
    '/conversations/:conversationId',
    {
      config: READS,
      schema: { ...GET, response: { 200: ConversationAnswer, ...errors('CONVERSATION_NOT_FOUND') } },
    },
    async ({ ctx, params }) => {
      const conversation = await findConversation(ctx, params.conversationId)
      if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
      return { conversation }
    },
  )

  registerMessageReads(app)
}

/** The same for people, whose rows have more. */
export const registerInboxReads = (app: App): void => {
  app.get(
    '/conversations',
    { config: LISTS, schema: { ...LIST, querystring: InboxQuery, response: { 200: InboxList } } },
    ({ ctx, query }) => listInboxRows(ctx, { ...DEFAULTS, sort: 'inbox', ...query }),
  )

  app.get(
    '/listed-count',
    {
      config: LISTS,
      schema: {
        operationId: 'consoleCountListed',
        summary: 'Count the conversations of a list',
        description: 'As many as a list of these filters has; it ends at 100. `q` has no effect.',
        querystring: InboxQuery,
        response: { 200: ListedCount },
      },
    },
    ({ ctx, query }) => countInboxRows(ctx, { ...DEFAULTS, sort: 'inbox', ...query }),
  )

  app.get(
    '/contacts/:contactId/conversations',
    {
      schema: {
        operationId: 'consoleListContactConversations',
        params: Type.Object({ contactId: Type.String() }),
        querystring: ThreadQuery,
        response: { 200: InboxList, ...errors('CONTACT_NOT_FOUND') },
      },
    },
    async ({ ctx, params, query }) => {
      await requireContact(ctx, params.contactId)
      return listInboxRows(ctx, { ...DEFAULTS, ...query, ...params })
    },
  )

  app.get(
    '/conversations/:conversationId',
    { schema: { ...GET, response: { 200: InboxAnswer, ...errors('CONVERSATION_NOT_FOUND') } } },
    async ({ ctx, params }) => {
      const conversation = await findInboxRow(ctx, params.conversationId)
      if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
      return { conversation }
    },
  )

  registerMessageReads(app)
}

const registerMessageReads = (app: App): void => {
  app.get(
    '/conversations/:conversationId/messages',
    {
      config: READS,
      schema: {
        operationId: 'listConversationMessages',
        tags: ['Conversations'],
        summary: "List a conversation's messages",
        description: 'The thread, newest first: messages and system events such as assignments.',
        params: ConversationParams,
        querystring: ThreadQuery,
        response: { 200: Thread, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    async (request) => {
      const thread = await listThread(request.ctx, {
        limit: PAGE_DEFAULT,
        ...request.params,
        ...request.query,
      })
      if (!thread) throw new ApiError('CONVERSATION_NOT_FOUND')
      return thread
    },
  )

  app.get(
    '/messages',
    {
      config: LISTS,
      schema: {
        operationId: 'listMessages',
        tags: ['Messages'],
        summary: 'List messages',
        description:
          'Messages of the whole workspace, newest first. Filters are combined with AND. To poll, read from the newest until you reach an id you already know. New messages always appear above those returned before, so none are missed.',
        querystring: MessagesQuery,
        response: { 200: MessageList },
      },
    },
    async ({ ctx, query: { include, ...query } }) => {
      const page = await listMessages(ctx, { direction: 'inbound', limit: PAGE_DEFAULT, ...query })
      return include ? withAttachments(ctx, page) : page
    },
  )
}
