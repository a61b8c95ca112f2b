import { findChannelAccount, listChannelAccounts, openSecrets } from '../domain/channel-accounts/queries.ts'
import { KEPT_MS, namingOf } from '../inbound/accounts.ts'
import { adoptLeftoverRows } from '../inbound/leftovers/queries.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import type { JobDeps } from './deps.ts'

const TOGETHER_MAX = 1_000
const BATCHES_MAX = 1_000
/** By then every process knows the new account. */
const AGAIN_MS = KEPT_MS + 1_000

/**
 * What webhooks brought for a number or page before it was connected is stored once it is. It was kept with the
 * accounts that share its secret and is processed as if the account had existed.
 */
export const adoptLeftovers = async (
  deps: JobDeps,
  { workspaceId, channelAccountId, isAgain = false }: JobPayloads['adopt_leftovers'],
): Promise<void> => {
  const ctx = systemCtx(deps, workspaceId)
  const naming = await namingIn(deps, ctx, channelAccountId)
  if (!naming || naming.from.length === 0) return
  let adopted = 0
  for (let batch = 0; batch < BATCHES_MAX && !deps.isStopping(); batch++) {
    const count = await adoptLeftoverRows(ctx, { channelAccountId, ...naming }, TOGETHER_MAX)
    adopted += count
    if (count < TOGETHER_MAX) break
  }
  if (adopted > 0) await addJob(ctx, 'retry_leftovers', {})
  if (!isAgain)
    await addJob(
      ctx,
      'adopt_leftovers',
      { workspaceId, channelAccountId, isAgain: true },
      { runAt: new Date(deps.now().getTime() + AGAIN_MS) },
    )
}

/** How items name an account, including the format of WhatsApp items kept by earlier versions. */
const NAMED_BY = ['accountName', 'phoneNumberId']

/** How items name the account, and the accounts whose webhooks may have brought some; undefined if there are none. */
const namingIn = async (
  { seal }: JobDeps,
  ctx: Ctx,
  id: string,
): Promise<{ marks: string[]; from: string[] } | undefined> => {
  const account = await findChannelAccount(ctx, id)
  const naming = account && namingOf(account.channel)
  if (!naming) return undefined
  const { nameOf, secretOf } = naming
  const secret = secretOf(openSecrets(seal, account))
  const others = await listChannelAccounts(ctx, account.channel)
  return {
    // As JSON.stringify writes it; inside a string the quotation marks would be escaped.
    marks: NAMED_BY.map((field) => JSON.stringify({ [field]: nameOf(account) }).slice(1, -1)),
    from: others
      .filter((other) => other.id !== id && secretOf(openSecrets(seal, other)) === secret)
      .map((other) => other.id),
  }
}
