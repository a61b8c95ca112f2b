// Filters of the inbox under a name: one's own, or the team's.
import Type, { type Static } from 'typebox'
import { ChannelEnum, Id, Name, Text } from '../schema.ts'

/** As the console has it in its address; see ListFilter in console/state/conversations.ts. */
export const ViewFilter = Type.Object({
  view: Type.Enum(['mine', 'unassigned', 'open', 'snoozed', 'mentions', 'closed', 'all']),
  channel: Type.Optional(ChannelEnum),
  unread: Type.Optional(Type.Literal(true)),
  failed: Type.Optional(Type.Literal(true)),
  order: Type.Optional(Type.Enum(['waiting', 'due'])),
  tag: Type.Optional(Text(25)),
  agent: Type.Optional(Text(25)),
  /** Its id, or `own` for all that the person is in. */
  team: Type.Optional(Text(25)),
  overdue: Type.Optional(Type.Literal(true)),
  account: Type.Optional(Text(25)),
  language: Type.Optional(Text(8)),
  q: Type.Optional(Text(160)),
})
export type ViewFilter = Static<typeof ViewFilter>

export const NewSavedView = Type.Object({ name: Name(60), filter: ViewFilter })
export type NewSavedView = Static<typeof NewSavedView>

export const SavedView = Type.Object({ id: Id, isShared: Type.Boolean(), ...NewSavedView.properties })
export type SavedView = Static<typeof SavedView>

export const SavedViewList = Type.Object({ views: Type.Array(SavedView) })

/** The caller chooses the id of a new one, so that saving twice is saving once. */
export const SavedViewParams = Type.Object({ viewId: Id })

/** The ids in their new order. Those that are not named come after them. */
export const SavedViewOrder = Type.Object({ ids: Type.Array(Id, { maxItems: 200, uniqueItems: true }) })
export const SavedViewChanged = Type.Object({ success: Type.Literal(true) })
