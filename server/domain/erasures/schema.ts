import Type, { type Static } from 'typebox'
import { ERASURE_MODES, ERASURE_STATUSES } from '../../platform/db/tables.ts'
import { Id, Moment, nullable } from '../schema.ts'

export const EraseContactQuery = Type.Object({
  mode: Type.Enum([...ERASURE_MODES], {
    description:
      '`erase` removes everything. `anonymise` keeps the contact, its conversations and the times, channels and senders of messages, without anything that says who it was or what was said.',
  }),
})

export const ErasureParams = Type.Object({ erasureId: Id })

const count = Type.Optional(Type.Integer({ minimum: 0 }))

const example = {
  id: 'cmi8q2f5c000dn2m7p4r6t8vx',
  contactId: 'cmi8q2f5c0002n2m7a1b3c5de',
  mode: 'erase',
  status: 'completed',
  counts: { conversations: 2, messages: 31, notes: 1, files: 4 },
  createdAt: '2026-11-21T09:30:00.000Z',
  erasedAt: '2026-11-21T09:30:02.000Z',
}

const Erasure = Type.Object(
  {
    id: Id,
    contactId: Id,
    mode: Type.Enum([...ERASURE_MODES]),
    status: Type.Enum([...ERASURE_STATUSES]),
    counts: Type.Object(
      { conversations: count, messages: count, notes: count, files: count },
      { description: 'How many were removed or emptied so far.' },
    ),
    createdAt: Moment,
    erasedAt: nullable(Moment),
  },
  {
    title: 'Erasure',
  },
)
export type Erasure = Static<typeof Erasure>

export const ErasureAnswer = Type.Object({ erasure: Erasure }, { examples: [{ erasure: example }] })
export type ErasureAnswer = Static<typeof ErasureAnswer>
