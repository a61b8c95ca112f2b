// Where the person is in the list. J and K go on from there, and so does what is opened after a conversation is done
// with, also when its row has left the list.
import type { View } from '../../state/conversations.ts'
import type { ConversationRow, Found } from '../../state/types.ts'

/** A result of a search also has what it was found by. */
type Row = ConversationRow & Partial<Pick<Found, 'match'>>

let list = ''
let rows: readonly Row[] = []
let last: { id: string; index: number } | undefined

/** Called whenever the list of this name is drawn. */
export const notePlace = (name: string, shown: readonly Row[], openId: string | undefined): void => {
  if (list !== name) last = undefined
  list = name
  rows = shown
  const id = openId ?? last?.id
  const index = rows.findIndex((row) => row.id === id)
  if (id !== undefined && index !== -1) last = { id, index }
}

/** A row that was closed or snoozed here and is about to leave the list. */
export const isLeaving =
  (view: View) =>
  ({ status, snoozedUntil }: Row): boolean =>
    view !== 'all' &&
    view !== 'mentions' &&
    ((status === 'closed' && view !== 'closed') || (snoozedUntil !== null && view !== 'snoozed'))

/** The row after or before that place, undefined at the ends. Rows that are on their way out of the list are passed over. */
export const rowBeside = (by: 1 | -1, isLeaving: (row: Row) => boolean): Row | undefined => {
  if (!last) return rows[0]
  const { id } = last
  const here = rows.findIndex((row) => row.id === id)
  // What came after it has taken its place.
  let index = here !== -1 ? here + by : by > 0 ? last.index : last.index - 1
  while (rows[index] && isLeaving(rows[index]!)) index += by
  return rows[index]
}

/** What is looked for in a conversation that is opened from the results of a search, and where it opens. */
export const spotOf = (conversationId: string, q: string | undefined): { find?: string; at?: string } => {
  const at = rows.find(({ id }) => id === conversationId)?.match?.entryId
  return { find: at ? q : undefined, at: at ?? undefined }
}
