// The directory's filters as the queries take them.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { idFloor } from '../../platform/db/id.ts'
import type { Listing } from '../../platform/db/pagination.ts'
import { invalid } from '../../platform/errors.ts'
import { listOwnNumbers } from '../channel-accounts/queries.ts'
import { type DirectoryFilter, type ExactFilter, normalizeFilter } from './directory-filter.ts'
import type { ContactsQuery } from './directory-schema.ts'
import { readPhones } from './phone-spellings.ts'

export type DirectoryQuery = ContactsQuery & Pick<DirectoryFilter, 'exact' | 'fields' | 'createdFrom'>

/**
 * The query with its `email`, `phone`, `customFields` and `createdAfter` resolved. Throws VALIDATION_ERROR if the phone
 * cannot be read as one.
 */
export const readDirectoryQuery = async (ctx: Ctx, query: ContactsQuery): Promise<DirectoryQuery> => {
  const { email, phone, customFields, createdAfter } = query
  const fields = Object.entries(customFields ?? {}).map(objectsOf)
  const read: DirectoryQuery = {
    ...query,
    ...(fields.length > 0 && { fields }),
    ...(createdAfter !== undefined && { createdFrom: idFloor(Date.parse(createdAfter)) }),
  }
  if (email === undefined && phone === undefined) return read
  const exact: ExactFilter = { workspaceId: ctx.workspaceId, ...(email && { email: email.toLowerCase() }) }
  if (phone !== undefined) {
    exact.phones = readPhones(phone, isInternational(phone) ? [] : await listOwnNumbers(ctx))
    if (exact.phones.length === 0)
      throw invalid({ field: 'phone', message: 'must be a phone number with a country code' })
  }
  return { ...read, exact }
}

const isInternational = (phone: string): boolean => /^\s*(\+|00)/.test(phone)

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** A query string has only text: `12` is the number as well as the string, and `true` the boolean as well. */
const objectsOf = ([key, text]: [string, string]): string[] => {
  const value =
    text === 'true' || text === 'false' ? text === 'true' : NUMBER.test(text) ? Number(text) : undefined
  const isValue = typeof value === 'boolean' || Number.isFinite(value)
  return [text, ...(isValue ? [value] : [])].map((one) => JSON.stringify(Object.fromEntries([[key, one]])))
}

/** What a cursor is bound to. */
export const listingOf = (query: DirectoryQuery): Listing => {
  const { search, country, channel, assignment, hasOpen, exact, ...added } = normalizeFilter(query)
  return [
    ...[search, country, channel, assignment, hasOpen],
    exact && [exact.email ?? '', ...(exact.phones ?? [])].join('\n'),
    ...(Object.keys(added).length > 0 ? [JSON.stringify(added)] : []),
  ]
}
