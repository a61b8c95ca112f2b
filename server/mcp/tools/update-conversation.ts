import Type from 'typebox'
import { assignConversation, unassignConversation } from '../../domain/conversations/assign-conversation.ts'
import { findConversation } from '../../domain/conversations/list-conversations.ts'
import { closeConversation, reopenConversation } from '../../domain/conversations/set-conversation-status.ts'
import { ApiError } from '../../platform/errors.ts'
import { CUSTOMER_TEXT_IS } from '../tool/customer-text.ts'
import { Refused } from '../tool/refused.ts'
import { defineTool, given, IdGiven, NAME_LENGTH_MAX, WRITES } from '../tool/tool.ts'
import { findAgentId, showConversation } from './find-conversations.ts'

export const updateConversation = defineTool({
  name: 'update_conversation',
  scopes: ['conversations:write'],
  hints: { ...WRITES, idempotentHint: true },
  description: 'Assign, close or reopen a conversation.',
  input: given({
    conversationId: IdGiven,
    assignee: Type.Optional(
      Type.String({ maxLength: NAME_LENGTH_MAX, description: 'Agent, by name or id, or nobody' }),
    ),
    status: Type.Optional(Type.Enum(['open', 'closed'])),
  }),
  output: Type.Object({
    conversation: Type.Object({}, { additionalProperties: true }),
    customerTextIs: Type.String(),
  }),
  target: { type: 'conversation', of: 'conversationId' },
  run: async (ctx, { conversationId, assignee, status }) => {
    if (assignee === undefined && status === undefined) throw new Refused('Give an assignee or a status.')
    if (assignee === 'nobody') await unassignConversation(ctx, { conversationId })
    else if (assignee !== undefined)
      await assignConversation(ctx, { conversationId, agentId: await findAgentId(ctx, assignee) })
    if (status === 'closed') await closeConversation(ctx, conversationId)
    if (status === 'open') await reopenConversation(ctx, conversationId)
    const conversation = await findConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    return {
      text: 'The conversation was changed.',
      data: { conversation: showConversation(conversation), customerTextIs: CUSTOMER_TEXT_IS },
    }
  },
})
