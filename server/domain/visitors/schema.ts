// The messages between the web chat widget and the server.
import Type, { type Static } from 'typebox'
import { Attachment } from '../attachments/schema.ts'
import { CHAT_LANGUAGES, IDENTITY_TOKEN_MAX } from '../chat-boxes/schema.ts'
import { CONTACT_NAME_MAX } from '../contacts/schema.ts'
import { MESSAGE_BODY_MAX, MessageStatusEnum, StatusEnum } from '../conversations/schema.ts'
import { EMAIL_MAX, Id, Moment, nullable, Text } from '../schema.ts'

const TOKEN_MAX = 200
const LOCALE_MAX = 35
const PAGE_MAX = 2048
const TIME_ZONE_MAX = 64
const CLIENT_ID_MAX = 64
const OPTION_NUMBER_MAX = 999
const FILES_PER_MESSAGE_MAX = 5
const FILE_NAME_MAX = 255
/** The newest messages that a session includes. */
export const SESSION_MESSAGES_MAX = 50

export const ChannelParams = Type.Object({ channelId: Id })

export const StartSession = Type.Object({
  token: Type.Optional(Type.String({ maxLength: TOKEN_MAX })),
  name: Type.Optional(Type.String({ trim: true, maxLength: CONTACT_NAME_MAX })),
  email: Type.Optional(Type.String({ trim: true, maxLength: EMAIL_MAX, format: 'email' })),
  locale: Type.Optional(Type.String({ trim: true, maxLength: LOCALE_MAX })),
  page: Type.Optional(Type.String({ trim: true, maxLength: PAGE_MAX })),
  timeZone: Type.Optional(Type.String({ trim: true, maxLength: TIME_ZONE_MAX })),
  identity: Type.Optional(
    Type.String({
      maxLength: IDENTITY_TOKEN_MAX,
      description: 'A JWT of the site that says who is signed in.',
    }),
  ),
})
export type StartSession = Static<typeof StartSession>

/** The options below a message, which its customer can tap. */
export const VisitorChoices = Type.Object({
  text: Type.String({ description: 'The message without its options; `body` has both, as numbered text.' }),
  options: Type.Array(
    Type.Object({
      number: Type.Integer({ description: 'Names the option in a tap.' }),
      title: Type.String(),
      description: nullable(Type.String()),
    }),
  ),
})
export type VisitorChoices = Static<typeof VisitorChoices>

/** The option that a customer tapped, and the message that offered it. */
export const VisitorChoice = Type.Object({
  messageId: Id,
  number: Type.Integer({ minimum: 0, maximum: OPTION_NUMBER_MAX }),
})
export type VisitorChoice = Static<typeof VisitorChoice>

/** A message as its customer sees it: of the sender, only the display name. */
export const VisitorMessage = Type.Object({
  id: Id,
  conversationId: Id,
  body: Type.String(),
  senderType: Type.Enum(['customer', 'agent', 'automation']),
  sender: Type.Object({ nickname: Type.String() }),
  status: MessageStatusEnum,
  createdAt: Moment,
  attachments: Type.Array(Attachment),
  clientId: nullable(Type.String({ description: 'The client id that the visitor sent with it.' })),
  choices: nullable(VisitorChoices),
  choice: nullable(VisitorChoice),
  reaction: nullable(Type.String({ description: 'The emoji that the team gave to their message.' })),
  byEmail: nullable(
    Type.Enum(['shown', 'hidden'], {
      description:
        'They wrote it by email. It is hidden until this browser has shown that the address is its visitor’s: body and files are then empty.',
    }),
  ),
})
export type VisitorMessage = Static<typeof VisitorMessage>

export const VisitorConversation = Type.Object({ id: Id, status: StatusEnum })
export type VisitorConversation = Static<typeof VisitorConversation>

export const Session = Type.Object({
  token: Type.String(),
  visitor: Type.Object({
    id: Id,
    name: nullable(Type.String()),
    email: nullable(Type.String()),
    isSigned: Type.Boolean({ description: 'Whether the site has said who they are.' }),
  }),
  conversation: nullable(VisitorConversation),
  email: nullable(
    Type.Object(
      { address: nullable(Type.String()) },
      { description: 'Where replies go once they have left; null address: nowhere.' },
    ),
  ),
  messages: Type.Array(VisitorMessage),
})
export type Session = Static<typeof Session>

/** Either a text or a tap, of which the title of the option becomes the text. */
export const SendVisitorMessage = Type.Object({
  body: Type.Optional(Text(MESSAGE_BODY_MAX)),
  choice: Type.Optional(VisitorChoice),
  fileIds: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: FILES_PER_MESSAGE_MAX,
      uniqueItems: true,
      description: 'Files that this visitor has uploaded. The body may then be left out.',
    }),
  ),
  clientId: Type.Optional(Type.String({ minLength: 1, maxLength: CLIENT_ID_MAX })),
})
export type SendVisitorMessage = Static<typeof SendVisitorMessage>

/** Null: they would rather not say. */
export const LeaveEmail = Type.Object({
  email: nullable(Type.String({ trim: true, maxLength: EMAIL_MAX, format: 'email' })),
  language: Type.Optional(Type.Enum([...CHAT_LANGUAGES])),
})
export type LeaveEmail = Static<typeof LeaveEmail>

export const UploadQuery = Type.Object({
  clientId: Type.String({
    minLength: 1,
    maxLength: CLIENT_ID_MAX,
    description: 'The page’s own id of the file.',
  }),
  name: Type.String({ minLength: 1, maxLength: FILE_NAME_MAX }),
})
export const FileAnswer = Type.Object({ file: Attachment })

export const FollowLink = Type.Object({ token: Type.String({ maxLength: TOKEN_MAX }) })

export const VisitorMessageSent = Type.Object({ message: VisitorMessage })

// Console -------------------------------------------------------------------------------------------------------------

export const BlockChange = Type.Object(
  {
    visitor: Type.Optional(Type.Boolean({ description: 'Whether this person may use the web chat.' })),
    address: Type.Optional(
      Type.Boolean({ description: 'The same for everyone at their last known IP address.' }),
    ),
  },
  { title: 'BlockChange', atLeastOneOf: ['visitor', 'address'] },
)
export type BlockChange = Static<typeof BlockChange>

export const BlockAnswer = Type.Object(
  {
    block: Type.Object({
      visitor: Type.Boolean(),
      address: Type.Boolean(),
      hasAddress: Type.Boolean({ description: 'Whether an IP address is known and can be blocked.' }),
    }),
  },
  { title: 'BlockAnswer' },
)

export const ReadMessages = Type.Object({ messageId: Type.String() })
export const SetTyping = Type.Object({ isTyping: Type.Boolean() })
export const Done = Type.Object({ success: Type.Literal(true) })

/** Where a contact was last on the website. Everything is what their browser said. */
export const VisitAnswer = Type.Object({
  visit: nullable(
    Type.Object({
      page: nullable(Type.String()),
      locale: nullable(Type.String()),
      timeZone: nullable(Type.String()),
      seenAt: Moment,
    }),
  ),
})
export type Visit = Static<typeof VisitAnswer>['visit']
