// SQL of what a test of the AI agent takes from its workspace.
import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { hidesContacts } from '../settings-queries.ts'
import type { Context } from '../turn/known/context-queries.ts'

export type Surroundings = Pick<Context, 'workspaceName' | 'memberEmails' | 'hours' | 'hidesContacts'> & {
  hasKnowledge: boolean
}

export const findSurroundings = async ({ db, workspaceId }: Ctx): Promise<Surroundings> => {
  const { rows } = await sql<Surroundings>`
    select w.name as "workspaceName", ${hidesContacts(workspaceId)} as "hidesContacts",
      array(select a.email from memberships m join accounts a on a.id = m.account_id
        where m.workspace_id = ${workspaceId} and m.removed_at is null and m.role <> 'ai') as "memberEmails",
      (select coalesce(json_agg(json_build_object('id', h.id, 'timeZone', h.time_zone, 'weekly', h.weekly,
          'exceptions', h.exceptions, 'isDefault', h.is_default) order by h.is_default desc, h.name_key), '[]')
        from business_hours h where h.workspace_id = ${workspaceId}) as hours,
      exists (select from knowledge_items i
        where i.workspace_id = ${workspaceId} and i.state = 'published' and not i.is_internal) as "hasKnowledge"
    from workspaces w where w.id = ${workspaceId}`.execute(db)
  return rows[0]!
}
