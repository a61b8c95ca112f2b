// Reading conversations and messages. The writes are in routes.ts.
import Type from 'typebox'
import { ApiError } from '../../errors.ts'
import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { PAGE_DEFAULT, PAGE_MAX } from '../../http/pagination.ts'
import { ChannelEnum, nullable } from '../schema.ts'
import { InboxRow } from './inbox-schema.ts'
import { findConversationItem, listConversations } from './list-conversations.ts'
import { listMessages } from './list-messages.ts'
import { Conversation, ConversationParams, Message, MessageItem } from './schema.ts'
import { listThread } from './thread-queries.ts'

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
}

const nextCursorExample = 'WHcwMmRFNGkyMDI2LTExLTIxVDA5OjMwOjAwLjAwMFp-Y21pOA'

const Cursor = Type.Optional(
  Type.String({ description: 'The `nextCursor` of the previous page; leave it out for the first.' }),
)
const Limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT, description: 'Page size.' }),
)
const NextCursor = nullable(
  Type.String({ description: 'Give it as `cursor` to get the next page. Null on the last page.' }),
)

const ConversationsQuery = Type.Object({
  status: Type.Optional(
    Type.Enum(['open', 'closed', 'unassigned', 'all'], {
      default: 'all',
      description: '`unassigned` means open and without an agent.',
    }),
  ),
  channel: Type.Optional(ChannelEnum),
  agentId: Type.Optional(Type.String({ description: 'The assigned agent, or `ai` for the AI agent.' })),
  contactId: Type.Optional(Type.String({ description: 'The contact whose conversations these are.' })),
  q: Type.Optional(
    Type.String({
      trim: true,
      maxLength: SEARCH_MAX,
      description:
        'Text to find, without regard to case, in subjects, in names and emails of contacts and in message bodies. With it, a page may hold fewer conversations than `limit` and still have a `nextCursor`.',
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
        '`inbound`: from contacts. `outbound`: from agents and automations. `all`: both. What the system notes in a thread is in none of them.',
    }),
  ),
  cursor: Cursor,
  limit: Limit,
})

const MessageList = Type.Object(
  { messages: Type.Array(MessageItem), nextCursor: NextCursor },
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

/** People ask for theirs, and for what nobody has read. */
const InboxQuery = Type.Object({
  ...ConversationsQuery.properties,
  mine: Type.Optional(Type.Boolean()),
  unread: Type.Optional(Type.Boolean()),
})
const InboxList = Type.Object({ conversations: Type.Array(InboxRow), nextCursor: NextCursor })
const InboxAnswer = Type.Object({ conversation: InboxRow })

export const registerConversationReads = (app: App): void =>
  registerReads(app, { Query: ConversationsQuery, List: ConversationList, Answer: ConversationAnswer })

/** The same for people, whose rows say more. */
export const registerInboxReads = (app: App): void => {
  // A wider shape of each: what the API's routes answer is in it.
  registerReads(app, { Query: InboxQuery, List: InboxList, Answer: InboxAnswer } as unknown as Shapes)
  app.get(
    '/contacts/:contactId/conversations',
    {
      schema: {
        operationId: 'consoleListContactConversations',
        params: Type.Object({ contactId: Type.String() }),
        querystring: ThreadQuery,
        response: { 200: InboxList },
      },
    },
    (request) =>
      listConversations(request.ctx, {
        status: 'all',
        sort: 'updated',
        limit: PAGE_DEFAULT,
        ...request.query,
        ...request.params,
      }) as never,
  )
}

type Shapes = {
  Query: typeof ConversationsQuery
  List: typeof ConversationList
  Answer: typeof ConversationAnswer
}

const registerReads = (app: App, { Query, List, Answer }: Shapes): void => {
  app.get(
    '/conversations',
    {
      schema: {
        operationId: 'listConversations',
        tags: ['Conversations'],
        summary: 'List conversations',
        description:
          'Conversations of the workspace, latest activity first, or newest first with `sort=created`. All filters given must hold. While you follow the cursors of the default order, a conversation that moves up may come again; none that stays is left out.',
        querystring: Query,
        response: { 200: List },
      },
    },
    (request) =>
      listConversations(request.ctx, {
        status: 'all',
        sort: 'updated',
        limit: PAGE_DEFAULT,
        ...request.query,
      }) as never,
  )

  app.get(
    '/conversations/:conversationId',
    {
      schema: {
        operationId: 'getConversation',
        tags: ['Conversations'],
        summary: 'Get a conversation',
        description: 'One conversation as the list shows it.',
        params: ConversationParams,
        response: { 200: Answer, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    async (request) => {
      const conversation = await findConversationItem(request.ctx, request.params.conversationId)
      if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
      return { conversation }
    },
  )

  app.get(
    '/conversations/:conversationId/messages',
    {
      schema: {
        operationId: 'listConversationMessages',
        tags: ['Conversations'],
        summary: "List a conversation's messages",
        description:
          'The thread, newest first: messages and what the system noted between them, such as an assignment.',
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
      schema: {
        operationId: 'listMessages',
        tags: ['Messages'],
        summary: 'List messages',
        description:
          'Messages of the whole workspace, newest first. Made for polling: ask for the first page again and leave out the ids that you know.',
        querystring: MessagesQuery,
        response: { 200: MessageList },
      },
    },
    (request) =>
      listMessages(request.ctx, { direction: 'inbound', limit: PAGE_DEFAULT, ...request.query }) as never,
  )
}
