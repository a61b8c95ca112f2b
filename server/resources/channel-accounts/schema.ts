// What a channel account keeps: settings are readable, secrets are sealed. One entry for each kind.
import Type, { type Static } from 'typebox'
import type { ChannelName, ChannelProblem } from '../../db/tables.ts'
import { ChannelEnum, Id, Moment, nullable } from '../schema.ts'

export const ACCOUNT_NAME_MAX = 120
export const SECRET_MAX = 4096
export const URL_MAX = 2048
export const ALLOWED_ORIGINS_MAX = 100
/** Meta's highest throughput for one number; the default is what every number has. */
export const MESSAGES_PER_SECOND_MAX = 1000
export const MESSAGES_PER_SECOND_DEFAULT = 80

export type ChannelAccountSettings = {
  /** No origin: the widget answers on every site. */
  web: { allowedOrigins: string[] }
  whatsapp: {
    phoneNumberId: string
    businessAccountId: string
    apiUrl: string | null
    messagesPerSecond: number
  }
  /** Whether mail to the address with something behind a plus arrives: then answers are known by that too. */
  email: { plusAddressing?: boolean }
  telegram: { apiUrl: string | null }
  facebook: { pageId: string; apiUrl: string | null }
  sms: { accountSid: string; apiUrl: string | null }
}

/** The URLs of a mailbox carry its password, so they are secrets as a whole. */
export type ChannelAccountSecrets = {
  web: Record<string, never>
  whatsapp: { accessToken: string; appSecret: string; verifyToken: string }
  /** With a refresh token, the passwords of the two URLs do not count. */
  email: {
    smtpUrl: string
    imapUrl?: string
    inboundSecret?: string
    oauthTokenUrl?: string
    oauthClientId?: string
    oauthClientSecret?: string
    oauthRefreshToken?: string
  }
  telegram: { botToken: string; webhookSecret: string }
  facebook: { accessToken: string; appSecret: string; verifyToken: string }
  sms: { authToken: string }
}

/** A channel account as it is stored. `address` is the phone number, email address or page id. */
export type StoredChannelAccount<C extends ChannelName = ChannelName> = {
  [K in C]: {
    workspaceId: string
    id: string
    channel: K
    name: string
    address: string | null
    settings: ChannelAccountSettings[K]
    /** Sealed; see openSecrets. */
    secrets: Buffer | null
    /** What is known to keep it from working; see note-channel-problem.ts. */
    problem?: ChannelProblem | null
  }
}[C]

// The console's -----------------------------------------------------------------------------------------------------

export const ChannelParams = Type.Object({ channelId: Id })

export const ShownChannel = Type.Object(
  {
    id: Id,
    channel: ChannelEnum,
    name: Type.String(),
    address: nullable(Type.String()),
    webhookUrl: Type.String({ description: "Where the provider, or the web chat's panel, reaches us." }),
    settings: Type.Record(Type.String(), Type.Unknown()),
    secretsSet: Type.Array(Type.String(), { description: 'The names of the secrets that are there.' }),
    createdAt: Moment,
    problem: nullable(
      Type.Object(
        { code: Type.String(), message: Type.String(), since: Moment },
        { description: 'What keeps it from working at present.' },
      ),
    ),
  },
  { title: 'Channel' },
)
export type ShownChannel = Static<typeof ShownChannel>

export const ShownChannelList = Type.Object({ channels: Type.Array(ShownChannel) }, { title: 'ChannelList' })
export const ShownChannelAnswer = Type.Object({ channel: ShownChannel }, { title: 'ChannelAnswer' })

/** The longest list is that of allowed origins; one more, so that too many are told so by name. */
const ITEMS_MAX = ALLOWED_ORIGINS_MAX + 1

/** What a kind's fields may be; add-channel-account.ts says which there are and what is wrong with them. */
const FieldValue = Type.Unsafe<string | number | string[] | null>({
  type: ['string', 'integer', 'array', 'null'],
  items: { type: 'string', maxLength: URL_MAX },
  maxItems: ITEMS_MAX,
})

export const NewChannel = Type.Object(
  { channel: ChannelEnum },
  { additionalProperties: FieldValue, title: 'NewChannel', description: "With the kind's own fields." },
)

export const ChannelChange = Type.Record(Type.String(), FieldValue, {
  title: 'ChannelChange',
  description: 'Fields that are left out stay as they are; null takes an optional one away.',
})

export const ChannelChecked = Type.Object(
  {
    ok: Type.Boolean(),
    checks: Type.Array(Type.Object({ name: Type.String(), ok: Type.Boolean(), message: Type.String() })),
  },
  { title: 'ChannelChecked' },
)
