import type { Ctx } from '../../platform/ctx/ctx.ts'
import { decideAnswer } from './decide-answer.ts'
import { rankCandidates } from './rank.ts'
import { type KnowledgeMatch, type KnowledgeMatches, RESULTS_MAX, type SearchQuery } from './schema.ts'
import { type Asker, type Candidate, findCandidates } from './search-queries.ts'
import { gramsOf, wordsOf } from './search-terms.ts'
import { findNearness, type Nearness } from './vectors/nearest-chunks.ts'

/** In characters. More words make a question no clearer, and each costs time. */
const QUESTION_MAX = 1_000

/**
 * The eight articles and answers that fit a question best, of those that the asker may see. Empty if nothing shares a
 * word or three characters with the question, or is near to it by its vector; those take a provider. Two statements,
 * five with vectors. Internal ones are found only if `includeInternal` says so.
 */
export const searchKnowledge = async (
  ctx: Ctx,
  input: { query: string; asker: Asker; includeInternal?: boolean },
): Promise<KnowledgeMatch[]> => {
  const { query, asker, includeInternal = false } = input
  const question = [...query.slice(0, QUESTION_MAX * 2)].slice(0, QUESTION_MAX).join('').toWellFormed()
  const grams = gramsOf(question)
  if (grams.size === 0) return []
  const nearness = await findNearness(ctx, question)
  const found = await findCandidates(ctx, {
    words: wordsOf(question),
    grams: [...grams.keys()],
    asker,
    includeInternal,
    nearest: nearness?.nearest ?? [],
    isWide: nearness !== null && nearness.nearest === null,
  })
  const candidates = await orderByVector(found.candidates, nearness)
  return rankCandidates(grams, { ...found, candidates })
    .slice(0, RESULTS_MAX)
    .map(({ kind, id, title, text, headings, language, url, needsReview, certainty }) => ({
      type: kind,
      id,
      title,
      text,
      headings,
      language,
      url,
      needsReview,
      certainty: Math.round(certainty * 1_000) / 1_000,
    }))
}

/** Gives ranks by vectors to candidates that were found without. */
const orderByVector = async (candidates: Candidate[], nearness: Nearness | null): Promise<Candidate[]> => {
  if (!nearness || nearness.nearest !== null) return candidates
  const ordered = await nearness.order(candidates.map(({ chunk }) => chunk))
  const rankOf = new Map(ordered.map((chunk, at) => [chunk, at + 1]))
  return candidates.map((candidate) => ({ ...candidate, vectorRank: rankOf.get(candidate.chunk) ?? null }))
}

/** A search with what would be done about it, for people and programs. */
export const tryQuestion = async (
  ctx: Ctx,
  { query, channel, country, language, tagId, includeInternal }: SearchQuery,
): Promise<KnowledgeMatches> => {
  const matches = await searchKnowledge(ctx, {
    query,
    asker: {
      channel: channel ?? null,
      country: country ?? null,
      language: language ?? null,
      tagIds: tagId === undefined ? [] : [tagId],
    },
    ...(includeInternal !== undefined && { includeInternal }),
  })
  const { say, offer } = decideAnswer(matches)
  return { matches, decision: say ? 'say' : offer.length > 0 ? 'offer' : 'nothing' }
}
