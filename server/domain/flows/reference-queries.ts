// SQL of what definitions refer to: by id, and for imports by name.
import { type RawBuilder, sql } from 'kysely'
import type { OtherFlow } from '../../../flow-engine/lint-contract.ts'
import type { ReferenceKind } from '../../../flow-engine/references.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'

/** `id` or `name` is null where it isn't known. A template's id is its name. */
export type Sought = { kind: ReferenceKind; id: string | null; name: string | null }

export type Referenced = {
  kind: ReferenceKind
  id: string
  name: string
  /** agent: whether they are online; flow: whether it is live; hours: whether they are the default ones. */
  flag: boolean | null
  /** template: as the provider has it. */
  definition: unknown
}

/**
 * What there is of it in the workspace, in one statement, by kind and name. The default hours are always included; AI
 * agents are not, because definitions name them `ai`. Files are those of messages: an upload that no message uses is
 * deleted after a day.
 */
export const listReferenced = async (
  ctx: Ctx,
  sought: readonly Sought[],
  seenSince: Date,
): Promise<Referenced[]> => {
  const tables = tablesOf(ctx.workspaceId, seenSince)
  // Planning takes longer than reading, so tables in which nothing is sought are left out.
  const kinds = new Set<ReferenceKind>(['hours', ...sought.map(({ kind }) => kind)])
  const { rows } = await sql<Referenced>`
    with sought as materialized (
      select s.kind, s.id, s.name from ${rowsOf(sought.length === 0 ? [{ kind: '' }] : sought)}
        as s (kind text, id text, name text)
    )
    ${sql.join(
      [...kinds].map((kind) => tables[kind]),
      sql` union all `,
    )}
    order by kind, name, id`.execute(ctx.db)
  return rows
}

/** A select for each kind; that of the hours, which comes first, names and types the columns. */
const tablesOf = (workspaceId: string, seenSince: Date): Record<ReferenceKind, RawBuilder<unknown>> => ({
  hours: sql`
    select 'hours' as kind, h.id::text, h.name, h.is_default as flag, null::jsonb as definition
    from business_hours h where h.workspace_id = ${workspaceId}
      and (h.is_default or exists (select from sought s where s.kind = 'hours' and (s.id = h.id or s.name = h.name)))`,
  tag: sql`
    select 'tag', t.id, t.name, null, null from tags t where t.workspace_id = ${workspaceId}
      and (t.id in (select id from sought where kind = 'tag')
        or t.name in (select name from sought where kind = 'tag'))`,
  agent: sql`
    select 'agent', a.id, a.nickname, coalesce(a.last_seen_at >= ${seenSince}, false), null
    from memberships m join accounts a on a.id = m.account_id
    where m.workspace_id = ${workspaceId} and m.removed_at is null and not a.is_ai
      and exists (select from sought s where s.kind = 'agent' and (s.id = a.id or s.name = a.nickname))`,
  team: sql`
    select 'team', t.id, t.name, null, null from teams t where t.workspace_id = ${workspaceId} and t.removed_at is null
      and exists (select from sought s where s.kind = 'team' and (s.id = t.id or s.name = t.name))`,
  action: sql`
    select 'action', a.id, a.name, null, null from actions a where a.workspace_id = ${workspaceId}
      and exists (select from sought s where s.kind = 'action' and (s.id = a.id or s.name = a.name))`,
  account: sql`
    select 'account', c.id, c.name, null, null from channel_accounts c where c.workspace_id = ${workspaceId} and c.removed_at is null
      and exists (select from sought s where s.kind = 'account' and (s.id = c.id or s.name = c.name))`,
  flow: sql`
    select 'flow', f.id, f.name, f.state = 'live', null from flows f
    where f.workspace_id = ${workspaceId} and f.state <> 'archived'
      and exists (select from sought s where s.kind = 'flow' and (s.id = f.id or s.name = f.name))`,
  attachment: sql`
    select 'attachment', f.id, f.name, null, null from sought s
      join attachments f on f.workspace_id = ${workspaceId} and f.id = s.id and f.state = 'stored'
        and f.message_id is not null
    where s.kind = 'attachment'`,
  template: sql`
    select 'template', t.name, t.language, null, t.definition from whatsapp_templates t
    where t.workspace_id = ${workspaceId}
      and exists (select from sought s where s.kind = 'template' and s.id = t.name)`,
})

/** Of the JSON of a flow whose blocks are read to check another one. */
const BLOCKS_LENGTH_MAX = 64 * 1024

/**
 * The other flows that were published and aren't archived: what starts them and which flows they call, which is all
 * that is compared. The rest of a definition may be large: its blocks are read only of flows that continue in others,
 * to see whether they wait before, and up to a length.
 */
export const listOtherFlows = async ({ db, workspaceId }: Ctx, exceptId: string): Promise<OtherFlow[]> => {
  const { rows } = await sql<{ flows: OtherFlow[] }>`
    select coalesce(json_agg(json_build_object(
      'id', f.id, 'name', f.name, 'isLive', f.state = 'live', 'position', f.position,
      'definition', (
        select json_object_agg(key, value) from json_each(v.definition)
        where key in ('schema', 'kind', 'language', 'triggers', 'audience', 'reentry', 'interrupts', 'start')
      )::jsonb || jsonb_build_object('blocks', case
        when length(v.definition::text) <= ${BLOCKS_LENGTH_MAX}::integer
          and v.definition::jsonb @? '$.blocks.*.steps[*] ? (@.type == "flow" && @.as == "instead")'
        then v.definition::jsonb -> 'blocks'
        else jsonb_build_object('*', jsonb_build_object('steps',
          jsonb_path_query_array(v.definition::jsonb, '$.blocks.*.steps[*] ? (@.type == "flow")'))) end)
    ) order by f.position, f.id), '[]') as flows
    from flows f
    join flow_versions v on v.workspace_id = f.workspace_id and v.flow_id = f.id and v.version = f.live_version
    where f.workspace_id = ${workspaceId} and f.state in ('live', 'paused') and f.id <> ${exceptId}`.execute(
    db,
  )
  return rows[0]!.flows
}

/** The channels that the workspace has accounts on. */
export const listChannels = async ({ db, workspaceId }: Ctx) => {
  const rows = await db
    .selectFrom('channel_accounts')
    .select('channel')
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .where('removed_at', 'is', null)
    .execute()
  return rows.map(({ channel }) => channel)
}
