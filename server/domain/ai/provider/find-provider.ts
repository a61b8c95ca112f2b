// The provider as a turn uses it, with its key in the clear: never returned or logged.
import type { ModelAccount } from '../../../../models/contract.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { ModelKind } from '../../../platform/db/tables.ts'
import { SealError } from '../../../platform/seal.ts'
import { findProviderRow, type ProviderRow } from './queries.ts'
import type { Prices } from './schema.ts'

export type Provider = {
  /** For loadModel. */
  kind: ModelKind
  account: ModelAccount
  /** Null: knowledge is found by its words alone. */
  embeddingModel: string | null
  currency: string
  /** Null: not known. */
  prices: Prices | null
  /** When the settings were saved: another time, and it is another provider. */
  updatedAt: string
}

/**
 * The model that the AI agent thinks with. Null if there is none, if it is turned off, or if its key can't be decrypted:
 * then it replies from the knowledge alone, and the settings say why.
 */
export const findProvider = async (
  ctx: Pick<Ctx, 'db' | 'workspaceId' | 'seal'>,
): Promise<Provider | null> => {
  const row = await findProviderRow(ctx)
  if (!row?.isEnabled) return null
  const opened = openKey(ctx, row)
  if (opened.is === 'unreadable') return null
  const { kind, baseUrl, model, embeddingModel, currency, prices, check, updatedAt } = row
  const account = { baseUrl, key: opened.key, model, abilities: check?.abilities ?? null }
  return { kind, account, embeddingModel, currency, prices, updatedAt }
}

/** A key only opens for the origin that it was entered for. */
export const keyOwner = ({ workspaceId }: Pick<Ctx, 'workspaceId'>, baseUrl: string) => ({
  workspaceId,
  id: new URL(baseUrl).origin,
})

type OpenedKey = { is: 'none'; key: null } | { is: 'stored'; key: string } | { is: 'unreadable' }

export const openKey = (
  ctx: Pick<Ctx, 'workspaceId' | 'seal'>,
  { key, baseUrl }: Pick<ProviderRow, 'key' | 'baseUrl'>,
): OpenedKey => {
  if (!key) return { is: 'none', key: null }
  try {
    return { is: 'stored', key: ctx.seal.open(key, keyOwner(ctx, baseUrl)) }
  } catch (error) {
    if (error instanceof SealError) return { is: 'unreadable' }
    throw error
  }
}
