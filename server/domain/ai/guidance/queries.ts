// All SQL of what the AI agent is told: its draft and versions.
import { sql } from 'kysely'
import { actorId } from '../../../platform/ctx/actor.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { type RecordedBy, recordedBy } from '../../accounts/recorded-by.ts'
import { type Guidance, type GuidanceVersions, VERSIONS_SHOWN_MAX } from './schema.ts'

type Place = Pick<Ctx, 'db' | 'workspaceId'>

/** Undefined if nothing was published. */
export const findLive = async ({
  db,
  workspaceId,
}: Place): Promise<{ version: number; guidance: Guidance } | undefined> =>
  db
    .selectFrom('ai_guidance as g')
    .innerJoin('ai_versions as v', (join) =>
      join.onRef('v.workspace_id', '=', 'g.workspace_id').onRef('v.number', '=', 'g.live_version'),
    )
    .select(['v.number as version', 'v.guidance'])
    .where('g.workspace_id', '=', workspaceId)
    .executeTakeFirst()

export type DraftRow = {
  draft: Guidance
  revision: number
  liveVersion: number | null
  hasChanges: boolean
  updatedBy: RecordedBy
  updatedAt: string
}

/** `isLocked`: against changes until the transaction ends. */
export const findDraft = async ({ db, workspaceId }: Place): Promise<DraftRow | undefined> => {
  const { rows } = await sql<DraftRow>`
    select g.draft, g.revision, g.live_version as "liveVersion", g.updated_at as "updatedAt",
      g.draft is distinct from (
        select v.guidance from ai_versions v where v.workspace_id = g.workspace_id and v.number = g.live_version
      ) as "hasChanges",
      ${recordedBy('g.updated_by')} as "updatedBy"
    from ai_guidance g where g.workspace_id = ${workspaceId}`.execute(db)
  return rows[0]
}

/**
 * Replaces the draft, whatever it is if `revision` is null. Undefined if it is no longer that revision, 0 being that
 * of no draft at all.
 */
export const saveDraftRow = async (
  { db, workspaceId, now, actor }: Ctx,
  guidance: Guidance,
  revision: number | null,
): Promise<{ revision: number; updatedAt: string } | undefined> => {
  const draft = JSON.stringify(guidance)
  const { rows } = await sql<{ revision: number; updatedAt: string }>`
    insert into ai_guidance as g (workspace_id, draft, revision, updated_by, updated_at)
    values (${workspaceId}, ${draft}::jsonb, 1, ${actorId(actor)}, ${now()})
    on conflict (workspace_id) do update
      set draft = excluded.draft, revision = g.revision + 1,
        updated_by = excluded.updated_by, updated_at = excluded.updated_at
      where ${revision}::integer is null or g.revision = ${revision}::integer
    returning revision, updated_at as "updatedAt"`.execute(db)
  return rows[0]
}

/** For the holder of the draft's lock. */
export const insertVersion = async (
  { db, workspaceId, now, actor }: Ctx,
  { version, guidance }: { version: number; guidance: Guidance },
): Promise<void> => {
  await db
    .insertInto('ai_versions')
    .values({
      workspace_id: workspaceId,
      number: version,
      guidance: JSON.stringify(guidance),
      published_by: actorId(actor),
      published_at: now(),
    })
    .execute()
  await db
    .updateTable('ai_guidance')
    .set({ live_version: version })
    .where('workspace_id', '=', workspaceId)
    .execute()
}

export const findVersion = async (
  { db, workspaceId }: Place,
  version: number,
): Promise<Guidance | undefined> => {
  const row = await db
    .selectFrom('ai_versions')
    .select('guidance')
    .where('workspace_id', '=', workspaceId)
    .where('number', '=', version)
    .executeTakeFirst()
  return row?.guidance
}

/** Newest first. */
export const listVersions = ({ db, workspaceId }: Place): Promise<GuidanceVersions> =>
  db
    .selectFrom('ai_versions as v')
    .select([
      'v.number as version',
      'v.published_at as publishedAt',
      recordedBy('v.published_by').as('publishedBy'),
    ])
    .where('v.workspace_id', '=', workspaceId)
    .orderBy('v.number', 'desc')
    .limit(VERSIONS_SHOWN_MAX)
    .execute()

export type Reference = { kind: 'tag' | 'flow' | 'action'; id: string }

/** Those of them that the workspace has; a flow that is archived doesn't count. One statement. */
export const findExisting = async (
  { db, workspaceId }: Place,
  references: readonly Reference[],
): Promise<Reference[]> => {
  const idsOf = (kind: Reference['kind']) => references.filter((one) => one.kind === kind).map(({ id }) => id)
  const { rows } = await sql<Reference>`
    select 'tag' as kind, id from tags where workspace_id = ${workspaceId} and id = any(${idsOf('tag')}::text[])
    union all
    select 'flow', id from flows where workspace_id = ${workspaceId} and id = any(${idsOf('flow')}::text[])
      and state <> 'archived'
    union all
    select 'action', id from actions where workspace_id = ${workspaceId}
      and id = any(${idsOf('action')}::text[])`.execute(db)
  return rows
}
