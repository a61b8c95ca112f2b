// The embedding model of a workspace.
import { EMBED_TEXTS_MAX } from '../../../../models/contract.ts'
import { loadModel } from '../../../../models/index.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { callProvider } from '../../ai/budgets/call-provider.ts'
import { findProvider } from '../../ai/provider/find-provider.ts'

export const BATCH_MAX = EMBED_TEXTS_MAX

export type Embedder = {
  model: string
  /** At most BATCH_MAX texts. Throws a ModelError. */
  embed: (texts: readonly string[], timeoutMs: number) => Promise<Float32Array[]>
}

/** Null if there is no provider, or if it has no embeddings. */
export const findEmbedder = async (ctx: Ctx): Promise<Embedder | null> => {
  const provider = await findProvider(ctx)
  if (!provider?.embeddingModel) return null
  const { kind, account, embeddingModel } = provider
  const { embed } = await loadModel(kind)
  if (!embed) return null
  // Apart from the requests that think: if only embeddings fail, the agent can still reply.
  const name = { baseUrl: `${account.baseUrl} embeddings` }
  return {
    model: embeddingModel,
    embed: (texts, timeoutMs) =>
      callProvider(ctx, name, async () => {
        const { vectors } = await embed({ ...account, embeddingModel }, texts, { timeoutMs })
        return vectors
      }),
  }
}
