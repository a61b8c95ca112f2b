// All SQL of the provider of the AI agent's model.
import type { ModelCheck } from '../../../../models/contract.ts'
import { actorId } from '../../../platform/ctx/actor.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { ModelKind } from '../../../platform/db/tables.ts'
import type { Prices } from './schema.ts'

export type ProviderRow = {
  isEnabled: boolean
  kind: ModelKind
  baseUrl: string
  /** Sealed. */
  key: Buffer | null
  model: string
  embeddingModel: string | null
  currency: string
  prices: Prices | null
}

type Found = Pick<ModelCheck, 'steps' | 'abilities'>

export type StoredProvider = ProviderRow & {
  check: (Found & { checkedAt: string }) | null
  updatedAt: string
}

export const findProviderRow = async ({
  db,
  workspaceId,
}: Pick<Ctx, 'db' | 'workspaceId'>): Promise<StoredProvider | undefined> => {
  const row = await db
    .selectFrom('ai_providers')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  if (!row) return undefined
  const { input_price: input, cached_price: cached, output_price: output } = row
  const hasPrices = input !== null && output !== null
  return {
    isEnabled: row.is_enabled,
    kind: row.kind,
    baseUrl: row.base_url,
    key: row.key,
    model: row.model,
    embeddingModel: row.embedding_model,
    currency: row.currency,
    prices: hasPrices
      ? { input: Number(input), cached: Number(cached ?? input), output: Number(output) }
      : null,
    check:
      row.check_steps && row.checked_at
        ? { steps: row.check_steps, abilities: row.abilities, checkedAt: row.checked_at }
        : null,
    updatedAt: row.updated_at,
  }
}

/** `check`: what is known of it already. For the holder of the workspace's lock. */
export const saveProviderRow = async (
  { db, workspaceId, now, actor }: Ctx,
  { isEnabled, kind, baseUrl, key, model, embeddingModel, currency, prices }: ProviderRow,
  check: StoredProvider['check'],
): Promise<void> => {
  const row = {
    is_enabled: isEnabled,
    kind,
    base_url: baseUrl,
    key,
    model,
    embedding_model: embeddingModel,
    currency,
    input_price: prices?.input ?? null,
    cached_price: prices?.cached ?? null,
    output_price: prices?.output ?? null,
    abilities: check?.abilities ? JSON.stringify(check.abilities) : null,
    check_steps: check ? JSON.stringify(check.steps) : null,
    checked_at: check?.checkedAt ?? null,
    updated_by: actorId(actor),
    updated_at: now(),
  }
  await db
    .insertInto('ai_providers')
    .values({ workspace_id: workspaceId, ...row })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(row))
    .execute()
}

/** Stores what a check found, unless what was checked has changed meanwhile. */
export const saveCheck = async (
  { db, workspaceId, now }: Ctx,
  { kind, baseUrl, key, model, embeddingModel }: ProviderRow,
  { steps, abilities }: Found,
): Promise<void> => {
  await db
    .updateTable('ai_providers')
    .set({
      abilities: abilities ? JSON.stringify(abilities) : null,
      check_steps: JSON.stringify(steps),
      checked_at: now(),
    })
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .where('base_url', '=', baseUrl)
    .where('model', '=', model)
    .where('embedding_model', 'is not distinct from', embeddingModel)
    .where('key', 'is not distinct from', key)
    .execute()
}

export const deleteProviderRow = async ({ db, workspaceId }: Ctx): Promise<void> => {
  await db.deleteFrom('ai_providers').where('workspace_id', '=', workspaceId).execute()
}
