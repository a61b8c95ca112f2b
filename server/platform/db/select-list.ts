// A select list, with the row type derived from its expressions.
import { createQueryId, type Expression, PostgresQueryCompiler, type RawBuilder, sql } from 'kysely'

type Fields = Record<string, Expression<unknown>>
/** The row type of the fields. */
export type RowOf<F extends Fields> = { [K in keyof F]: F[K] extends Expression<infer T> ? T : never }

/** The fields as a select list, each under its name. */
export const selected = <F extends Fields>(fields: F): RawBuilder<RowOf<F>> =>
  sql.join(
    Object.entries(fields).map(([name, expression]) => sql`${expression} as ${sql.ref(name)}`),
  ) as RawBuilder<RowOf<F>>

/** The fields as a JSON object without spaces, for lists that are sent as the database writes them. */
export const compactJson = <F extends Fields>(fields: F): RawBuilder<RowOf<F>> =>
  sql<RowOf<F>>`(select to_json(f) from (select ${selected(fields)}) f)`

/** A time in the API's format. */
export const momentText = <T extends string | null>(time: Expression<T>): RawBuilder<T> =>
  sql<T>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** An expression without parameters as fixed text, which calls need not compile again. */
export const precompiled = <T>(expression: RawBuilder<T>): RawBuilder<T> => {
  const { sql: text, parameters } = new PostgresQueryCompiler().compileQuery(
    expression.toOperationNode(),
    createQueryId(),
  )
  if (parameters.length > 0) throw new Error('an expression with parameters cannot be precompiled')
  return sql.raw<T>(text)
}
