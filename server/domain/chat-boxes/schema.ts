// What the chat box of a web channel is told beyond its connection.
import Type, { type Static } from 'typebox'
import { Id, Moment, Name, nullable } from '../schema.ts'

export const GREETING_MAX = 500
export const TITLE_MAX = 80
export const LAUNCHER_LABEL_MAX = 30
/** A signed identity is used by a page that was just made; a day is for pages that stay open. */
export const IDENTITY_MAX_HOURS = 24
export const IDENTITY_TOKEN_MAX = 4096
/** How long the former secret may be accepted after a rotation. */
export const OVERLAP_HOURS_MAX = 168
const OVERLAP_HOURS = 24
const MINUTES_MAX = 120

/** The languages of widget/languages.ts; a test compares them. */
export const CHAT_LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'he', 'it', 'nl', 'pl', 'pt'] as const

const Line = (max: number, description: string) => nullable(Name(max, { description }))

/** How the chat box looks and what it says. What the site's own page sets comes before. */
export const ChatBoxSettings = Type.Object({
  title: Line(TITLE_MAX, 'The heading of the panel.'),
  greeting: Line(GREETING_MAX, 'Shown before the first message.'),
  launcherLabel: Line(LAUNCHER_LABEL_MAX, 'Text on the button that opens the chat.'),
  color: nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
  theme: Type.Enum(['auto', 'light', 'dark']),
  side: Type.Enum(['auto', 'left', 'right']),
  language: Type.Enum(['auto', ...CHAT_LANGUAGES]),
  showsHours: Type.Boolean({
    description: 'Whether it says when the team is back, and how soon it replies.',
  }),
  showsTeam: Type.Boolean({ description: 'Whether it shows who is on the team.' }),
  hasSound: Type.Boolean({ description: 'Whether visitors can turn on a sound for replies.' }),
  requiresIdentity: Type.Boolean({ description: 'Whether it is only open to people signed in on the site.' }),
  acceptsFiles: Type.Boolean({ description: 'Whether visitors can send files and images.' }),
  asksEmail: Type.Boolean({
    description:
      'Whether it asks for an email address when nobody is there, and replies that a visitor hasn’t seen are emailed. Needs a mailbox.',
  }),
  askAfterMinutes: Type.Integer({
    minimum: 1,
    maximum: MINUTES_MAX,
    description: 'During opening hours, it asks once nobody has replied for that long.',
  }),
  emailAfterMinutes: Type.Integer({
    minimum: 1,
    maximum: MINUTES_MAX,
    description: 'A reply that the visitor hasn’t seen for that long is emailed.',
  }),
  mailboxId: nullable(
    Type.String({ maxLength: 64, description: 'The email channel to send from; null for the oldest.' }),
  ),
})
export type ChatBoxSettings = Static<typeof ChatBoxSettings>

export const DEFAULT_SETTINGS: ChatBoxSettings = {
  title: null,
  greeting: null,
  launcherLabel: null,
  color: null,
  theme: 'auto',
  side: 'auto',
  language: 'auto',
  showsHours: true,
  // Names of the team are only public once somebody decided so.
  showsTeam: false,
  hasSound: true,
  requiresIdentity: false,
  acceptsFiles: true,
  asksEmail: true,
  askAfterMinutes: 5,
  emailAfterMinutes: 5,
  mailboxId: null,
}

export const ChatBox = Type.Object(
  {
    settings: ChatBoxSettings,
    identity: Type.Object({
      isSet: Type.Boolean({ description: 'Whether there is a secret for signed identities.' }),
      formerUntil: nullable(Moment),
    }),
  },
  { title: 'ChatBox' },
)
export type ChatBox = Static<typeof ChatBox>

export const ChatBoxAnswer = Type.Object({ chatBox: ChatBox }, { title: 'ChatBoxAnswer' })

export const ChatBoxChange = Type.Partial(ChatBoxSettings, {
  title: 'ChatBoxChange',
  description: 'Omitted settings are unchanged.',
})
export type ChatBoxChange = Static<typeof ChatBoxChange>

export const RotateSecret = Type.Object(
  {
    overlapHours: Type.Optional(
      Type.Integer({ minimum: 0, maximum: OVERLAP_HOURS_MAX, default: OVERLAP_HOURS }),
    ),
  },
  { title: 'RotateIdentitySecret' },
)

export const IdentitySecret = Type.Object(
  { secret: Type.String({ description: 'Shown only now.' }), chatBox: ChatBox },
  { title: 'IdentitySecret' },
)

export const ChatBoxParams = Type.Object({ channelId: Id })
