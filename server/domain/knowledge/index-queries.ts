// The SQL that keeps the index: chunks, terms and their counts. Every change first locks the workspace's index.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { STEMMERS } from './languages.ts'
import type { NewChunk } from './make-chunks.ts'

/** Locks the workspace's index until the transaction ends, reserves numbers for chunks, and returns the first. */
export const lockIndex = async ({ db, workspaceId }: Ctx, chunkCount: number): Promise<number> => {
  const { rows } = await sql<{ first: number }>`
    insert into knowledge_indexes as i (workspace_id, last_chunk) values (${workspaceId}, ${chunkCount})
    on conflict (workspace_id) do update set last_chunk = i.last_chunk + ${chunkCount}
    returning i.last_chunk - ${chunkCount}::integer + 1 as first`.execute(db)
  return rows[0]!.first
}

export const countChunks = async ({ db, workspaceId }: Ctx): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(chunks), 0)::integer as count from knowledge_languages
    where workspace_id = ${workspaceId}`.execute(db)
  return rows[0]!.count
}

/** Takes the chunks of items out of the index, in one statement. `language` is the one that they were made in. */
export const removeChunks = async (
  { db, workspaceId }: Ctx,
  items: readonly { itemId: string; language: string }[],
): Promise<void> => {
  await sql`
    with items as (
      select * from unnest(
        ${items.map(({ itemId }) => itemId)}::text[], ${items.map(({ language }) => language)}::text[]
      ) i (item_id, language)
    ), gone as (
      delete from knowledge_chunks c using items i where c.workspace_id = ${workspaceId} and c.item_id = i.item_id
      returning c.number, c.words, c.grams, c.terms, i.language
    ), listed as materialized (
      select number, unnest(terms) collate "C" as term from gone
    ), unlisted as (
      delete from knowledge_terms t using listed l
      where t.workspace_id = ${workspaceId} and t.term = l.term and t.chunk = l.number
    ), less as materialized (
      select term, count(*)::integer as chunks from listed group by term
    ), fewer as (
      update knowledge_term_counts c set chunks = c.chunks - less.chunks from less
      where c.workspace_id = ${workspaceId} and c.term = less.term and c.chunks > less.chunks
    ), none as (
      delete from knowledge_term_counts c using less
      where c.workspace_id = ${workspaceId} and c.term = less.term and c.chunks = less.chunks
    )
    update knowledge_languages l
    set chunks = l.chunks - g.chunks, words = l.words - g.words, grams = l.grams - g.grams
    from (select language, count(*) as chunks, sum(words) as words, sum(grams) as grams from gone group by language) g
    where l.workspace_id = ${workspaceId} and l.language = g.language`.execute(db)
}

const COUNT_MAX = 32_767

/** Adds an item's chunks to the index with all terms and counts, in one statement. Their numbers begin with `first`. */
export const insertChunks = async (
  { db, workspaceId }: Ctx,
  item: { itemId: string; language: string; first: number; chunks: readonly NewChunk[] },
): Promise<void> => {
  const { itemId, language, first, chunks } = item
  const grams = chunks.flatMap(({ grams }, at) =>
    [...grams].map(([gram, count]) => ({ number: first + at, gram, count: Math.min(count, COUNT_MAX) })),
  )
  await sql`
    with given as materialized (
      select ${first}::integer + position::integer - 1 as number, position::integer as position, headings, text, words
      from unnest(
        ${chunks.map(({ headings }) => headings)}::text[], ${chunks.map(({ text }) => text)}::text[],
        ${chunks.map(({ words }) => words)}::text[]
      ) with ordinality g (headings, text, words, position)
    ), terms as materialized (
      select g.number, (${`w:${language}:`} || l.lexeme) collate "C" as term, cardinality(l.positions) as count, true as is_word
      from given g
      cross join lateral unnest(to_tsvector(${STEMMERS.get(language) ?? 'simple'}::regconfig, g.words)) l
      union all
      select number, ('g:' || gram) collate "C", count, false
      from unnest(
        ${grams.map(({ number }) => number)}::integer[], ${grams.map(({ gram }) => gram)}::text[],
        ${grams.map(({ count }) => count)}::integer[]
      ) g (number, gram, count)
    ), lengths as materialized (
      select g.number, coalesce(sum(t.count) filter (where t.is_word), 0)::integer as words,
        coalesce(sum(t.count) filter (where not t.is_word), 0)::integer as grams,
        coalesce(array_agg(t.term) filter (where t.term is not null), '{}') as terms
      from given g left join terms t using (number) group by g.number
    ), stored as (
      insert into knowledge_chunks (workspace_id, number, item_id, position, headings, text, words, grams, terms)
      select ${workspaceId}, g.number, ${itemId}, g.position, g.headings, g.text, l.words, l.grams, l.terms
      from given g join lengths l using (number)
    ), listed as (
      insert into knowledge_terms (workspace_id, term, chunk, count, length)
      select ${workspaceId}, t.term, t.number, t.count, case when t.is_word then l.words else l.grams end
      from terms t join lengths l using (number)
    ), counted as (
      insert into knowledge_term_counts as c (workspace_id, term, chunks)
      select ${workspaceId}, term, count(*) from terms group by term
      on conflict (workspace_id, term) do update set chunks = c.chunks + excluded.chunks
    )
    insert into knowledge_languages as k (workspace_id, language, chunks, words, grams)
    select ${workspaceId}, ${language}, count(*), sum(words), sum(grams) from lengths
    on conflict (workspace_id, language) do update set
      chunks = k.chunks + excluded.chunks, words = k.words + excluded.words, grams = k.grams + excluded.grams
  `.execute(db)
}
