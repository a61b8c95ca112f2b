// Merging two contacts in the console, and undoing it.
import Type, { type Static } from 'typebox'
import { ContactParams, PhoneInAnyNotation } from '../contacts/schema.ts'
import { Email, Id, Moment, nullable } from '../schema.ts'

/** Of both, without what only one of them has. */
const TAKEN_MAX = 210

export const MergeBody = Type.Object({
  contactId: Type.String({
    description: 'The contact that is merged into the one in the path, and then gone.',
  }),
  take: Type.Optional(
    Type.Array(Type.String({ pattern: '^(name|email|phone|username|customFields\\..+)$', maxLength: 100 }), {
      maxItems: TAKEN_MAX,
      description:
        'What is taken from the contact that is gone although both have it: `name`, `email`, `phone`, `username`, or `customFields.` and a name.',
    }),
  ),
})
export type MergeBody = Static<typeof MergeBody>

export const Merge = Type.Object({
  id: Id,
  /** Who is no longer there. */
  contactId: Id,
  name: Type.String(),
  email: nullable(Type.String()),
  phone: nullable(Type.String()),
  mergedAt: Moment,
  undoableUntil: Moment,
})
export type Merge = Static<typeof Merge>

export const MergeAnswer = Type.Object({ merge: Merge })
export const MergeList = Type.Object({ merges: Type.Array(Merge) })
export const UnmergedAnswer = Type.Object({ contactId: Id })

export const MergeParams = Type.Object({ ...ContactParams.properties, mergeId: Id })

export const AddressesBody = Type.Object(
  {
    email: Type.Optional(nullable(Email({ description: 'null removes it.' }))),
    phone: Type.Optional(nullable(PhoneInAnyNotation('The number. null removes it'))),
  },
  { atLeastOneOf: ['email', 'phone'] },
)
export type AddressesBody = Static<typeof AddressesBody>
