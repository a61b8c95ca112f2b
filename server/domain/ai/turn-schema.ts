import Type, { type Static } from 'typebox'
import { AI_OUTCOMES } from '../../platform/db/tables.ts'
import { Id, Moment, nullable } from '../schema.ts'

export const TurnParams = Type.Object({ turnId: Type.String({ minLength: 1, maxLength: 40 }) })

/** What a turn of the AI agent was about and how it ended; who may see the conversation may read it. */
export const AiTurn = Type.Object({
  id: Id,
  conversationId: Id,
  question: nullable(Type.String({ description: 'What it looked for.' })),
  outcome: nullable(Type.Enum([...AI_OUTCOMES])),
  reason: nullable(Type.String({ description: 'Why it handed over.' })),
  confidence: nullable(Type.Enum(['high', 'middle'])),
  sources: Type.Array(
    Type.Object({
      type: Type.String(),
      id: Id,
      title: Type.String(),
      url: nullable(Type.String()),
      quote: Type.String({ description: 'The sentences of it that the reply is closest to.' }),
      certainty: Type.Number({ description: '0 to 1: how close the question was to it.' }),
    }),
  ),
  version: nullable(Type.Integer({ description: 'Of the instructions that a model was given.' })),
  durationMs: nullable(
    Type.Integer({ description: 'From when the customer had stopped typing to the decision.' }),
  ),
  inputTokens: Type.Integer(),
  cachedTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  cost: Type.Integer({ description: 'In millionths of the currency.' }),
  currency: nullable(Type.String()),
  requestCount: Type.Integer({ description: 'Requests to a model that are still kept.' }),
  wrong: nullable(
    Type.Object(
      { at: Moment, by: nullable(Type.String({ description: 'The nickname.' })) },
      {
        description: 'Who called it wrong.',
      },
    ),
  ),
  createdAt: Moment,
})
export type AiTurn = Static<typeof AiTurn>
export const AiTurnAnswer = Type.Object({ turn: AiTurn })

export const AiTurnMark = Type.Object({ isWrong: Type.Boolean() })

/** A request to a model: exactly what was sent, and what came back. */
export const AiRequest = Type.Object({
  id: Id,
  model: Type.String(),
  request: Type.Unknown(),
  response: Type.Unknown(),
  problem: nullable(Type.String()),
  providerRequestId: nullable(Type.String()),
  tries: Type.Integer(),
  inputTokens: Type.Integer(),
  cachedTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  cost: Type.Integer(),
  durationMs: Type.Integer(),
  createdAt: Moment,
})
export type AiRequest = Static<typeof AiRequest>
export const AiRequestList = Type.Object({ requests: Type.Array(AiRequest) })
