import Type, { type Static } from 'typebox'
import { SECOND_FACTORS, SIGN_IN_METHODS } from '../../platform/db/tables.ts'
import { Email, Moment, nullable, Text } from '../schema.ts'

export const NICKNAME_MAX = 60

const SECRET_MAX = 100

/** Same as in platform/ctx/actor.ts, which a schema does not import; a test compares the two. */
export const PermissionEnum = Type.Enum([
  'see_all_conversations',
  'assign_conversations',
  'manage_contacts',
  'manage_groups',
  'manage_tags',
  'send_broadcasts',
  'manage_automation',
  'manage_knowledge',
  'see_reports',
])

/** What the sign-in page shows before sign-in. */
export const About = Type.Object({
  isDemo: Type.Boolean(),
  sendsMail: Type.Boolean({
    description: 'Whether sign-in codes can be emailed. If not, an operator creates sign-in links.',
  }),
  provider: nullable(
    Type.Object({
      name: Type.String({ description: 'What people call the identity provider.' }),
      isOnly: Type.Boolean({ description: 'Whether codes are turned off.' }),
    }),
  ),
})

export const RequestCode = Type.Object({ email: Email() })
export const CodeSent = Type.Object({ sent: Type.Literal(true) })

export const SignIn = Type.Object(
  {
    email: Type.Optional(Email()),
    code: Type.Optional(
      Type.String({ trim: true, pattern: '^\\d{3} ?\\d{3}$', patternSays: 'must be six digits' }),
    ),
    secret: Type.Optional(Text(SECRET_MAX)),
  },
  { exactlyOneOf: ['code', 'secret'] },
)

export const SignOut = Type.Object({ everywhere: Type.Optional(Type.Boolean()) })
export const SignedOut = Type.Object({ success: Type.Literal(true) })

export const SessionWorkspace = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: Type.Enum(['admin', 'agent']),
  roleName: Type.String(),
  permissions: Type.Array(PermissionEnum),
  isNew: Type.Boolean({ description: 'Whether to tell the person that they were added.' }),
  addedBy: Type.Union([Type.String(), Type.Null()]),
})
export type SessionWorkspace = Static<typeof SessionWorkspace>

/** For how long a person can undo what they send; 0: it is sent at once. */
export const UndoSeconds = Type.Enum([0, 5, 10, 20])
export type UndoSeconds = Static<typeof UndoSeconds>

export const UndoChange = Type.Object({ undoSeconds: UndoSeconds })

/** Of the console, and of what it sends people; see console/words/language.ts. */
export const Language = Type.Enum(['en', 'de', 'es', 'fr', 'pt'])
export type Language = Static<typeof Language>

export const AccountLanguage = Type.Object({
  language: Language,
  isChosen: Type.Boolean({
    description: 'Whether the person chose it: then it holds in other browsers too.',
  }),
})
export type AccountLanguage = Static<typeof AccountLanguage>

export const Session = Type.Object({
  account: Type.Object({
    id: Type.String(),
    email: Type.String(),
    nickname: Type.String(),
    undoSeconds: UndoSeconds,
    language: nullable(AccountLanguage),
  }),
  workspaces: Type.Array(SessionWorkspace),
  sandboxUrl: Type.Union([Type.String(), Type.Null()]),
})
export type Session = Static<typeof Session>

const OwnSession = Type.Object({
  id: Type.String(),
  isCurrent: Type.Boolean({ description: 'Whether this is the session that asks.' }),
  method: nullable(Type.Enum([...SIGN_IN_METHODS])),
  secondFactor: nullable(Type.Enum([...SECOND_FACTORS])),
  address: nullable(Type.String({ description: 'The IP address of the sign-in.' })),
  userAgent: nullable(Type.String()),
  signedInAt: Moment,
  lastSeenAt: Moment,
})
export type OwnSession = Static<typeof OwnSession>

export const OwnSessions = Type.Object({ sessions: Type.Array(OwnSession) })
export type OwnSessions = Static<typeof OwnSessions>

export const OwnSessionParams = Type.Object({ sessionId: Type.String() })
export const OtherSessionsEnded = Type.Object({ ended: Type.Integer() })
