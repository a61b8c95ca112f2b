import Type, { type Static } from 'typebox'
import { MODEL_KINDS } from '../../../platform/db/tables.ts'
import { Moment, nullable, Text } from '../../schema.ts'

export const BASE_URL_MAX = 500
export const KEY_MAX = 4_000
export const MODEL_NAME_MAX = 200
/** A million of the currency per million tokens. */
export const PRICE_MAX = 1_000_000_000_000

const Price = Type.Integer({ minimum: 0, maximum: PRICE_MAX })

export const Prices = Type.Object(
  { input: Price, cached: Price, output: Price },
  {
    title: 'ModelPrices',
    description:
      'In millionths of the currency, per million tokens. `cached`: of input that the provider had cached.',
  },
)
export type Prices = Static<typeof Prices>

const Kind = Type.Enum([...MODEL_KINDS], { description: 'The protocol that the provider speaks.' })

export const ProviderBody = Type.Object(
  {
    isEnabled: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'If false, the AI agent replies from the knowledge alone.',
      }),
    ),
    kind: Kind,
    baseUrl: Text(BASE_URL_MAX, { examples: ['https://api.openai.com/v1'] }),
    key: Type.Optional(
      nullable(
        Text(KEY_MAX, {
          pattern: '^[\\x21-\\x7e]+$',
          patternSays: 'must be printable ASCII without spaces',
          description:
            'Encrypted, never returned. If left out, the stored one is kept, unless the host changes. null: the server needs none.',
        }),
      ),
    ),
    model: Text(MODEL_NAME_MAX),
    embeddingModel: Type.Optional(
      nullable(
        Text(MODEL_NAME_MAX, {
          description: 'Also finds knowledge by its meaning. Default: none, so it is found by its words.',
        }),
      ),
    ),
    currency: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{3}$',
        patternSays: 'must be an ISO 4217 code such as "USD"',
        default: 'USD',
      }),
    ),
    prices: Type.Optional(nullable(Prices)),
  },
  { title: 'ModelProviderBody' },
)
export type ProviderBody = Static<typeof ProviderBody>

const ModelProvider = Type.Object(
  {
    isEnabled: Type.Boolean(),
    kind: Kind,
    baseUrl: Type.String(),
    key: Type.Enum(['none', 'stored', 'unreadable'], {
      description: 'unreadable: encrypted with another SECRET_KEY, so it has to be entered again.',
    }),
    model: Type.String(),
    embeddingModel: nullable(Type.String()),
    currency: Type.String(),
    prices: nullable(Prices),
    check: nullable(
      Type.Object(
        {
          steps: Type.Array(
            Type.Object({
              name: Type.String(),
              ok: nullable(Type.Boolean({ description: 'null: it couldn’t be tried.' })),
              message: Type.String(),
            }),
          ),
          isUsable: Type.Boolean(),
          checkedAt: Moment,
        },
        { description: 'The latest check. null: none since the settings changed.' },
      ),
    ),
    updatedAt: Moment,
  },
  { title: 'ModelProvider' },
)
export type ModelProvider = Static<typeof ModelProvider>

export const ProviderAnswer = Type.Object(
  { provider: nullable(ModelProvider) },
  { title: 'ModelProviderAnswer' },
)
export type ProviderAnswer = Static<typeof ProviderAnswer>

export const ProviderSaved = Type.Object(
  {
    provider: ModelProvider,
    isKeyDropped: Type.Boolean({
      description: 'The stored key was removed, because it was entered for another host.',
    }),
  },
  { title: 'ModelProviderSaved' },
)
export type ProviderSaved = Static<typeof ProviderSaved>

export const ProviderRemoved = Type.Object({ success: Type.Literal(true) })
