// SQL of what automation reads all the time: the flows that are live, and versions.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { AI_MODES, ChannelName } from '../../platform/db/tables.ts'

/** The workspace's revision: whether anything changed that decides what starts. */
export const findAutomationRevision = async ({ db, workspaceId }: Ctx): Promise<number | undefined> => {
  const row = await db
    .selectFrom('workspaces')
    .select('automation_revision as revision')
    .where('id', '=', workspaceId)
    .executeTakeFirst()
  return row?.revision
}

/** `aiModes`: where the AI agent speaks, by channel; see ai_settings.speaking. */
export type AiModes = Partial<Record<ChannelName, (typeof AI_MODES)[number]>>
type LiveRow = { revision: number; flows: string; aiModes: AiModes }

/** Everything live, with the revision that it belongs to, in one statement: both are of the same moment. */
export const readLiveFlows = async ({ db, workspaceId }: Ctx): Promise<LiveRow> => {
  const { rows } = await sql<LiveRow>`
    select w.automation_revision as revision, (
      select coalesce(json_agg(json_build_object(
        'id', f.id, 'name', f.name, 'version', f.live_version, 'position', f.position,
        'definition', (
          select json_object_agg(key, value) from json_each(v.definition)
          where key in ('kind', 'triggers', 'audience', 'reentry', 'interrupts', 'onPerson')
        )
      ) order by f.position, f.id), '[]')::text
      from flows f
      join flow_versions v on v.workspace_id = f.workspace_id and v.flow_id = f.id and v.version = f.live_version
      where f.workspace_id = w.id and f.state = 'live'
    ) as flows, (
      select coalesce(json_object_agg(c.key, c.value ->> 'mode'), '{}')
      from ai_settings s cross join jsonb_each(s.speaking) c
      where s.workspace_id = w.id and not s.is_stopped
    ) as "aiModes"
    from workspaces w where w.id = ${workspaceId}`.execute(db)
  return rows[0] ?? { revision: 0, flows: '[]', aiModes: {} }
}

export type VersionKey = { flowId: string; version: number }

/** The definitions of versions, as JSON text. */
export const readVersions = async (
  { db, workspaceId }: Ctx,
  keys: readonly VersionKey[],
): Promise<(VersionKey & { definition: string })[]> => {
  const { rows } = await sql<VersionKey & { definition: string }>`
    select v.flow_id as "flowId", v.version, v.definition::text as definition
    from unnest(${keys.map(({ flowId }) => flowId)}::text[], ${keys.map(({ version }) => version)}::int[])
      as k (flow_id, version)
    join flow_versions v on v.workspace_id = ${workspaceId} and v.flow_id = k.flow_id and v.version = k.version`.execute(
    db,
  )
  return rows
}
