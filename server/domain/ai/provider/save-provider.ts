// The settings of the AI agent's model, which only admins change: they decide where customers' messages are sent.
import { loadModel, refuseBaseUrl } from '../../../../models/index.ts'
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { requireOneOf } from '../../../platform/ctx/permissions.ts'
import { ApiError, invalid } from '../../../platform/errors.ts'
import { changesBetween, recordAudit } from '../../audit/record-audit.ts'
import { lockWorkspace } from '../../workspaces/queries.ts'
import { keyOwner, openKey } from './find-provider.ts'
import {
  deleteProviderRow,
  findProviderRow,
  type ProviderRow,
  type StoredProvider,
  saveCheck,
  saveProviderRow,
} from './queries.ts'
import type { ModelProvider, ProviderAnswer, ProviderBody, ProviderSaved } from './schema.ts'

/** Of a check, which asks the model several times. A model on the same machine may have to be loaded first. */
const CHECK_TIMEOUT_MS = 90_000

/** Throws FORBIDDEN. */
export const getModelProvider = async (ctx: Ctx): Promise<ProviderAnswer> => {
  requireOneOf(ctx.actor, ['admin'])
  const row = await findProviderRow(ctx)
  return { provider: row ? show(ctx, row) : null }
}

/**
 * Replaces all of it. A key that is left out is kept if the protocol, host and port stay; otherwise it is dropped, so
 * that no key is ever sent to a host that it wasn't entered for. Throws FORBIDDEN, and VALIDATION_ERROR for a base URL to
 * which no request may go.
 */
export const saveProvider = async (ctx: Ctx, body: ProviderBody): Promise<ProviderSaved> => {
  requireOneOf(ctx.actor, ['admin'])
  const refusal = await refuseBaseUrl(body.baseUrl)
  if (refusal) throw invalid({ field: 'baseUrl', message: refusal })
  const baseUrl = normalize(body.baseUrl)
  return inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const before = await findProviderRow(ctx)
    const isKept = before !== undefined && originOf(before.baseUrl) === originOf(baseUrl)
    const row: ProviderRow = {
      isEnabled: body.isEnabled ?? true,
      kind: body.kind,
      baseUrl,
      key: keyOf(ctx, body, baseUrl, isKept ? before.key : null),
      model: body.model,
      embeddingModel: body.embeddingModel ?? null,
      currency: body.currency ?? 'USD',
      prices: body.prices ?? null,
    }
    await saveProviderRow(ctx, row, before && isSameModel(before, row) ? before.check : null)
    await recordAudit(ctx, {
      action: 'ai_provider.saved',
      changes: {
        ...changesBetween(before ? shownOf(before) : {}, shownOf(row)),
        ...(body.key !== undefined && { key: { to: body.key === null ? 'removed' : 'replaced' } }),
      },
    })
    const { provider } = await getModelProvider(ctx)
    if (!provider) throw new Error('the provider was saved but is not there')
    return { provider, isKeyDropped: Boolean(body.key === undefined && before?.key && !row.key) }
  })
}

/** For the audit log. A path can contain a key, so only the origin of the URL. */
const shownOf = ({ isEnabled, kind, baseUrl, model, embeddingModel }: ProviderRow) => ({
  isEnabled,
  kind,
  origin: originOf(baseUrl),
  model,
  embeddingModel,
})

/** Sealed. */
const keyOf = (ctx: Ctx, { key }: ProviderBody, baseUrl: string, stored: Buffer | null): Buffer | null => {
  if (key === undefined) return stored
  return key === null ? null : ctx.seal.seal(key, keyOwner(ctx, baseUrl))
}

/**
 * Has the model do what the agent needs, and stores what it can. Nothing of a customer is sent. Throws FORBIDDEN, and
 * NOT_FOUND if there is no provider.
 */
export const checkProvider = async (ctx: Ctx): Promise<ModelProvider> => {
  requireOneOf(ctx.actor, ['admin'])
  const row = await findProviderRow(ctx)
  if (!row) throw noProvider()
  const startedAt = performance.now()
  const { steps, abilities } = await check(ctx, row)
  const durationMs = Math.round(performance.now() - startedAt)
  ctx.log.info({ kind: row.kind, isUsable: abilities !== null, durationMs }, 'a model was checked')
  await saveCheck(ctx, row, { steps, abilities })
  const { provider } = await getModelProvider(ctx)
  if (!provider) throw noProvider()
  return provider
}

const check = async (ctx: Ctx, row: StoredProvider) => {
  const opened = openKey(ctx, row)
  if (opened.is === 'unreadable')
    return {
      steps: [{ name: 'Key', ok: false, message: 'The stored key can’t be decrypted. Enter it again.' }],
      abilities: null,
    }
  const model = await loadModel(row.kind)
  const { baseUrl, embeddingModel } = row
  const account = { baseUrl, key: opened.key, model: row.model, embeddingModel }
  return model.check(account, { timeoutMs: CHECK_TIMEOUT_MS })
}

/** From then on, the AI agent replies from the knowledge alone. Throws FORBIDDEN, and NOT_FOUND if there is none. */
export const removeProvider = (ctx: Ctx): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    requireOneOf(ctx.actor, ['admin'])
    await lockWorkspace(ctx)
    if (!(await findProviderRow(ctx))) throw noProvider()
    await deleteProviderRow(ctx)
    await recordAudit(ctx, { action: 'ai_provider.removed' })
    return { success: true }
  })

const show = (ctx: Ctx, row: StoredProvider): ModelProvider => ({
  isEnabled: row.isEnabled,
  kind: row.kind,
  baseUrl: row.baseUrl,
  key: openKey(ctx, row).is,
  model: row.model,
  embeddingModel: row.embeddingModel,
  currency: row.currency,
  prices: row.prices,
  check: row.check && {
    steps: row.check.steps,
    isUsable: row.check.abilities !== null,
    checkedAt: row.check.checkedAt,
  },
  updatedAt: row.updatedAt,
})

/** What was found of models holds for the same ones behind the same address and key. */
const isSameModel = (
  before: ProviderRow,
  { kind, baseUrl, key, model, embeddingModel }: ProviderRow,
): boolean =>
  before.kind === kind &&
  before.baseUrl === baseUrl &&
  before.model === model &&
  before.embeddingModel === embeddingModel &&
  before.key === key

const originOf = (baseUrl: string): string => new URL(baseUrl).origin

const normalize = (baseUrl: string): string => {
  const url = new URL(baseUrl)
  url.hash = ''
  return url.href.replace(/(?<!\/)\/+$/, '')
}

const noProvider = () => new ApiError('NOT_FOUND', { message: 'No model is connected.' })
