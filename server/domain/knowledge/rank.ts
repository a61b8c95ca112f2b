// The rest of the ranking, on some eighty candidates: how close the question is to each phrasing, and one order made of
// three. Where there are vectors, theirs counts as much as that of the text. Pure.
import type { Candidate, Found } from './search-queries.ts'
import { type Grams, gramsOf } from './search-terms.ts'

/** Of reciprocal rank fusion, as in its first publication (Cormack et al. 2009). */
const RANK_OFFSET = 60
/** The rank of what one of the rankings doesn't have. */
const UNRANKED = 1_000
/** What is past its review date loses some places. */
const REVIEW_FACTOR = 0.9
/**
 * The weight of a phrasing's trigrams that are not in the question. Their own would take a look-up for each; with this
 * one the measured ranking is the same or better.
 */
const OTHER_WEIGHT = 2
/** Added to the workspace's chunks, so that the terms of its first few answers count as rare. */
const PRIOR_CHUNKS = 100
/** A question with as many different trigrams as this is half as certain: one or two words can mean anything. */
const DOUBT = 10

export type Ranked = Candidate & { certainty: number }

/** How rare each trigram of the question is. */
const weighGrams = (question: Grams, { chunkCount, gramCounts }: Found): Map<string, number> =>
  new Map(
    [...question.keys()].map((gram) => {
      const count = gramCounts[gram] ?? 0
      return [gram, Math.log(1 + (PRIOR_CHUNKS + chunkCount - count + 0.5) / (count + 0.5))]
    }),
  )

/** The cosine between the question and a text, over trigrams weighted by rarity; 0 to 1. */
const similarity = (question: Grams, weights: ReadonlyMap<string, number>, text: string): number => {
  let product = 0
  let ofText = 0
  for (const [gram, count] of gramsOf(text)) {
    const weight = weights.get(gram)
    ofText += (count * (weight ?? OTHER_WEIGHT)) ** 2
    if (weight !== undefined) product += count * question.get(gram)! * weight * weight
  }
  let ofQuestion = 0
  for (const [gram, count] of question) ofQuestion += (count * weights.get(gram)!) ** 2
  return product === 0 ? 0 : Math.min(1, product / Math.sqrt(ofText * ofQuestion))
}

const wordRankOf = ({ wordRank }: Candidate): number => wordRank ?? UNRANKED

/** The text of an article's section is indexed by words only, so its rank by words stands for that by trigrams. */
const gramRankOf = ({ kind, wordRank, gramRank }: Candidate): number =>
  Math.min(gramRank ?? UNRANKED, kind === 'article' && wordRank !== null ? wordRank : UNRANKED)

/**
 * Candidates with the best first. Certainty is the similarity to the closest phrasing, title or headings, less a doubt.
 * Vectors change the order only: how certain they are differs from model to model, and no line was drawn for any.
 */
export const rankCandidates = (question: Grams, found: Found): Ranked[] => {
  const weights = weighGrams(question, found)
  const share = question.size / (question.size + DOUBT)
  const measured = found.candidates.map((candidate) => ({
    ...candidate,
    certainty:
      share *
      Math.max(
        ...[candidate.title, candidate.headings, ...candidate.phrasings].map((text) =>
          similarity(question, weights, text),
        ),
      ),
  }))
  const byCertainty = [...measured].sort(
    (one, other) => other.certainty - one.certainty || (one.id < other.id ? -1 : 1),
  )
  const byText = join(
    byCertainty,
    (candidate, at) => [
      wordRankOf(candidate),
      gramRankOf(candidate),
      candidate.certainty > 0 ? at + 1 : UNRANKED,
    ],
    wordRankOf,
  )
  if (byText.every(({ vectorRank }) => vectorRank === null)) return byText
  const isInText = ({ wordRank, gramRank, certainty }: Ranked) =>
    wordRank !== null || gramRank !== null || certainty > 0
  return join(
    byText,
    (candidate, at) => [isInText(candidate) ? at + 1 : UNRANKED, candidate.vectorRank ?? UNRANKED],
    ({ vectorRank }) => vectorRank ?? UNRANKED,
  )
}

/** Reciprocal rank fusion. Equal ones are in the order of `next`. */
const join = (
  candidates: readonly Ranked[],
  ranksOf: (candidate: Ranked, at: number) => number[],
  next: (candidate: Ranked) => number,
): Ranked[] =>
  candidates
    .map((candidate, at) => {
      const score = ranksOf(candidate, at).reduce((sum, rank) => sum + 1 / (RANK_OFFSET + rank), 0)
      return { candidate, score: candidate.needsReview ? score * REVIEW_FACTOR : score }
    })
    .sort((one, other) => other.score - one.score || next(one.candidate) - next(other.candidate))
    .map(({ candidate }) => candidate)
