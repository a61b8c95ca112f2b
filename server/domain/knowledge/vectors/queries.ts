// All SQL of vectors.
import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { isAtWork } from '../../../platform/db/closed-workspaces.ts'
import type { Db } from '../../../platform/db/pool.ts'

/** What has a vector: every chunk up to this number was given to this model. */
export type Progress = { model: string | null; chunk: number }

export type State = Progress & {
  /** Chunks of the workspace. */
  chunkCount: number
}

/** Undefined if nothing was ever published. */
export const findState = async ({ db, workspaceId }: Ctx): Promise<State | undefined> => {
  const { rows } = await sql<State>`
    select embedded_model as model, embedded_chunk as chunk,
      (select coalesce(sum(chunks), 0)::integer from knowledge_languages where workspace_id = ${workspaceId})
        as "chunkCount"
    from knowledge_indexes where workspace_id = ${workspaceId}`.execute(db)
  return rows[0]
}

/** Workspaces with an embedding model and chunks that it wasn't given yet, in any order, so that each gets its turn. */
export const listBehind = async (db: Db, max: number): Promise<string[]> => {
  const { rows } = await sql<{ workspaceId: string }>`
    select p.workspace_id as "workspaceId" from ai_providers p
    join knowledge_indexes i on i.workspace_id = p.workspace_id
    where p.is_enabled and p.embedding_model is not null and i.last_chunk > 0 and ${isAtWork('p.workspace_id')}
      and (i.embedded_model is distinct from p.embedding_model or i.embedded_chunk < i.last_chunk)
    order by random() limit ${max}::integer`.execute(db)
  return rows.map(({ workspaceId }) => workspaceId)
}

export type Unembedded = {
  number: number
  title: string
  headings: string
  text: string
  phrasings: string[]
}

/** The first chunks after a number. `last`: the last number that was given out when they were read. */
export const listUnembedded = async (
  { db, workspaceId }: Ctx,
  after: number,
  max: number,
): Promise<{ chunks: Unembedded[]; last: number }> => {
  const { rows } = await sql<{ chunks: Unembedded[]; last: number }>`
    select i.last_chunk as last, coalesce((
      select json_agg(json_build_object('number', c.number, 'title', k.title, 'headings', c.headings,
        'text', case when k.kind = 'article' then c.text else '' end, 'phrasings', k.phrasings) order by c.number)
      from (
        select number, item_id, headings, text from knowledge_chunks
        where workspace_id = ${workspaceId} and number > ${after}::integer order by number limit ${max}::integer
      ) c
      join knowledge_items k on k.workspace_id = ${workspaceId} and k.id = c.item_id
    ), '[]') as chunks
    from knowledge_indexes i where i.workspace_id = ${workspaceId}`.execute(db)
  return rows[0] ?? { chunks: [], last: after }
}

/** Locks the index until the transaction ends. False if another process went on from there meanwhile. */
export const lockProgress = async (
  { db, workspaceId }: Ctx,
  { model, chunk }: Progress,
): Promise<boolean> => {
  const { rows } = await sql`
    select from knowledge_indexes
    where workspace_id = ${workspaceId} and embedded_model is not distinct from ${model} and embedded_chunk = ${chunk}
    for no key update`.execute(db)
  return rows.length > 0
}

/** Stores vectors of the chunks that still exist, and how far they go. For the holder of the lock. */
export const storeVectors = async (
  { db, workspaceId }: Ctx,
  { model, chunk }: Progress,
  vectors: readonly { number: number; vector: Buffer }[],
): Promise<void> => {
  await sql`
    with stored as (
      insert into knowledge_vectors (workspace_id, chunk, model, vector)
      select ${workspaceId}, c.number, ${model}, g.vector
      from unnest(${vectors.map(({ number }) => number)}::integer[], ${vectors.map(({ vector }) => vector)}::bytea[])
        g (number, vector)
      join knowledge_chunks c on c.workspace_id = ${workspaceId} and c.number = g.number
      on conflict (workspace_id, chunk) do update set model = excluded.model, vector = excluded.vector
    )
    update knowledge_indexes set embedded_model = ${model}, embedded_chunk = ${chunk}
    where workspace_id = ${workspaceId}`.execute(db)
}

export type StoredVector = { chunk: number; vector: Buffer }

/** Of a model, from after a number up to another. */
export const listVectors = async (
  { db, workspaceId }: Ctx,
  { model, after, until }: { model: string; after: number; until: number },
): Promise<StoredVector[]> => {
  const { rows } = await sql<StoredVector>`
    select chunk, vector from knowledge_vectors
    where workspace_id = ${workspaceId} and model = ${model} and chunk > ${after}::integer
      and chunk <= ${until}::integer
    order by chunk`.execute(db)
  return rows
}

export const listVectorsOf = async (
  { db, workspaceId }: Ctx,
  model: string,
  chunks: readonly number[],
): Promise<StoredVector[]> => {
  const { rows } = await sql<StoredVector>`
    select chunk, vector from knowledge_vectors
    where workspace_id = ${workspaceId} and model = ${model} and chunk = any(${chunks}::integer[])`.execute(
    db,
  )
  return rows
}
