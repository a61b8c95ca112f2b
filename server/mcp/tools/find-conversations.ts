import Type from 'typebox'
import { listAgents } from '../../domain/agents/queries.ts'
import { listConversations } from '../../domain/conversations/list-conversations.ts'
import type { Conversation } from '../../domain/conversations/schema.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { hasScope } from '../../platform/ctx/scopes.ts'
import { decode } from '../../platform/db/json-text.ts'
import { CHANNELS, type ChannelName } from '../../platform/db/tables.ts'
import { CUSTOMER_TEXT_IS, known, lineOf } from '../tool/customer-text.ts'
import { findNamed } from '../tool/find-named.ts'
import { fitRows } from '../tool/fit-rows.ts'
import {
  CursorGiven,
  defineTool,
  given,
  IdGiven,
  limitGiven,
  listOf,
  NAME_LENGTH_MAX,
  READS,
} from '../tool/tool.ts'

const ROWS_MAX = 20
const LAST_MESSAGE_LENGTH = 200

export const findConversations = defineTool({
  name: 'find_conversations',
  scopes: ['conversations:read'],
  hints: READS,
  description: 'Find conversations, those with the latest activity first.',
  input: given({
    status: Type.Optional(Type.Enum(['open', 'closed', 'unassigned', 'all'], { default: 'open' })),
    channel: Type.Optional(Type.Enum([...CHANNELS])),
    assignee: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX, description: 'Agent, by name or id' })),
    contactId: Type.Optional(IdGiven),
    text: Type.Optional(Type.String({ maxLength: 160, description: 'In subject, name, email or messages' })),
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Active at this time or later' })),
    cursor: CursorGiven,
    limit: limitGiven(ROWS_MAX),
  }),
  output: listOf('conversations'),
  run: async (ctx, { assignee, since, limit = ROWS_MAX, text, ...filter }) => {
    const agentId = assignee === undefined ? undefined : await findAgentId(ctx, assignee)
    const read = async (limit: number) => {
      const { channel, contactId, cursor, status = 'open' } = filter
      const page = decode(
        await listConversations(ctx, {
          status,
          sort: 'updated',
          limit,
          ...(agentId !== undefined && { agentId }),
          // The schema has no other values.
          ...(channel !== undefined && { channel: channel as ChannelName }),
          ...(contactId !== undefined && { contactId }),
          ...(cursor !== undefined && { cursor }),
          ...(since !== undefined && { updatedAfter: since }),
          ...(text?.trim() && { q: text.trim() }),
        }),
      )
      return { rows: page.conversations.map(showConversation), nextCursor: page.nextCursor }
    }
    const { rows, ...page } = await fitRows(limit, read)
    return {
      text: `${rows.length} conversations${page.nextCursor ? '; there are more' : ''}.`,
      data: { conversations: rows, ...page, customerTextIs: CUSTOMER_TEXT_IS },
    }
  },
})

export const findAgentId = async (ctx: Ctx, wanted: string): Promise<string> => {
  const agents = await listAgents(ctx)
  return findNamed(
    'agent',
    wanted,
    agents.map(({ id, nickname }) => ({ id, name: nickname })),
    hasScope(ctx.actor, 'agents:read'),
  ).id
}

export const showConversation = ({
  id,
  channel,
  status,
  contact,
  assignment,
  lastMessage,
  subject,
  updatedAt,
}: Conversation) => ({
  ...known({ id, channel, status, contactId: contact.id, updatedAt }),
  ...(assignment && { assignee: { id: assignment.agentId, name: assignment.agentNickname } }),
  ...(lastMessage && { lastFrom: lastMessage.senderType }),
  customerText: known({
    name: lineOf(contact.name),
    email: lineOf(contact.email),
    phone: lineOf(contact.phone),
    subject: lineOf(subject),
    lastMessage: lineOf(lastMessage?.body, LAST_MESSAGE_LENGTH),
  }),
})
