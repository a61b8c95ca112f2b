// The SQL of the browsers that a contact has.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { momentText } from '../../platform/db/select-list.ts'
import type { Visit } from './schema.ts'

/** Of the browser that was seen last. */
export const findVisit = async ({ db, workspaceId }: Ctx, contactId: string): Promise<Visit> => {
  const { rows } = await sql<NonNullable<Visit>>`
    select page, locale, time_zone as "timeZone", ${momentText(sql<string>`seen_at`)} as "seenAt" from visitors
    where workspace_id = ${workspaceId} and contact_id = ${contactId}
    order by seen_at desc limit 1`.execute(db)
  return rows[0] ?? null
}

/** Moves one contact's browsers to another, or some of them. */
export const moveVisitors = async (
  { db, workspaceId }: Ctx,
  from: string,
  to: string,
  ids: readonly string[] | null = null,
): Promise<void> => {
  await sql`
    update visitors set contact_id = ${to} where workspace_id = ${workspaceId} and contact_id = ${from}
      and (${ids}::text[] is null or id = any(${ids}::text[]))`.execute(db)
}
