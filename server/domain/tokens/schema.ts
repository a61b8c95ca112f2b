import Type, { type Static } from 'typebox'
import { FULL_ACCESS, SCOPES } from '../../platform/db/tables.ts'
import { ChannelEnum, Id, Moment, Name, nullable, Text } from '../schema.ts'

export const TOKEN_NAME_MAX = 100
export const TOKEN_ADDRESSES_MAX = 50
/** How long the old secret can go on after a rotation. */
export const OVERLAP_HOURS_MAX = 168
export const OVERLAP_HOURS_DEFAULT = 24

export const TokenScope = Type.Enum([FULL_ACCESS, ...SCOPES], {
  title: 'TokenScope',
  description: '`full` is everything, including what later versions add.',
})
export type TokenScope = Static<typeof TokenScope>

const TokenAccess = Type.Object({
  scopes: Type.Array(TokenScope, { description: 'What the token may be used for.' }),
  channels: nullable(
    Type.Array(ChannelEnum, {
      description: 'The channels whose conversations, messages and contacts it sees. Null: all.',
    }),
  ),
  expiresAt: nullable(Moment),
  allowedAddresses: nullable(
    Type.Array(Type.String(), { description: 'Where it may be used from. Null: anywhere.' }),
  ),
})
export type TokenAccess = Static<typeof TokenAccess>

/** What a token gives access to. */
export const Verification = Type.Object(
  {
    company: Type.Object({ id: Type.String(), name: Type.String() }),
    token: Type.Object({
      id: Type.String(),
      name: Type.String(),
      scopes: TokenAccess.properties.scopes,
      channels: TokenAccess.properties.channels,
      expiresAt: TokenAccess.properties.expiresAt,
    }),
    limits: Type.Object(
      {
        readsPerMinute: Type.Integer({ description: 'Per IP address.' }),
        changesPerMinute: Type.Integer(),
        sendsPerMinute: Type.Integer(),
        broadcastsPerMinute: Type.Integer(),
      },
      { description: 'Writes are counted per token and operation; each operation says which limit it has.' },
    ),
    serverVersion: Type.String(),
  },
  {
    title: 'Verification',
    examples: [
      {
        company: { id: 'cmi8q2f5c0000x7h2k9d3m1vb', name: 'Northwind Bikes' },
        token: {
          id: 'cmi8q2f5c0001b4n8s6w0z2yt',
          name: 'CRM sync',
          scopes: ['contacts:read', 'contacts:write'],
          channels: null,
          expiresAt: '2027-11-21T09:30:00.000Z',
        },
        limits: { readsPerMinute: 100, changesPerMinute: 30, sendsPerMinute: 60, broadcastsPerMinute: 10 },
        serverVersion: '1.0.0',
      },
    ],
  },
)
export type Verification = Static<typeof Verification>

// Console -------------------------------------------------------------------------------------------------------------

export const TokenParams = Type.Object({ tokenId: Id })

export const ApiToken = Type.Object(
  {
    id: Id,
    name: Type.String(),
    prefix: Type.String({ description: 'The first twelve characters of the secret.' }),
    createdAt: Moment,
    createdBy: nullable(
      Type.Object(
        { id: Id, nickname: Type.String() },
        { description: 'Null for a token created by the operator.' },
      ),
    ),
    lastUsedAt: nullable(Moment),
    revokedAt: nullable(Moment),
    ...TokenAccess.properties,
    previousSecretUntil: nullable(
      Type.String({
        format: 'date-time',
        description: 'While the secret before the last rotation still works.',
      }),
    ),
  },
  { title: 'ApiToken' },
)
export type ApiToken = Static<typeof ApiToken>

export const ApiTokenList = Type.Object({ tokens: Type.Array(ApiToken) }, { title: 'ApiTokenList' })
export const ApiTokenAnswer = Type.Object({ token: ApiToken }, { title: 'ApiTokenAnswer' })

export const NewToken = Type.Object(
  {
    name: Name(TOKEN_NAME_MAX, { description: 'What it is for.' }),
    scopes: Type.Optional(Type.Array(TokenScope, { minItems: 1, maxItems: SCOPES.length })),
    channels: Type.Optional(nullable(Type.Array(ChannelEnum, { minItems: 1, maxItems: 50 }))),
    expiresAt: Type.Optional(nullable(Moment)),
    allowedAddresses: Type.Optional(
      nullable(Type.Array(Text(50), { minItems: 1, maxItems: TOKEN_ADDRESSES_MAX })),
    ),
  },
  { title: 'NewToken' },
)
export type NewToken = Static<typeof NewToken>

export const Rotation = Type.Object(
  { overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: OVERLAP_HOURS_MAX })) },
  { title: 'Rotation' },
)

export const CreatedApiToken = Type.Object(
  { token: ApiToken, secret: Type.String({ description: 'Shown only in this response.' }) },
  { title: 'CreatedApiToken' },
)
