import type { Ctx } from '../../platform/ctx/ctx.ts'
import { sightOf } from '../../platform/ctx/permissions.ts'
import { ApiError } from '../../platform/errors.ts'
import { webhookUrl } from './add-channel-account.ts'
import { adviceFor } from './problem-advice.ts'
import { listShownChannelAccounts, readableSecrets, type ShownChannelAccount } from './queries.ts'
import type { ConnectedChannel, ShownChannel } from './schema.ts'
import { webhookWarningOf } from './webhook-warning.ts'

/** The workspace's channel accounts as its admins see them: of the secrets, only which are set. */
export const listChannels = async (ctx: Ctx): Promise<ShownChannel[]> =>
  (await listShownChannelAccounts(ctx)).map((account) => shown(ctx, account))

/** Those that the actor may see, without anything that only admins need. */
export const listOwnChannels = async (ctx: Ctx): Promise<ConnectedChannel[]> => {
  const seen = sightOf(ctx.actor).channels
  const all = await listChannels(ctx)
  return all
    .filter(({ channel }) => seen === null || seen.includes(channel))
    .map(({ id, channel, name, address, problem }) => ({
      id,
      channel,
      name,
      address,
      problem: problem && { code: problem.code, message: problem.message, since: problem.since },
    }))
}

/** Throws CHANNEL_NOT_FOUND. */
export const getChannel = async (ctx: Ctx, id: string): Promise<ShownChannel> => {
  const [account] = await listShownChannelAccounts(ctx, id)
  if (!account) throw new ApiError('CHANNEL_NOT_FOUND')
  return shown(ctx, account)
}

const shown = (ctx: Ctx, account: ShownChannelAccount): ShownChannel => {
  const { id, channel, name, address, settings, teamId, createdAt, checkedAt, workedAt } = account
  const secrets = readableSecrets(ctx.seal, account)
  const problem = secrets
    ? account.problem
    : {
        code: 'SECRETS_SEALED',
        message:
          'The credentials can’t be decrypted because the server’s SECRET_KEY has changed since they were entered.',
        since: ctx.now().toISOString(),
      }
  return {
    id,
    channel,
    name,
    address,
    webhookUrl: webhookUrl(ctx.publicUrl, channel, id),
    settings: settings as Record<string, unknown>,
    teamId,
    secretsSet: Object.keys(secrets ?? {}).sort(),
    createdAt,
    problem: problem && {
      ...problem,
      advice: adviceFor(channel, problem.code, { isSignedIn: secrets?.oauthRefreshToken !== undefined }),
    },
    checkedAt,
    workedAt,
    webhookWarning: webhookWarningOf(ctx.publicUrl, account),
  }
}
