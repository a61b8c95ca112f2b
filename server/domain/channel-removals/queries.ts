import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { COUNT_MAX, FLOWS_MAX, type RemovalPreview } from './schema.ts'

/** Flows name an account by its id. */
export const findAffected = async ({ db, workspaceId }: Ctx, id: string): Promise<RemovalPreview> => {
  const counted = (from: ReturnType<typeof sql>) =>
    sql`(select count(*)::integer from (select ${from} limit ${sql.lit(COUNT_MAX)}) n)`
  const { rows } = await sql<RemovalPreview>`
    select
      ${counted(sql`from conversations c where c.workspace_id = ${workspaceId} and c.channel_account_id = ${id}`)}
        as conversations,
      ${counted(sql`from conversations c where c.workspace_id = ${workspaceId} and c.channel_account_id = ${id}
        and c.status = 'open'`)} as open,
      ${counted(sql`from deliveries d where d.workspace_id = ${workspaceId} and d.channel_account_id = ${id}
        and d.state = 'pending'`)} as waiting,
      coalesce((select json_agg(json_build_object('id', f.id, 'name', f.name) order by f.name, f.id) from (
        select f.id, f.name from flows f
        join flow_versions v on v.workspace_id = f.workspace_id and v.flow_id = f.id and v.version = f.live_version
        where f.workspace_id = ${workspaceId} and f.state in ('live', 'paused')
          and position(${id} in v.definition::text) > 0
        order by f.name, f.id limit ${sql.lit(FLOWS_MAX)}) f), '[]') as flows,
      (select r.delete_after_days from retention_rules r
        where r.workspace_id = ${workspaceId} and r.channel_account_id = ${id}) as "deleteAfterDays"`.execute(
    db,
  )
  return rows[0]!
}
