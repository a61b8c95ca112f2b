import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { PUBLIC_TYPES } from '../feed/catalogue.ts'
import type { WebhookFilter } from './schema.ts'

/** Instead of an agent: assigned to nobody. */
const NONE = 'none'

/** Whether a type of event is the one named, or of the group named. */
export const isOfType = (type: string, name: string): boolean =>
  type === name || `${type.split('.')[0]}.*` === name

/** Throws VALIDATION_ERROR for a type that there is not. */
export const checkTypes = (types: readonly string[] | null | undefined, field: string): void => {
  const known = Object.keys(PUBLIC_TYPES)
  for (const [index, name] of (types ?? []).entries())
    if (!known.some((type) => isOfType(type, name)))
      throw invalid({ field: `${field}[${index}]`, message: 'is not a type of event' })
}

/** Throws VALIDATION_ERROR for an agent or tag that the workspace doesn't have. */
export const checkFilter = async (
  { db, workspaceId }: Ctx,
  { agentIds = [], tagIds = [] }: WebhookFilter,
): Promise<void> => {
  if (agentIds.length + tagIds.length === 0) return
  const { rows } = await sql<{ id: string }>`
    select account_id as id from memberships
    where workspace_id = ${workspaceId} and account_id = any (${agentIds}::text[]) and removed_at is null
    union all
    select id from tags where workspace_id = ${workspaceId} and id = any (${tagIds}::text[])`.execute(db)
  const known = new Set([NONE, ...rows.map(({ id }) => id)])
  const refuse = (field: string, ids: readonly string[], what: string) => {
    if (ids.some((id) => !known.has(id)))
      throw invalid({ field: `filter.${field}`, message: `has an id that is not ${what} of this workspace` })
  }
  refuse('agentIds', agentIds, 'an agent')
  refuse('tagIds', tagIds, 'a tag')
}
