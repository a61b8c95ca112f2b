// Which chunks are nearest to a question by their vectors. Workspaces of up to 5,000 chunks have all of them compared,
// from memory; in larger ones those that are candidates by their words.
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { within } from '../../../platform/within.ts'
import { makeRedaction } from '../../ai/guards/redact.ts'
import { type Embedder, findEmbedder } from './find-embedder.ts'
import { findState, listVectors, listVectorsOf, type State } from './queries.ts'
import { cosine, fromBytes } from './vector-bytes.ts'
import { makeVectorMemory } from './vector-memory.ts'

/** Longer, and the words alone decide. */
const QUESTION_MS = 2_000
const ALL_MAX = 5_000
const NEAREST_MAX = 200

const memory = makeVectorMemory()

export type Nearness = {
  /** The nearest of all, in order; null if there are too many to compare. */
  nearest: number[] | null
  /** Orders some: those without a vector are left out. */
  order: (chunks: readonly number[]) => Promise<number[]>
}

/** Null without an embedding model, before anything has a vector, and if the provider fails or is slow. */
export const findNearness = async (ctx: Ctx, question: string): Promise<Nearness | null> => {
  const embedder = await findEmbedder(ctx)
  const state = embedder ? await findState(ctx) : undefined
  if (!embedder || !state || state.model !== embedder.model || state.chunk === 0) return null
  const vector = await embedQuestion(ctx, embedder, question)
  if (!vector) return null
  const { model } = embedder
  return {
    nearest: state.chunkCount > ALL_MAX ? null : await nearestOfAll(ctx, model, state, vector),
    order: async (chunks) =>
      inOrder(
        (await listVectorsOf(ctx, model, chunks)).map(({ chunk, vector: bytes }) => ({
          chunk,
          score: bytes.length === vector.length * 4 ? cosine(vector, fromBytes(bytes)) : -1,
        })),
      ),
  }
}

/** Without what nobody outside should read. */
const embedQuestion = async (
  ctx: Ctx,
  { embed }: Embedder,
  question: string,
): Promise<Float32Array | undefined> => {
  const text = makeRedaction({ contacts: true }).hide(question)
  const asked = embed([text], QUESTION_MS).catch((error: unknown) => {
    ctx.log.info({ err: error, workspaceId: ctx.workspaceId }, 'a question has no vector')
    return []
  })
  let vector: Float32Array | undefined
  await within(
    asked.then(([first]) => {
      vector = first
    }),
    QUESTION_MS,
  )
  return vector
}

const nearestOfAll = async (
  ctx: Ctx,
  model: string,
  { chunk: until, chunkCount }: State,
  vector: Float32Array,
): Promise<number[]> => {
  const { chunks, numbers } = await memory.read(
    { key: `${ctx.workspaceId} ${model}`, dimensions: vector.length, until, countMax: chunkCount },
    (after) => listVectors(ctx, { model, after, until }),
  )
  const scored = chunks.map((chunk, at) => ({ chunk, score: cosine(vector, numbers, at * vector.length) }))
  return inOrder(scored).slice(0, NEAREST_MAX)
}

const inOrder = (scored: { chunk: number; score: number }[]): number[] =>
  scored.sort((one, other) => other.score - one.score || one.chunk - other.chunk).map(({ chunk }) => chunk)
