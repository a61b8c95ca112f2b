// Where a conversation stands in the inbox: at its last activity, and a broadcast is none. See migrations/0059_triage.sql.

/** The columns that `placeOf` reads. */
export const PLACE_COLUMNS = ['updated_at', 'held_until', 'held_at']

/** As the indexes of migrations/0060_inbox_order.sql have it; `row` is an alias of conversations with its dot, or ''. */
export const placeOf = (row: string): string =>
  `(case when ${row}updated_at <= ${row}held_until then ${row}held_at else ${row}updated_at end)::timestamptz`

/** Whether a broadcast is the last thing that happened. */
export const isHeld = (row: string): string => `${row}updated_at <= ${row}held_until`
