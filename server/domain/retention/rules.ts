// How long the conversations of a channel account are kept. See decisions/0058-erasure.md.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { changesBetween, recordAudit } from '../audit/record-audit.ts'
import { findChannelAccount } from '../channel-accounts/queries.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { findRule, previewRule, upsertRule } from './queries.ts'
import type { RetentionPreview, RetentionRule } from './schema.ts'

const OFF: RetentionRule = { closeAfterDays: null, deleteAfterDays: null }

const requireAccount = async (ctx: Ctx, channelId: string) => {
  const account = await findChannelAccount(ctx, channelId)
  if (!account) throw new ApiError('CHANNEL_NOT_FOUND')
  return account
}

/** Throws CHANNEL_NOT_FOUND. */
export const getRetention = async (ctx: Ctx, channelId: string): Promise<RetentionRule> => {
  await requireAccount(ctx, channelId)
  return (await findRule(ctx, channelId)) ?? OFF
}

/** What a rule would do if it were applied now. Throws CHANNEL_NOT_FOUND. */
export const previewRetention = async (
  ctx: Ctx,
  channelId: string,
  rule: RetentionRule,
): Promise<RetentionPreview> => {
  await requireAccount(ctx, channelId)
  return previewRule(ctx, channelId, rule)
}

/** It is applied from the next day on, so that a slip can be taken back. Throws CHANNEL_NOT_FOUND. */
export const saveRetention = (ctx: Ctx, channelId: string, rule: RetentionRule): Promise<RetentionRule> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const { name } = await requireAccount(ctx, channelId)
    const changes = changesBetween((await findRule(ctx, channelId)) ?? OFF, rule)
    if (Object.keys(changes).length === 0) return rule
    await upsertRule(ctx, channelId, rule)
    await recordAudit(ctx, {
      action: 'retention.updated',
      target: { type: 'channel', id: channelId, name },
      changes,
    })
    return rule
  })
