// The directory's filters by exact email or phone.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { listOwnNumbers } from '../channel-accounts/queries.ts'
import type { ExactFilter } from './directory-filter.ts'
import type { ContactsQuery } from './directory-schema.ts'
import { readPhones } from './phone-spellings.ts'

export type DirectoryQuery = ContactsQuery & { exact?: ExactFilter }

/** The query with its `email` and `phone` resolved. Throws VALIDATION_ERROR if the phone cannot be read as one. */
export const readExactFilter = async (ctx: Ctx, query: ContactsQuery): Promise<DirectoryQuery> => {
  const { email, phone } = query
  if (email === undefined && phone === undefined) return query
  const exact: ExactFilter = { workspaceId: ctx.workspaceId, ...(email && { email: email.toLowerCase() }) }
  if (phone !== undefined) {
    exact.phones = readPhones(phone, isInternational(phone) ? [] : await listOwnNumbers(ctx))
    if (exact.phones.length === 0)
      throw invalid({ field: 'phone', message: 'must be a phone number with a country code' })
  }
  return { ...query, exact }
}

const isInternational = (phone: string): boolean => /^\s*(\+|00)/.test(phone)

/** What a cursor is bound to. */
export const keyOf = (exact: ExactFilter | undefined): string | undefined =>
  exact && [exact.email ?? '', ...(exact.phones ?? [])].join('\n')
