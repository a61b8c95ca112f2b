// JSON built from columns by concatenation, which PostgreSQL does faster than json_build_object. Column types come
// from the tables, so a statement that lacks a field of the response schema does not compile.
import type { Selectable } from 'kysely'
import type { Tables } from './tables.ts'

declare const encoded: unique symbol

/** The columns of tables by alias, such as `c.subject`, with their types. */
export type ColumnsOf<A extends Record<string, keyof Tables>> = {
  [K in Named<A>]: K extends `${infer P}.${infer C}` ? In<Selectable<Tables[A[P]]>, C> : never
}
type Named<A extends Record<string, keyof Tables>> = {
  [P in keyof A & string]: `${P}.${keyof Tables[A[P]] & string}`
}[keyof A & string]
type In<Row, Column> = Column extends keyof Row ? Row[Column] : never

type Part = { literal: string } | { expression: string }

/** An expression that concatenates to the JSON text of a T, and the columns it reads with their casts. */
export type JsonSql<T> = {
  parts: readonly Part[]
  columns: ReadonlyMap<string, string>
  readonly [encoded]?: T
}

type Holding<C, T> = { [K in keyof C & string]: C[K] extends T ? K : never }[keyof C & string]

const expressionOf = <T>(expression: string, columns: Record<string, string>): JsonSql<T> => ({
  parts: [{ expression }],
  columns: new Map(Object.entries(columns)),
})

const quoted = <T>({ parts, columns }: JsonSql<T>): JsonSql<T> => ({
  parts: [{ literal: '"' }, ...parts, { literal: '"' }],
  columns,
})

export const timeText = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const ID_CAST = '::text'
const MOMENT_CAST = '::timestamptz'

/** Writes columns as JSON. `C` gives their types. */
export const jsonColumns = <C>() => ({
  id: <K extends Holding<C, string>>(column: K): JsonSql<C[K]> =>
    quoted(expressionOf(column, { [column]: ID_CAST })),
  /** Text of our own, such as an id or a status, which needs no escaping. */
  word: <K extends Holding<C, string>>(column: K): JsonSql<C[K]> =>
    quoted(expressionOf(column, { [column]: '' })),
  text: <K extends Holding<C, string | null>>(column: K): JsonSql<C[K]> =>
    expressionOf(`coalesce(to_json(${column})::text, 'null')`, { [column]: '' }),
  boolean: <K extends Holding<C, boolean>>(column: K): JsonSql<C[K]> =>
    expressionOf(column, { [column]: '' }),
  integer: <K extends Holding<C, number>>(column: K): JsonSql<C[K]> => expressionOf(column, { [column]: '' }),
  moment: (column: Holding<C, string>): JsonSql<string> =>
    quoted(expressionOf(timeText(column), { [column]: MOMENT_CAST })),
  /** The first time, or the second if the first is null. */
  momentOr: (column: Holding<C, string | null>, other: Holding<C, string>): JsonSql<string> =>
    quoted(
      expressionOf(timeText(`coalesce(${column}, ${other})`), {
        [column]: MOMENT_CAST,
        [other]: MOMENT_CAST,
      }),
    ),
  /** The first `max` characters. */
  beginning: <K extends Holding<C, string>>(column: K, max: number): JsonSql<C[K]> =>
    expressionOf(`coalesce(to_json(left(${column}, ${max}))::text, 'null')`, { [column]: '' }),
  /** An SQL expression that yields a number, and one that yields a time, with the columns that they read. */
  computed: (expression: string, columns: { [K in keyof C & string]?: string }): JsonSql<number> =>
    expressionOf(expression, columns as Record<string, string>),
  /** One that yields JSON. */
  computedJson: <T>(expression: string, columns: { [K in keyof C & string]?: string }): JsonSql<T> =>
    expressionOf(expression, columns as Record<string, string>),
  computedMoment: (expression: string, columns: readonly Holding<C, string | null>[]): JsonSql<string> =>
    quoted(
      expressionOf(timeText(expression), Object.fromEntries(columns.map((column) => [column, MOMENT_CAST]))),
    ),
  /** The first, or the other if the column is null. */
  unlessNullOr: <T>(column: keyof C & string, json: JsonSql<T>, other: JsonSql<T>): JsonSql<T> => ({
    parts: [{ expression: `case when ${column} is null then ${jsonText(other)} else ${jsonText(json)} end` }],
    columns: new Map([...json.columns, ...other.columns]),
  }),
  unlessNull: <T>(column: keyof C & string, json: JsonSql<T>): JsonSql<T | null> => ({
    parts: [{ expression: `case when ${column} is null then 'null' else ${jsonText(json)} end` }],
    columns: json.columns,
  }),
})

/** An object of the fields, in their order. */
export const jsonObject = <T>(fields: { [K in keyof T]: JsonSql<T[K]> }): JsonSql<T> => {
  const entries = Object.entries<JsonSql<unknown>>(fields)
  return {
    parts: [
      ...entries.flatMap(([name, { parts }], index) => [
        { literal: `${index === 0 ? '{' : ','}"${name}":` },
        ...parts,
      ]),
      { literal: '}' },
    ],
    columns: new Map(entries.flatMap(([, { columns }]) => [...columns])),
  }
}

/** The expression as SQL, with adjacent literals merged. */
export const jsonText = <T>({ parts }: JsonSql<T>): string => {
  const texts: string[] = []
  let literal = ''
  for (const part of parts) {
    if ('literal' in part) literal += part.literal
    else {
      if (literal) texts.push(`'${literal}'`)
      literal = ''
      texts.push(part.expression)
    }
  }
  if (literal) texts.push(`'${literal}'`)
  return texts.join(' || ')
}

/**
 * The columns that the JSON reads from one alias, and those in `more`, as a select list, cast to their domains' base
 * types.
 */
export const columnsRead = (
  json: JsonSql<unknown>,
  alias: string,
  more: Record<string, string> = {},
): string =>
  [...new Map([...json.columns, ...Object.entries(more)])]
    .filter(([column]) => column.startsWith(`${alias}.`))
    .map(([column, cast]) => `${column.slice(alias.length + 1)}${cast}`)
    .join(', ')
