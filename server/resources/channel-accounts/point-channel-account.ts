import type { Ctx } from '../../ctx.ts'
import { openSecrets, updateConnection } from './queries.ts'
import type { StoredChannelAccount } from './schema.ts'

/**
 * Says where the account's provider is reached from now on, and leaves everything else as it is. Mail has one address
 * for sending, the others have their provider's API.
 */
export const pointChannelAccount = async (
  ctx: Ctx,
  account: StoredChannelAccount,
  url: string,
): Promise<void> => {
  const { id, workspaceId } = account
  if (account.channel === 'email') {
    const secrets = JSON.stringify({ ...openSecrets(ctx.seal, account), smtpUrl: url })
    await updateConnection(ctx, id, { secrets: ctx.seal.seal(secrets, { workspaceId, id }) })
  } else await updateConnection(ctx, id, { settings: JSON.stringify({ ...account.settings, apiUrl: url }) })
}
