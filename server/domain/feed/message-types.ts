import Type from 'typebox'
import { Id, nullable } from '../schema.ts'
import { MessageFact, type PublicType } from './public-type.ts'
import { EXAMPLE } from './schema.ts'

const { messageId } = EXAMPLE

const reached = <S extends 'sent' | 'delivered' | 'read'>(status: S, description: string) => ({
  description,
  object: 'message' as const,
  data: Type.Object({ ...MessageFact, status: Type.Literal(status) }),
  example: { messageId, status },
})

export const MESSAGE_TYPES = {
  'message.created': {
    description: 'A message was received from a customer, or is to be sent to one.',
    object: 'message',
    data: Type.Object({
      ...MessageFact,
      direction: Type.Enum(['inbound', 'outbound'], { description: '`inbound`: from the customer.' }),
      senderType: Type.Enum(['customer', 'agent', 'automation'], {
        description:
          'The contact, an agent (a person, the API or the AI agent), or an automation such as a flow.',
      }),
      hasAttachments: Type.Boolean(),
      replyToMessageId: nullable(Id),
    }),
    example: {
      messageId,
      direction: 'inbound',
      senderType: 'customer',
      hasAttachments: false,
      replyToMessageId: null,
    },
  },
  'message.sent': reached('sent', 'The channel accepted a message to a customer.'),
  'message.delivered': reached('delivered', 'A message reached the customer.'),
  'message.read': reached('read', 'The customer read a message.'),
  'message.failed': {
    description: 'A message could not be sent or delivered.',
    object: 'message',
    data: Type.Object({
      ...MessageFact,
      error: Type.Object({
        code: Type.String({ description: 'The provider’s code, or one of ours.' }),
        message: Type.String(),
      }),
    }),
    example: { messageId, error: { code: '131026', message: 'The recipient can’t receive this message.' } },
  },
  'message.updated': {
    description:
      'A message was edited, reacted to or deleted by its author, its files have arrived, or an email did not reach some of its recipients.',
    object: 'message',
    data: Type.Object({
      ...MessageFact,
      changed: Type.Array(Type.Enum(['body', 'attachments', 'reactions', 'deletedAt', 'undelivered']), {
        description:
          'What changed. `deletedAt`: its author deleted it; the text is kept. `undelivered`: the recipients whom an email has not reached.',
      }),
    }),
    example: { messageId, changed: ['reactions'] },
  },
  'message.deleted': {
    description: 'A message was removed from the conversation, such as an automated one before it was sent.',
    object: null,
    data: Type.Object(MessageFact),
    example: { messageId },
  },
} as const satisfies Record<string, PublicType>
