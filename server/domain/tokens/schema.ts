import Type, { type Static } from 'typebox'
import { Id, Moment, nullable, Text } from '../schema.ts'

export const TOKEN_NAME_MAX = 100

/** What a token gives access to. */
export const Verification = Type.Object(
  {
    company: Type.Object({ id: Type.String(), name: Type.String() }),
    token: Type.Object({ id: Type.String(), name: Type.String() }),
  },
  {
    title: 'Verification',
    examples: [
      {
        company: { id: 'cmi8q2f5c0000x7h2k9d3m1vb', name: 'Northwind Bikes' },
        token: { id: 'cmi8q2f5c0001b4n8s6w0z2yt', name: 'CRM sync' },
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
  },
  { title: 'ApiToken' },
)
export type ApiToken = Static<typeof ApiToken>

export const ApiTokenList = Type.Object({ tokens: Type.Array(ApiToken) }, { title: 'ApiTokenList' })
export const ApiTokenAnswer = Type.Object({ token: ApiToken }, { title: 'ApiTokenAnswer' })

export const NewToken = Type.Object(
  { name: Text(TOKEN_NAME_MAX, { description: 'What it is for.' }) },
  { title: 'NewToken' },
)

export const CreatedApiToken = Type.Object(
  { token: ApiToken, secret: Type.String({ description: 'Shown only in this response.' }) },
  { title: 'CreatedApiToken' },
)
