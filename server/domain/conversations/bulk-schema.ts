import Type, { type Static } from 'typebox'
import { Text } from '../schema.ts'

export const BULK_MAX = 100
const ID_MAX = 64

export const BulkBody = Type.Object(
  {
    ids: Type.Array(Text(ID_MAX), {
      minItems: 1,
      maxItems: BULK_MAX,
      description: 'Conversations. An id that is repeated counts once.',
    }),
    action: Type.Enum(['close', 'reopen', 'assign', 'unassign']),
    agentId: Type.Optional(
      Text(ID_MAX, { description: "With `assign`: an active member's id, or `ai` for the AI agent." }),
    ),
  },
  {
    title: 'ChangeConversations',
    examples: [
      { ids: ['cmi8q2f5c0000x7h2k9d3m1vb', 'cmi8q2f5c0002x7h2m4s8k1vd'], action: 'assign', agentId: 'ai' },
    ],
  },
)
export type BulkBody = Static<typeof BulkBody>

const BulkResult = Type.Object(
  {
    id: Type.String(),
    ok: Type.Boolean(),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  },
  { title: 'BulkResult', description: '`error` is what the call for this one conversation would return.' },
)
export type BulkResult = Static<typeof BulkResult>

export const BulkResults = Type.Object(
  { results: Type.Array(BulkResult) },
  {
    title: 'BulkResults',
    examples: [
      {
        results: [
          { id: 'cmi8q2f5c0000x7h2k9d3m1vb', ok: true },
          {
            id: 'cmi8q2f5c0002x7h2m4s8k1vd',
            ok: false,
            error: { code: 'CONVERSATION_NOT_FOUND', message: 'Conversation not found.' },
          },
        ],
      },
    ],
  },
)
export type BulkResults = Static<typeof BulkResults>
