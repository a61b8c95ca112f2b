// The one statement of a search: BM25 over stemmed words and over trigrams, and who may see what.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { STEMMERS } from './languages.ts'
import type { Kind } from './queries.ts'

/** Who asks, as far as it is known. What is for certain customers only is not found if it isn't. */
export type Facts = {
  channel: ChannelName | null
  /** ISO 3166-1 alpha-2. */
  country: string | null
  tagIds: readonly string[]
  /** ISO 639. */
  language: string | null
}

/** Who asks: facts, or the conversation whose rows say them. Its language is given, because no row knows it. */
export type Asker = Facts | { conversationId: string; language: string | null }

const K1 = 1.2
const B = 0.75
/** Of each ranking. */
const CANDIDATES_MAX = 40
/** The same if their vectors are compared afterwards. */
const WIDE_MAX = 200
/** What a chunk was found by. */
const RANKINGS = { words: 0, grams: 1, vectors: 2 } as const
/** Chunks of which it is looked up, for each kind of term, whose they are and who may see them. */
const FRONT_MAX = 200
/**
 * Index rows after which no further term of a kind is read: the rarest terms come first, and a term that is in most
 * chunks says little. The first is read whatever it takes.
 */
const WORD_ROWS_MAX = 8_000
const GRAM_ROWS_MAX = 4_000

export type Candidate = {
  kind: Kind
  id: string
  title: string
  text: string
  headings: string
  phrasings: string[]
  language: string
  url: string | null
  needsReview: boolean
  /** 1 is the best; null if no word, or no trigram, is in it. */
  wordRank: number | null
  gramRank: number | null
  /** Null if it isn't among the nearest, or nothing has a vector. */
  vectorRank: number | null
  /** The number of its best chunk. */
  chunk: number
}

export type Found = {
  candidates: Candidate[]
  /** Chunks of the workspace. */
  chunkCount: number
  /** In how many chunks each trigram of the question is; missing if in none. */
  gramCounts: Record<string, number>
}

const factsOf = ({ workspaceId }: Ctx, asker: Asker): RawBuilder<unknown> =>
  'conversationId' in asker
    ? sql`
      select c.channel, k.country_iso as country, ${asker.language}::text as language, array(
        select t.tag_id::text from contact_tags t where t.workspace_id = ${workspaceId} and t.contact_id = k.id
      ) as tag_ids
      from conversations c join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
      where c.workspace_id = ${workspaceId} and c.id = ${asker.conversationId}`
    : sql`
      select ${asker.channel}::text as channel, ${asker.country}::text as country, ${asker.language}::text as language,
        ${asker.tagIds}::text[] as tag_ids`

/** The question's terms that are in the index, with how rare each is, the rarest first until enough rows are read. */
const termsOf = ({ workspaceId }: Ctx, words: string, grams: readonly string[]) => sql`
  spoken as materialized (
    select language, chunks, words, sum(chunks) over () as all_chunks, sum(grams) over () as all_grams
    from knowledge_languages where workspace_id = ${workspaceId} and chunks > 0
  ), asked as materialized (
    select true as is_word, ('w:' || s.language || ':' || l.lexeme) collate "C" as term, s.chunks as total,
      s.words::float8 / s.chunks as average
    from spoken s
    left join unnest(${[...STEMMERS.keys()]}::text[], ${[...STEMMERS.values()]}::text[]) m (language, stemmer) using (language)
    cross join lateral unnest(to_tsvector(coalesce(m.stemmer, 'simple')::regconfig, ${words}::text)) l
    union all
    select false, ('g:' || gram) collate "C", s.chunks, s.average
    from unnest(${grams}::text[]) g (gram)
    cross join (
      select all_chunks as chunks, all_grams::float8 / all_chunks as average from spoken limit 1
    ) s
  ), known as materialized (
    select a.is_word, a.term, c.chunks, ${K1 * B}::float8 / greatest(a.average, 1) as shortness,
      ln(1 + (a.total - c.chunks + 0.5::float8) / (c.chunks + 0.5::float8)) * ${K1 + 1}::float8 as weight,
      sum(c.chunks) over (partition by a.is_word order by c.chunks, a.term) - c.chunks as before
    from asked a
    cross join lateral (
      select chunks from knowledge_term_counts c where c.workspace_id = ${workspaceId} and c.term = a.term offset 0
    ) c
  )`

