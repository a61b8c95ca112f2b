// Cursors: opaque to the caller, bound to the listing (and filters) they came from.
import { createHash } from 'node:crypto'
import { invalid } from '../errors.ts'
import { ID_PATTERN } from './id.ts'

export const PAGE_MAX = 100
export const PAGE_DEFAULT = 50

const BINDING_LENGTH = 8
const TIME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Where a page ended: the last row's sort time (null if the order is by id alone, or the row had none) and id. */
export type Position = { at: string | null; id: string }

/** Identifies one listing: the operation, the workspace and any filters that change which rows it walks. */
export type Listing = readonly (string | number | boolean | null | undefined)[]

const binding = (listing: Listing): string =>
  createHash('sha256').update(JSON.stringify(listing)).digest('base64url').slice(0, BINDING_LENGTH)

export const encodeCursor = (listing: Listing, position: Position): string =>
  Buffer.from(`${binding(listing)}${position.at ?? ''}~${position.id}`).toString('base64url')

/**
 * The position a cursor stands for. Throws VALIDATION_ERROR on `cursor` if it is malformed or belongs to another
 * listing.
 */
export const decodeCursor = (listing: Listing, cursor: string): Position => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [at, id] = text.slice(BINDING_LENGTH).split('~')
  if (
    Buffer.from(text, 'latin1').toString('base64url') !== cursor ||
    text.slice(0, BINDING_LENGTH) !== binding(listing) ||
    at === undefined ||
    (at !== '' && (!TIME_PATTERN.test(at) || Number.isNaN(Date.parse(at)))) ||
    id === undefined ||
    !ID_PATTERN.test(id)
  )
    throw invalid({ field: 'cursor', message: 'must be the nextCursor of the same list' })
  return { at: at === '' ? null : at, id }
}
