// Reads what a line of an archive says. Nothing in it is trusted: texts are cut and cleaned, times lie between 1970 and
// now, and what a row can't do without makes it fail.
import { storableJson } from '../../platform/db/storable-json.ts'
import type { CustomFields, Metadata } from '../../platform/db/tables.ts'

/** Why a row can't be imported, for the report. */
export class RowProblem extends Error {}

export type SourceRow = Record<string, unknown>

const JSON_MAX = 65_536
const DEPTH_MAX = 64
const FIELDS_MAX = 100
const FIELD_TEXT_MAX = 1_000
const ID_MAX = 500
const LIST_MAX = 1_000

export const isObject = (value: unknown): value is SourceRow =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What PostgreSQL can store, of at most so many characters. */
export const cleanText = (text: string, max: number): string =>
  text.slice(0, max).toWellFormed().replaceAll('\0', '')

export const textOf = (value: unknown, max: number): string | null => {
  if (typeof value !== 'string') return null
  const text = cleanText(value, max)
  return text === '' ? null : text
}

export const bodyOf = (value: unknown, max: number): string =>
  typeof value === 'string' ? cleanText(value, max) : ''

export const idOf = (row: SourceRow, name: string): string => {
  const value = row[name]
  if (typeof value === 'string' && value !== '' && value.length <= ID_MAX) return value
  throw new RowProblem(`${name} must be an id`)
}

export const optionalIdOf = (row: SourceRow, name: string): string | null =>
  row[name] === null || row[name] === undefined ? null : idOf(row, name)

export const idsOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((one): one is string => typeof one === 'string' && one.length <= ID_MAX).slice(0, LIST_MAX)
    : []

/** A later time than now is that of a wrong clock: then it is now. */
export const timeOf = (row: SourceRow, name: string, now: Date): Date => {
  const value = row[name]
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) throw new RowProblem(`${name} must be a time`)
  return new Date(Math.min(Math.max(ms, 0), now.getTime()))
}

export const optionalTimeOf = (row: SourceRow, name: string, now: Date): Date | null =>
  row[name] === null || row[name] === undefined ? null : timeOf(row, name, now)

export const oneOf = <T extends string>(value: unknown, all: readonly T[], otherwise: T): T =>
  all.find((one) => one === value) ?? otherwise

export const customFieldsOf = (value: unknown): CustomFields => {
  if (!isObject(value)) return {}
  const fields = Object.entries(value).flatMap(([name, one]): [string, string | number | boolean][] => {
    const key = cleanText(name, FIELD_TEXT_MAX)
    if (typeof one === 'string') return [[key, cleanText(one, FIELD_TEXT_MAX)]]
    return typeof one === 'boolean' || (typeof one === 'number' && Number.isFinite(one)) ? [[key, one]] : []
  })
  return Object.fromEntries(fields.slice(0, FIELDS_MAX))
}

/** Deeper than JSON.stringify and PostgreSQL can follow is possible in a line. */
const isDeep = (value: unknown, left = DEPTH_MAX): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((one) => isDeep(one, left - 1)))

/** Null if it is too large to be of use. */
export const metadataOf = (value: unknown): Metadata | null => {
  if (!isObject(value) || isDeep(value)) return null
  const text = storableJson(value)
  return text.length > JSON_MAX ? null : JSON.parse(text)
}
