// Which custom fields contacts have. Nothing keeps a list of them, so this looks at a bounded number of the contacts that a
// team works with, however many there are. See docs/decisions/0054-notes-and-lists-for-programs.md.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { sightOf } from '../../platform/ctx/permissions.ts'
import { type ContactField, FIELDS_LISTED_MAX, SAMPLED_MAX, VALUES_READ_MAX } from './fields-schema.ts'

const BY_ACTIVITY = sql`last_activity_at desc nulls last, id desc`

/** The most frequent first. Tokens that are limited to channels only see fields of contacts that they see. */
export const listContactFields = async ({ db, workspaceId, actor }: Ctx): Promise<ContactField[]> => {
  const { channels } = sightOf(actor)
  const latest = (condition: ReturnType<typeof sql>, order: ReturnType<typeof sql>) => sql`
    (select id from contacts where workspace_id = ${workspaceId} and ${condition} order by ${order} limit ${sql.lit(SAMPLED_MAX)})`
  // The channel is a literal, so that the plan can use its partial index.
  const ranges = channels
    ? channels.map((channel) => latest(sql`${sql.lit(channel)}::text = any (channels)`, BY_ACTIVITY))
    : [latest(sql`true`, BY_ACTIVITY), latest(sql`true`, sql`id desc`)]
  const { rows } = await sql<ContactField>`
    with sample as materialized (select id from (${sql.join(ranges, sql` union `)}) s order by id desc),
    value as materialized (
      select s.id, f.key, f.value
      from sample s
      join lateral (
        select custom_fields from contacts
        where workspace_id = ${workspaceId} and id = s.id and custom_fields <> '{}' offset 0
      ) c on true
      cross join lateral jsonb_each(c.custom_fields) f
      limit ${sql.lit(VALUES_READ_MAX)}
    )
    select key, array_agg(distinct jsonb_typeof(value)) as types, count(*)::integer as count,
      (array_agg(value order by id desc))[1] as example
    from value
    group by key
    order by count(*) desc, key
    limit ${sql.lit(FIELDS_LISTED_MAX)}`.execute(db)
  return rows
}
