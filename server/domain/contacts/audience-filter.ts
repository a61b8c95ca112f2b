import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { storableTime } from '../../platform/db/storable-time.ts'
import { invalid } from '../../platform/errors.ts'
import type { AudienceFilter } from './audience-schema.ts'
import { allConditions, type DirectoryFilter, normalizeFilter, whereAll } from './directory-filter.ts'

/**
 * The people of an audience as a statement: contact_id, the position at which the caller listed them, and their own
 * parameters. A person may occur several times; the first position counts.
 */
export type People = RawBuilder<unknown>

type ContactFilter = DirectoryFilter & {
  tagIds?: string[]
  customFields?: Record<string, string | number | boolean>
  activeAfter?: string
  activeBefore?: string
}

/** The contacts that a filter finds. `filter` is normalized; omitted conditions filter nothing. */
export const contactsMatching = ({ workspaceId }: Ctx, filter: ContactFilter): People => {
  const { tagIds, customFields, activeAfter, activeBefore, ...directory } = filter
  const where = whereAll(workspaceId, [
    ...allConditions(directory),
    ...(customFields ? [sql`c.custom_fields @> ${JSON.stringify(customFields)}::jsonb`] : []),
    ...(activeAfter ? [sql`c.last_activity_at >= ${activeAfter}::timestamptz`] : []),
    ...(activeBefore ? [sql`c.last_activity_at <= ${activeBefore}::timestamptz`] : []),
    ...(tagIds
      ? [
          sql`(select count(*) from contact_tags t where t.workspace_id = c.workspace_id and t.contact_id = c.id
            and t.tag_id = any(${tagIds}::text[])) = ${tagIds.length}::integer`,
        ]
      : []),
  ])
  return sql`select c.id as contact_id, 0::bigint as place, null::jsonb as parameters from contacts c where ${where}`
}

/** An empty condition counts as none: a filter that matches everyone was hardly intended. */
export const readFilter = (
  { tagIds, customFields, activeAfter, activeBefore, ...directory }: AudienceFilter,
  field = 'audience.filter',
): ContactFilter => {
  const filter: ContactFilter = {
    ...normalizeFilter(directory),
    ...(tagIds && tagIds.length > 0 && { tagIds: [...new Set(tagIds)] }),
    ...(customFields && Object.keys(customFields).length > 0 && { customFields }),
    ...(activeAfter && { activeAfter: storableTime(activeAfter) }),
    ...(activeBefore && { activeBefore: storableTime(activeBefore) }),
  }
  if (Object.keys(filter).length > 0) return filter
  throw invalid({ field, message: 'must have at least one condition' })
}
