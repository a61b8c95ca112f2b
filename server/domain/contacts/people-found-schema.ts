import Type, { type Static } from 'typebox'
import { ChannelEnum, Id, nullable } from '../schema.ts'

export const PeopleFound = Type.Object({
  people: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      email: nullable(Type.String()),
      /** False: it is only a claim. */
      emailVerified: Type.Boolean(),
      phone: nullable(Type.String()),
      channels: Type.Array(ChannelEnum),
    }),
  ),
})
export type PeopleFound = Static<typeof PeopleFound>
