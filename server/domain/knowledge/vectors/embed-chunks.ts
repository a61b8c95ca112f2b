// Gives a workspace's chunks to its embedding model, in the order of their numbers, and stores what it returns. What is
// left after a failure or the death of a process is told by the rows: the next run goes on from there.
import { ModelError } from '../../../../models/contract.ts'
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { BATCH_MAX, type Embedder, findEmbedder } from './find-embedder.ts'
import {
  findState,
  listUnembedded,
  lockProgress,
  type Progress,
  storeVectors,
  type Unembedded,
} from './queries.ts'
import { toBytes } from './vector-bytes.ts'

const TIMEOUT_MS = 30_000
/** About 2,000 tokens: models read at least that many. A section has 350 words, an answer its phrasings. */
const TEXT_MAX = 8_000

/** Until nothing lacks a vector, or `isEnough`. Throws a ModelError if the provider fails. */
export const embedChunks = async (ctx: Ctx, isEnough: () => boolean): Promise<void> => {
  const embedder = await findEmbedder(ctx)
  const state = embedder ? await findState(ctx) : undefined
  if (!embedder || !state) return
  let progress: Progress = { model: state.model, chunk: state.chunk }
  while (!isEnough()) {
    const after = progress.model === embedder.model ? progress.chunk : 0
    const { chunks, last } = await listUnembedded(ctx, after, BATCH_MAX)
    const next = { model: embedder.model, chunk: chunks.at(-1)?.number ?? last }
    if (progress.model === next.model && progress.chunk === next.chunk) return
    const vectors = await embedBatch(embedder, chunks)
    if (!(await store(ctx, progress, next, vectors))) return
    progress = next
  }
}

type Embedded = { number: number; vector: Buffer }

const store = (ctx: Ctx, progress: Progress, next: Progress, vectors: Embedded[]): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await lockProgress(ctx, progress))) return false
    await storeVectors(ctx, next, vectors)
    return true
  })

/** What is wrong with a text, not with the provider. */
const OF_TEXT: ReadonlySet<ModelError['problem']> = new Set([
  'tooLong',
  'badRequest',
  'badAnswer',
  'filtered',
])

/** A text that the model refuses is left out, and the others are given to it one by one. */
const embedBatch = async (embedder: Embedder, chunks: readonly Unembedded[]): Promise<Embedded[]> => {
  if (chunks.length === 0) return []
  try {
    const vectors = await embedder.embed(chunks.map(textOf), TIMEOUT_MS)
    return chunks.map(({ number }, at) => ({ number, vector: toBytes(vectors[at]!) }))
  } catch (error) {
    if (!(error instanceof ModelError) || !OF_TEXT.has(error.problem)) throw error
    if (chunks.length === 1) return []
  }
  const embedded: Embedded[] = []
  for (const chunk of chunks) embedded.push(...(await embedBatch(embedder, [chunk])))
  return embedded
}

const textOf = ({ title, headings, text, phrasings }: Unembedded): string =>
  [headings || title, text, ...phrasings].filter(Boolean).join('\n').slice(0, TEXT_MAX).toWellFormed()