/** The chunks with the best scores for one kind of term. Apart from the other kind, the groups' key is one integer. */
const frontOf = (workspaceId: string, isWord: boolean, rowsMax: number) => sql`
    select ${isWord ? RANKINGS.words : RANKINGS.grams}::integer as ranking, t.chunk, sum(k.weight * t.count / (t.count + ${K1 * (1 - B)}::float8 + k.shortness * t.length)) as score
    from known k
    cross join lateral (
      select chunk, count, length from knowledge_terms t
      where t.workspace_id = ${workspaceId} and t.term = k.term offset 0
    ) t
    where k.is_word = ${isWord} and k.before < ${rowsMax}::integer
    group by t.chunk order by score desc, t.chunk limit ${FRONT_MAX}`

/**
 * The best of what the asker may see, for each kind of term. The laterals with an offset make every join a look-up by
 * primary key: nothing is planned by statistics, which a table that was just filled doesn't have.
 */
const bestOf = ({ workspaceId, now }: Ctx, { includeInternal, nearest, isWide }: Question) => sql`
  front as materialized (
    (${frontOf(workspaceId, true, WORD_ROWS_MAX)})
    union all
    (${frontOf(workspaceId, false, GRAM_ROWS_MAX)})
    union all
    select ${RANKINGS.vectors}::integer, chunk, -place::float8
    from unnest(${nearest}::integer[]) with ordinality n (chunk, place)
  ), best as materialized (
    select distinct on (l.ranking, c.item_id) l.ranking, c.item_id, l.chunk, l.score
    from front l
    cross join facts f
    cross join lateral (
      select item_id from knowledge_chunks c
      where c.workspace_id = ${workspaceId} and c.number = l.chunk offset 0
    ) c
    cross join lateral (
      select 1 from knowledge_items i
      where i.workspace_id = ${workspaceId} and i.id = c.item_id and i.state = 'published'
        and (${includeInternal} or not i.is_internal)
        and (i.channels = '{}' or f.channel = any (i.channels))
        and (i.countries = '{}' or f.country = any (i.countries))
        and (i.languages = '{}' or f.language = any (i.languages))
        and (i.tag_ids = '{}' or i.tag_ids && f.tag_ids)
      offset 0
    ) i
    order by l.ranking, c.item_id, l.score desc, l.chunk
  ), ranked as (
    select *, row_number() over (partition by ranking order by score desc, item_id)::integer as rank from best
  ), chosen as materialized (
    select item_id, min(rank) filter (where ranking = ${RANKINGS.words}) as "wordRank",
      min(rank) filter (where ranking = ${RANKINGS.grams}) as "gramRank",
      min(rank) filter (where ranking = ${RANKINGS.vectors}) as "vectorRank",
      (array_agg(chunk order by rank, ranking))[1] as chunk
    from ranked where rank <= ${isWide ? WIDE_MAX : CANDIDATES_MAX}::integer group by item_id
  ), shown as (
    select i.*, c.*, h."wordRank", h."gramRank", h."vectorRank", h.chunk
    from chosen h
    cross join lateral (
      select kind, id, title, phrasings, language, url,
        coalesce(review_by < (${now()}::timestamptz at time zone 'UTC')::date, false) as "needsReview"
      from knowledge_items i where i.workspace_id = ${workspaceId} and i.id = h.item_id offset 0
    ) i
    cross join lateral (
      select text, headings from knowledge_chunks c
      where c.workspace_id = ${workspaceId} and c.number = h.chunk offset 0
    ) c
  )`

export type Question = {
  words: string
  grams: readonly string[]
  asker: Asker
  includeInternal: boolean
  /** The chunks nearest to it by their vectors, in order. */
  nearest: readonly number[]
  isWide: boolean
}

/** The candidates for a question, in no particular order. `words` and `grams` are the question's. */
export const findCandidates = async (ctx: Ctx, question: Question): Promise<Found> => {
  const { words, grams, asker } = question
  const { rows } = await sql<Found>`
    with facts as materialized (${factsOf(ctx, asker)}), ${termsOf(ctx, words, grams)}, ${bestOf(ctx, question)}
    select coalesce((select json_agg(shown) from shown), '[]') as candidates,
      coalesce((select max(all_chunks) from spoken), 0)::integer as "chunkCount",
      coalesce((select json_object_agg(substr(term, 3), chunks) from known where not is_word), '{}') as "gramCounts"
  `.execute(ctx.db)
  return rows[0]!
}
