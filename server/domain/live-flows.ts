// Which live flows refer to something, for what must not be deleted under them.
import { sql } from 'kysely'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { invalid } from '../platform/errors.ts'

const NAMED_MAX = 5

/**
 * Throws VALIDATION_ERROR naming the flows that are live or paused and whose published version has something at a
 * jsonpath. `$id` in the path is the id given, or any of several. A run of an older version can still refer to it, and then goes to its
 * `onFailed`.
 */
export const refuseWhileUsed = async (
  { db, workspaceId }: Ctx,
  { path, id }: { path: string; id: string | readonly string[] },
): Promise<void> => {
  const { rows } = await sql<{ name: string }>`
    select f.name from flows f join flow_versions v
      on v.workspace_id = f.workspace_id and v.flow_id = f.id and v.version = f.live_version
    where f.workspace_id = ${workspaceId} and f.state in ('live', 'paused')
      and jsonb_path_exists(v.definition::jsonb, ${path}::jsonpath, jsonb_build_object('id', ${JSON.stringify(id)}::jsonb))
    order by f.name_key
    limit ${NAMED_MAX}::integer`.execute(db)
  if (rows.length === 0) return
  const names = rows.map(({ name }) => `“${name}”`).join(', ')
  throw invalid({ field: 'id', message: `is used by ${names}. Change or archive the flow first` })
}
