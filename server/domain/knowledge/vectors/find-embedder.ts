// The embedding model of a workspace.
import { EMBED_TEXTS_MAX, ModelError } from '../../../../models/contract.ts'
import { loadModel } from '../../../../models/index.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { callProvider } from '../../ai/budgets/call-provider.ts'
import { countEmbedding, mayEmbed } from '../../ai/budgets/embedding-queries.ts'
import { costOf } from '../../ai/provider/cost-of.ts'
import { findProvider } from '../../ai/provider/find-provider.ts'

/** Most tokens are longer. */
const CHARACTERS_PER_TOKEN = 3

const tokensAtMost = (texts: readonly string[]): number =>
  Math.ceil(texts.reduce((sum, { length }) => sum + length, 0) / CHARACTERS_PER_TOKEN)

export const BATCH_MAX = EMBED_TEXTS_MAX

export type Embedder = {
  model: string
  /** At most BATCH_MAX texts. Throws a ModelError, also if the budget is used up. */
  embed: (texts: readonly string[], timeoutMs: number) => Promise<Float32Array[]>
}

/** Null if there is no provider, or if it has no embeddings. */
export const findEmbedder = async (ctx: Ctx): Promise<Embedder | null> => {
  const provider = await findProvider(ctx)
  if (!provider?.embeddingModel) return null
  const { kind, account, embeddingModel, prices } = provider
  const { embed } = await loadModel(kind)
  if (!embed) return null
  // Apart from the requests that think: if only embeddings fail, the agent can still reply.
  const name = { baseUrl: `${account.baseUrl} embeddings` }
  return {
    model: embeddingModel,
    embed: async (texts, timeoutMs) => {
      if (!(await mayEmbed(ctx))) throw new ModelError('noFunds', 'The budget is used up.')
      return callProvider(ctx, name, async () => {
        const { vectors, usage } = await embed({ ...account, embeddingModel }, texts, { timeoutMs })
        const inputTokens = usage?.inputTokens ?? tokensAtMost(texts)
        const used = { inputTokens, cachedTokens: 0, outputTokens: 0 }
        await countEmbedding(ctx, { tokens: inputTokens, cost: costOf(used, prices) })
        return vectors
      })
    },
  }
}
