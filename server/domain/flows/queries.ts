// SQL of flows as people edit them: drafts, versions and their order. What automation reads is in live-queries.ts.
import { sql } from 'kysely'
import type { Problem } from '../../../flow-engine/problems.ts'
import { actorId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { seesAll } from '../../platform/ctx/permissions.ts'
import { idFloor } from '../../platform/db/id.ts'
import { selected } from '../../platform/db/select-list.ts'
import { recordedBy } from '../accounts/recorded-by.ts'
import type { FlowDetails } from './editor-schema.ts'
import {
  ARCHIVED_SHOWN_MAX,
  FLOWS_MAX,
  type FlowState,
  type FlowSummary,
  RUNS_COUNTED_DAYS,
  RUNS_COUNTED_MAX,
  VERSIONS_SHOWN_MAX,
} from './schema.ts'

const DAY_MS = 86_400_000

const time = (column: string) =>
  sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const SUMMARY = {
  id: sql<string>`f.id`,
  name: sql<string>`f.name`,
  kind: sql<FlowSummary['kind']>`f.kind`,
  state: sql<FlowState>`f.state`,
  version: sql<number | null>`f.live_version`,
  position: sql<number>`f.position`,
  hasChanges: sql<boolean>`f.published_revision is distinct from f.draft_revision`,
  createdAt: time('f.created_at'),
  updatedAt: time('f.updated_at'),
  publishedAt: sql<string | null>`${time('v.published_at')}`,
}

/** Null for those who see only some of the conversations: the numbers are of all. */
const runCounts = ({ actor, now }: Ctx) => {
  if (!seesAll(actor)) return sql<FlowSummary['runs']>`null::json`
  const since = idFloor(now().getTime() - RUNS_COUNTED_DAYS * DAY_MS)
  const count = (status: string, from: string) => sql<number>`(select count(*) from (
    select from flow_runs r
    where r.workspace_id = f.workspace_id and r.flow_id = f.id and r.status = ${status} and r.id >= ${from}
    limit ${RUNS_COUNTED_MAX}) counted)`
  return sql<FlowSummary['runs']>`json_build_object('running', ${count('running', '')},
    'completed', ${count('completed', since)}, 'failed', ${count('failed', since)},
    'cancelled', ${count('cancelled', since)})`
}

const summaryColumns = (ctx: Ctx) => selected({ ...SUMMARY, runs: runCounts(ctx) })

/** Flows with counts of their runs, in one statement. */
export const listFlowRows = async (ctx: Ctx, state: FlowState | undefined): Promise<FlowSummary[]> => {
  const isArchive = state === 'archived'
  const { rows } = await sql<FlowSummary>`
    select ${summaryColumns(ctx)}
    from flows f
    left join flow_versions v on v.workspace_id = f.workspace_id and v.flow_id = f.id and v.version = f.live_version
    where f.workspace_id = ${ctx.workspaceId}
      and ${state === undefined ? sql`f.state <> 'archived'` : sql`f.state = ${state}`}
    order by ${isArchive ? sql`f.updated_at desc, f.id` : sql`f.position, f.id`}
    limit ${isArchive ? ARCHIVED_SHOWN_MAX : FLOWS_MAX}`.execute(ctx.db)
  return rows
}

export const findFlowSummary = async (
  ctx: Ctx,
  flowId: string,
): Promise<(FlowSummary & { definition: object | null }) | undefined> => {
  const { rows } = await sql<FlowSummary & { definition: object | null }>`
    select ${summaryColumns(ctx)}, v.definition
    from flows f
    left join flow_versions v on v.workspace_id = f.workspace_id and v.flow_id = f.id and v.version = f.live_version
    where f.workspace_id = ${ctx.workspaceId} and f.id = ${flowId}`.execute(ctx.db)
  return rows[0]
}

/** Everything that the editor opens with, in one statement. */
export const findFlowDetails = async (ctx: Ctx, flowId: string): Promise<FlowDetails['flow'] | undefined> => {
  const { rows } = await sql<FlowDetails['flow']>`
    select ${summaryColumns(ctx)}, f.draft, f.draft_revision as "draftRevision",
      ${recordedBy('f.updated_by')} as "updatedBy",
      (select coalesce(json_agg(json_build_object('version', l.version, 'note', l.note,
          'warnings', coalesce(l.warnings, '[]'), 'publishedAt', ${time('l.published_at')},
          'publishedBy', ${recordedBy('l.published_by')}) order by l.version desc), '[]')
        from (select * from flow_versions where workspace_id = f.workspace_id and flow_id = f.id
          order by version desc limit ${VERSIONS_SHOWN_MAX}) l) as versions,
      (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'scenario', t.scenario)
          order by t.id), '[]')
        from flow_tests t where t.workspace_id = f.workspace_id and t.flow_id = f.id) as tests
    from flows f
    left join flow_versions v on v.workspace_id = f.workspace_id and v.flow_id = f.id and v.version = f.live_version
    where f.workspace_id = ${ctx.workspaceId} and f.id = ${flowId}`.execute(ctx.db)
  return rows[0]
}

export type FlowRow = {
  id: string
  name: string
  kind: FlowSummary['kind']
  state: FlowState
  version: number | null
  position: number
  draftRevision: number
  publishedRevision: number | null
}

const ROW = sql`id, name, kind, state, live_version as version, position, draft_revision as "draftRevision",
  published_revision as "publishedRevision"`

/** The flow, locked until the transaction ends, so that changes to it run one at a time. */
export const lockFlow = async ({ db, workspaceId }: Ctx, flowId: string): Promise<FlowRow | undefined> => {
  const { rows } = await sql<FlowRow>`
    select ${ROW} from flows where workspace_id = ${workspaceId} and id = ${flowId}
    for no key update`.execute(db)
  return rows[0]
}

/** The flow with its draft as JSON text. */
export const findDraft = async (
  { db, workspaceId }: Ctx,
  flowId: string,
): Promise<(FlowRow & { draft: string }) | undefined> => {
  const { rows } = await sql<FlowRow & { draft: string }>`
    select ${ROW}, draft::text as draft from flows
    where workspace_id = ${workspaceId} and id = ${flowId}`.execute(db)
  return rows[0]
}

/** Names (folded) and the last position of the flows that aren't archived. For the holder of the workspace's lock. */
export const listNames = async ({
  db,
  workspaceId,
}: Ctx): Promise<{ id: string; nameKey: string; position: number }[]> =>
  db
    .selectFrom('flows')
    .select(['id', 'name_key as nameKey', 'position'])
    .where('workspace_id', '=', workspaceId)
    .where('state', '<>', 'archived')
    .execute()

type NewFlowRow = {
  name: string
  nameKey: string
  kind: FlowSummary['kind']
  position: number
  /** JSON text. */
  draft: string
}

export const insertFlow = async (
  { db, workspaceId, newId, now, actor }: Ctx,
  { name, nameKey, kind, position, draft }: NewFlowRow,
): Promise<string> => {
  const id = newId()
  const at = now()
  await db
    .insertInto('flows')
    .values({
      workspace_id: workspaceId,
      id,
      name,
      name_key: nameKey,
      kind,
      position,
      draft,
      updated_by: actorId(actor),
      created_at: at,
      updated_at: at,
    })
    .execute()
  return id
}

type FlowChange = {
  name?: string
  nameKey?: string
  kind?: FlowSummary['kind']
  state?: FlowState
  version?: number
  position?: number
  draft?: string
  draftRevision?: number
  publishedRevision?: number
}

/** Returns when. */
export const updateFlow = async (
  { db, workspaceId, now, actor }: Ctx,
  flowId: string,
  change: FlowChange,
): Promise<string> => {
  const { name, nameKey, kind, state, version, position, draft, draftRevision, publishedRevision } = change
  const { updatedAt } = await db
    .updateTable('flows')
    .set({
      ...(name !== undefined && { name }),
      ...(nameKey !== undefined && { name_key: nameKey }),
      ...(kind !== undefined && { kind }),
      ...(state !== undefined && { state }),
      ...(version !== undefined && { live_version: version }),
      ...(position !== undefined && { position }),
      ...(draft !== undefined && { draft }),
      ...(draftRevision !== undefined && { draft_revision: draftRevision }),
      ...(publishedRevision !== undefined && { published_revision: publishedRevision }),
      updated_by: actorId(actor),
      updated_at: now(),
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', flowId)
    .returning('updated_at as updatedAt')
    .executeTakeFirstOrThrow()
  return updatedAt
}

export const deleteFlowRow = async ({ db, workspaceId }: Ctx, flowId: string): Promise<void> => {
  await db.deleteFrom('flows').where('workspace_id', '=', workspaceId).where('id', '=', flowId).execute()
}

/** Gives the flows their places in the list, in one statement. */
export const updatePositions = async (
  { db, workspaceId }: Ctx,
  flowIds: readonly string[],
): Promise<void> => {
  await sql`
    update flows f set position = o.position
    from unnest(${flowIds}::text[]) with ordinality as o (id, position)
    where f.workspace_id = ${workspaceId} and f.id = o.id and f.position <> o.position`.execute(db)
}

/** The definition as JSON text, and its hash. */
export const findVersionText = async (
  { db, workspaceId }: Ctx,
  flowId: string,
  version: number,
): Promise<{ definition: string; hash: string } | undefined> => {
  const { rows } = await sql<{ definition: string; hash: string }>`
    select definition::text as definition, encode(hash, 'hex') as hash from flow_versions
    where workspace_id = ${workspaceId} and flow_id = ${flowId} and version = ${version}`.execute(db)
  return rows[0]
}

type NewVersion = {
  flowId: string
  version: number
  definition: string
  hash: string
  note: string | null
  warnings: readonly Problem[]
}

export const insertVersion = async (
  { db, workspaceId, now, actor }: Ctx,
  { flowId, version, definition, hash, note, warnings }: NewVersion,
): Promise<void> => {
  await db
    .insertInto('flow_versions')
    .values({
      workspace_id: workspaceId,
      flow_id: flowId,
      version,
      definition,
      hash: Buffer.from(hash, 'hex'),
      note,
      warnings: warnings.length > 0 ? JSON.stringify(warnings) : null,
      published_by: actorId(actor),
      published_at: now(),
    })
    .execute()
}
