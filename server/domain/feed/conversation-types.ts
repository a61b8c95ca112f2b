import Type from 'typebox'
import { StatusEnum, UNTIL_REPLY } from '../conversations/schema.ts'
import { ChannelEnum, Id, Moment, MomentOf, nullable } from '../schema.ts'
import { ConversationFact, type PublicType } from './public-type.ts'
import { EXAMPLE } from './schema.ts'

const { conversationId, agentId, messageId } = EXAMPLE

const StatusChange = Type.Object({
  ...ConversationFact,
  status: StatusEnum,
  previousStatus: StatusEnum,
  by: Type.String({
    description:
      'As in the thread: the id of an agent or the contact, `api:` and the id of a token, `flow:` and the id of a flow, or `system`.',
  }),
})

/** Left out by servers from before there were teams. */
const Team = Type.Optional(nullable(Id))

export const CONVERSATION_TYPES = {
  'conversation.created': {
    description: 'A conversation began, because a customer wrote or because somebody wrote to them.',
    object: 'conversation',
    data: Type.Object({
      ...ConversationFact,
      channel: ChannelEnum,
      origin: Type.Enum(['customer', 'agent', 'api'], {
        description:
          'Who began it: the customer, a person of the team (here or in the channel’s own app), or a program with a token.',
      }),
      teamId: Team,
    }),
    example: { conversationId, channel: 'whatsapp', origin: 'customer', teamId: EXAMPLE.teamId },
  },
  'conversation.closed': {
    description: 'An open conversation was closed.',
    object: 'conversation',
    data: StatusChange,
    example: { conversationId, status: 'closed', previousStatus: 'open', by: agentId },
  },
  'conversation.reopened': {
    description: 'A closed conversation was reopened, by hand or by a new message.',
    object: 'conversation',
    data: StatusChange,
    example: { conversationId, status: 'open', previousStatus: 'closed', by: EXAMPLE.contactId },
  },
  'conversation.assigned': {
    description: 'A conversation was assigned to an agent, possibly from another one.',
    object: 'conversation',
    data: Type.Object({ ...ConversationFact, agentId: Id, previousAgentId: nullable(Id), teamId: Team }),
    example: { conversationId, agentId, previousAgentId: null, teamId: EXAMPLE.teamId },
  },
  'conversation.unassigned': {
    description: 'A conversation no longer has an agent.',
    object: 'conversation',
    data: Type.Object({ ...ConversationFact, agentId: Type.Null(), previousAgentId: Id, teamId: Team }),
    example: { conversationId, agentId: null, previousAgentId: agentId, teamId: null },
  },
  'conversation.team_changed': {
    description: 'A conversation came to a team, went to another one, or no longer has any.',
    object: 'conversation',
    data: Type.Object({ ...ConversationFact, teamId: nullable(Id), previousTeamId: nullable(Id) }),
    example: { conversationId, teamId: EXAMPLE.teamId, previousTeamId: null },
  },
  'conversation.answer_overdue': {
    description:
      'A customer should have been answered by a time that the workspace or the team has set, and was not. Sent once for each time that a customer waits.',
    object: 'conversation',
    data: Type.Object({
      ...ConversationFact,
      agentId: nullable(Id),
      teamId: nullable(Id),
      answer: Type.Enum(['first', 'next'], {
        description: 'Whether nobody had answered in the conversation before.',
      }),
      dueAt: Moment,
    }),
    example: {
      conversationId,
      agentId,
      teamId: EXAMPLE.teamId,
      answer: 'first',
      dueAt: '2026-11-21T09:30:00.000Z',
    },
  },
  'conversation.read': {
    description: 'An agent read the customer’s messages up to and including this one.',
    object: 'conversation',
    data: Type.Object({ ...ConversationFact, messageId: Id }),
    example: { conversationId, messageId },
  },
  'conversation.snoozed': {
    description:
      'An open conversation was taken out of the inbox until a time, or until the customer writes.',
    object: 'conversation',
    data: Type.Object({
      ...ConversationFact,
      snoozedUntil: MomentOf({ description: `${UNTIL_REPLY}: until the customer writes.` }),
    }),
    example: { conversationId, snoozedUntil: '2026-11-23T09:00:00.000Z' },
  },
  'conversation.unsnoozed': {
    description:
      'A snooze ended because its time had come, or by hand. There is no such event when the customer writes or the conversation is closed, which end it, too.',
    object: 'conversation',
    data: Type.Object(ConversationFact),
    example: { conversationId },
  },
  'conversation.updated': {
    description: 'Tags were added to a conversation or removed from it.',
    object: 'conversation',
    data: Type.Object({
      ...ConversationFact,
      changed: Type.Array(Type.Enum(['tags']), { description: 'There may be more values later.' }),
      tagIdsAdded: Type.Array(Id),
      tagIdsRemoved: Type.Array(Id),
    }),
    example: { conversationId, changed: ['tags'], tagIdsAdded: [EXAMPLE.tagId], tagIdsRemoved: [] },
  },
} as const satisfies Record<string, PublicType>
