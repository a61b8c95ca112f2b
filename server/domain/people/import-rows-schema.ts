// Rows of a table that somebody imports as contacts, some at a time.
import Type, { type Static } from 'typebox'

export const IMPORT_ROWS_MAX = 100
const COLUMNS_MAX = 100
const CELL_MAX = 4_000

const Column = Type.Object({
  to: Type.Enum(['email', 'phone', 'externalId', 'name', 'field', 'none']),
  /** Of the custom field. */
  field: Type.Optional(Type.String({ maxLength: 200 })),
})
export type ImportColumn = Static<typeof Column>

export const ImportRowsBody = Type.Object({
  columns: Type.Array(Column, { maxItems: COLUMNS_MAX }),
  rows: Type.Array(Type.Array(Type.String({ maxLength: CELL_MAX }), { maxItems: COLUMNS_MAX }), {
    maxItems: IMPORT_ROWS_MAX,
  }),
  isPreview: Type.Optional(Type.Boolean({ description: 'true: only says what would happen.' })),
})
export type ImportRowsBody = Static<typeof ImportRowsBody>

const ImportedRow = Type.Object({
  is: Type.Enum(['created', 'updated', 'refused']),
  /** Why it was refused. */
  problem: Type.Union([Type.String(), Type.Null()]),
  /** Of a refused row: the reason and its cells as a line of CSV. */
  line: Type.Union([Type.String(), Type.Null()]),
})
export type ImportedRow = Static<typeof ImportedRow>

export const ImportRowsAnswer = Type.Object({ rows: Type.Array(ImportedRow) })
