// A conversation that a person starts, by email or SMS. WhatsApp starts with a template: see templates/send-template.ts.
import Type, { type Static } from 'typebox'
import { UndoSeconds } from '../accounts/schema.ts'
import { CONTACT_NAME_MAX } from '../contacts/schema.ts'
import { EMAIL_BODY_MAX, OutgoingEmail } from '../emails/schema.ts'
import { ChannelEnum, Id, Name, nullable, Text } from '../schema.ts'

const PHONE_MAX = 32
const ATTACHMENT_IDS_MAX = 20

export const StartConversation = Type.Object(
  {
    channelId: Id,
    body: Type.Optional(Type.String({ trim: true, maxLength: EMAIL_BODY_MAX })),
    attachmentIds: Type.Optional(Type.Array(Id, { maxItems: ATTACHMENT_IDS_MAX, uniqueItems: true })),
    email: Type.Optional(Type.Omit(OutgoingEmail, ['quote'])),
    phone: Type.Optional(Text(PHONE_MAX, { description: 'In international format, for SMS.' })),
    name: Type.Optional(Name(CONTACT_NAME_MAX, { description: 'Only used if this creates the contact.' })),
    undoSeconds: Type.Optional(UndoSeconds),
  },
  { exactlyOneOf: ['email', 'phone'] },
)
export type StartConversation = Static<typeof StartConversation>

export const StartedConversation = Type.Object({
  conversationId: Id,
  created: Type.Boolean({ description: 'False if an SMS conversation goes on.' }),
})
export type StartedConversation = Static<typeof StartedConversation>

/** The channel accounts on which a person can start a conversation. */
export const Senders = Type.Object({
  senders: Type.Array(
    Type.Object({
      id: Id,
      channel: ChannelEnum,
      name: Type.String(),
      address: nullable(Type.String()),
    }),
  ),
})
export type Senders = Static<typeof Senders>
