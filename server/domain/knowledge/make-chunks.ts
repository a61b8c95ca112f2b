// What of an item is searched, before it is stored: the texts of its chunks and their terms. Pure.
import { chunkArticle } from './chunk-article.ts'
import { STEMMERS } from './languages.ts'
import { addGrams, type Grams, gramsOf, wordsOf } from './search-terms.ts'

export type NewChunk = { headings: string; text: string; words: string; grams: Grams }

type Item = { kind: 'article' | 'answer'; title: string; body: string; phrasings: string[]; language: string }

/** Joins the headings above a section. */
const PATH_SEPARATOR = ' › '

/**
 * An article gives a chunk for each section. Trigrams are made of its headings, and of its text only where words can't
 * be stemmed or have no spaces: those of a whole section match nearly every question.
 * An answer is one chunk, of its title and all phrasings: that ranks better than a chunk for each phrasing (0.46 to
 * 0.40 right at first, see decision 0034).
 */
export const makeChunks = async ({ kind, title, body, phrasings, language }: Item): Promise<NewChunk[]> => {
  if (kind === 'answer') {
    const grams: Grams = new Map()
    for (const phrasing of [title, ...phrasings]) addGrams(grams, gramsOf(phrasing))
    return [{ headings: '', text: body, words: wordsOf([title, ...phrasings].join('\n')), grams }]
  }
  const isUnspacedOnly = STEMMERS.has(language)
  return (await chunkArticle(title, body)).map(({ headings, text }) => {
    const path = headings.join(PATH_SEPARATOR)
    const grams = gramsOf(path)
    addGrams(grams, gramsOf(text, { isUnspacedOnly }))
    return { headings: path, text, words: wordsOf(`${path}\n${text}`), grams }
  })
}
