import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { listShownChannelAccounts, updateAccountTeam } from '../channel-accounts/queries.ts'
import { findTeamRef } from '../conversations/set-team.ts'
import { lockTeam } from '../team-settings/queries.ts'
import { lockWorkspace } from '../workspaces/queries.ts'

/**
 * Sets the team of the conversations that customers begin on a channel account from now on; null: none. Throws
 * CHANNEL_NOT_FOUND and INVALID_TEAM.
 */
export const setChannelTeam = (
  ctx: Ctx,
  { channelId, teamId }: { channelId: string; teamId: string | null },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const [account] = await listShownChannelAccounts(ctx, channelId)
    if (!account) throw new ApiError('CHANNEL_NOT_FOUND')
    const team = teamId === null ? null : await lockTeam(ctx, teamId)
    if (team === undefined) throw new ApiError('INVALID_TEAM')
    if (teamId === account.teamId) return
    const before = await findTeamRef(ctx, account.teamId)
    await updateAccountTeam(ctx, channelId, teamId)
    await recordAudit(ctx, {
      action: 'channel.updated',
      target: { type: 'channel', id: channelId, name: account.name },
      changes: { team: { from: before?.name ?? null, to: team?.name ?? null } },
    })
  })
