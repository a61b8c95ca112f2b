// What a channel account stores: settings are readable, secrets are encrypted. channels/definitions.ts lists them.
import Type, { type Static } from 'typebox'
import type { ChannelSettings } from '../../../channels/definitions.ts'
import type { ChannelName, ChannelProblem } from '../../platform/db/tables.ts'
import { ChannelEnum, Id, Moment, nullable } from '../schema.ts'

export const ACCOUNT_NAME_MAX = 120
export const SECRET_MAX = 4096
export const URL_MAX = 2048
export const ALLOWED_ORIGINS_MAX = 100

/** A channel account as it is stored. `address` is the phone number, email address or page id. */
export type StoredChannelAccount<C extends ChannelName = ChannelName> = {
  [K in C]: {
    workspaceId: string
    id: string
    channel: K
    name: string
    address: string | null
    settings: ChannelSettings[K]
    /** Encrypted; see openSecrets. */
    secrets: Buffer | null
    /** The known problem that keeps it from working; see record-channel-problem.ts. */
    problem?: ChannelProblem | null
    /** When it last worked, as far as recordWorking noted it. */
    workedAt?: string | null
  }
}[C]

const Problem = nullable(
  Type.Object(
    { code: Type.String(), message: Type.String(), since: Moment },
    { description: 'What currently prevents it from working.' },
  ),
)

/** A channel account as programs see it. */
const ConnectedChannel = Type.Object(
  {
    id: Id,
    channel: ChannelEnum,
    name: Type.String(),
    address: nullable(Type.String({ description: 'The phone number, email address or page id.' })),
    problem: Problem,
  },
  { title: 'ConnectedChannel' },
)
export type ConnectedChannel = Static<typeof ConnectedChannel>

export const ConnectedChannelList = Type.Object(
  { channels: Type.Array(ConnectedChannel) },
  {
    title: 'ConnectedChannelList',
    examples: [
      {
        channels: [
          {
            id: 'cmi7z0p4d0001c5v7b9n1m3lk',
            channel: 'whatsapp',
            name: 'Sales',
            address: '+351912345678',
            problem: null,
          },
        ],
      },
    ],
  },
)

// Console -------------------------------------------------------------------------------------------------------------

export const ChannelParams = Type.Object({ channelId: Id })

export const ShownChannel = Type.Object(
  {
    id: Id,
    channel: ChannelEnum,
    name: Type.String(),
    address: nullable(Type.String()),
    webhookUrl: Type.String({
      description: 'The address that the provider or the web chat uses to reach Foyer.',
    }),
    settings: Type.Record(Type.String(), Type.Unknown()),
    teamId: nullable(
      Type.Unsafe<string>({ ...Id, description: 'Which gets the conversations that customers begin here.' }),
    ),
    secretsSet: Type.Array(Type.String(), { description: 'The names of the secrets that are set.' }),
    createdAt: Moment,
    problem: nullable(
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        advice: Type.String({ description: 'What to do about it.' }),
        since: Moment,
      }),
    ),
    checkedAt: nullable(Moment),
    workedAt: nullable(Moment),
    webhookWarning: nullable(
      Type.String({ description: 'Why its provider can’t reach the webhook address.' }),
    ),
  },
  { title: 'Channel' },
)
export type ShownChannel = Static<typeof ShownChannel>

export const ShownChannelList = Type.Object({ channels: Type.Array(ShownChannel) }, { title: 'ChannelList' })
export const ShownChannelAnswer = Type.Object({ channel: ShownChannel }, { title: 'ChannelAnswer' })

/** The longest list is that of allowed origins; one more, so that the error for too many names the field. */
const ITEMS_MAX = ALLOWED_ORIGINS_MAX + 1

/** All possible field values; channels/definitions.ts lists the fields, read-channel-account.ts validates them. */
const FieldValue = Type.Unsafe<string | number | string[] | null>({
  type: ['string', 'integer', 'array', 'null'],
  items: { type: 'string', maxLength: URL_MAX },
  maxItems: ITEMS_MAX,
})

export const NewChannel = Type.Object(
  { channel: ChannelEnum },
  {
    additionalProperties: FieldValue,
    title: 'NewChannel',
    description: 'With the fields of its channel type.',
  },
)

export const ChannelChange = Type.Record(Type.String(), FieldValue, {
  title: 'ChannelChange',
  description: 'Omitted fields are unchanged; null removes an optional one.',
})

const Checks = Type.Array(Type.Object({ name: Type.String(), ok: Type.Boolean(), message: Type.String() }))

export const ChannelTeam = Type.Object({ teamId: nullable(Id) }, { title: 'ChannelTeam' })

export const ChannelChecked = Type.Object({ ok: Type.Boolean(), checks: Checks }, { title: 'ChannelChecked' })

export const AddChannelQuery = Type.Object({
  mustWork: Type.Optional(
    Type.Boolean({
      description: 'Test it first, and add it only if the test succeeds. Takes at most ten seconds.',
    }),
  ),
})

export const ChannelAdded = Type.Object(
  {
    /** Null if it was not added because the test failed. */
    channel: nullable(ShownChannel),
    checks: Checks,
  },
  { title: 'ChannelAdded' },
)
