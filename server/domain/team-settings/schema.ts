import Type, { type Static } from 'typebox'
import { Id } from '../schema.ts'

/** The team as conversations show it. */
export const TeamRef = Type.Object({ id: Id, name: Type.String() }, { title: 'TeamRef' })
export type TeamRef = Static<typeof TeamRef>
