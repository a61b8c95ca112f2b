// JSON written by PostgreSQL. Large lists are returned as text built by the database, because parsing rows and
// serialising them again would cost this process twice its other work. The types still apply: an expression's type
// says what its JSON encodes, from the table columns to the response schema.
import { CompiledQuery, type Expression, type RawBuilder, sql } from 'kysely'
import type { Db } from './pool.ts'

declare const encoded: unique symbol
declare const elements: unique symbol
declare const row: unique symbol

/** JSON text that encodes a T. */
export type JsonText<T> = string & { readonly [encoded]: T }
/** JSON texts of T separated by commas: the inside of an array. */
export type JsonItems<T> = string & { readonly [elements]: T }
/** A statement whose rows are T. */
export type SqlText<T> = string & { readonly [row]: T }

// The brands below exist for the compiler only; each `as` names what the adjacent text encodes.

export const encode = <T>(value: T): JsonText<T> => JSON.stringify(value) as JsonText<T>
export const decode = <T>(text: JsonText<T>): T => JSON.parse(text) as T
export const joinItems = <T>(items: readonly (JsonItems<T> | JsonText<T>)[]): JsonItems<T> =>
  items.join(',') as JsonItems<T>
export const arrayOf = <T>(items: JsonItems<T>): JsonText<T[]> => `[${items}]` as JsonText<T[]>

/** An object of texts. Concatenated rather than joined, so that a long text is not copied here. */
export const objectOf = <T>(fields: { [K in keyof T]: JsonText<T[K]> }): JsonText<T> => {
  let text = ''
  for (const [name, value] of Object.entries(fields)) text += `${text ? ',' : '{'}"${name}":${value}`
  return `${text || '{'}}` as JsonText<T>
}

/** Only the author of a statement knows what it yields, as with Kysely's `sql<T>`. */
export const sqlText = <T>(text: string): SqlText<T> => text as SqlText<T>

export const runText = async <T>(db: Db, text: SqlText<T>, parameters: unknown[]): Promise<T[]> =>
  (await db.executeQuery<T>(CompiledQuery.raw(text, parameters))).rows

/** JSON as text, for a row that should not be parsed. */
export const asText = <T>(json: Expression<T>): RawBuilder<JsonText<T>> => sql<JsonText<T>>`${json}::text`
