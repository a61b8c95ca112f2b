import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import type { Fields } from '../read-fields.ts'
import { addChannelAccount, type ChannelAccountDeps } from './add-channel-account.ts'
import { assertUniqueAddress } from './assert-unique-address.ts'
import { type CheckedChannel, runCheck, shownCheck } from './check-channel-account.ts'
import { setChecked } from './queries.ts'
import { readChannelAccount } from './read-channel-account.ts'
import { registersWebhook, registerWebhook } from './register-webhook.ts'

type Wanted = { channel: ChannelName; fields: Fields }

/**
 * Tests a channel account and adds it if that succeeds, with its webhook where the provider lets us register it. `id`
 * is null if the test failed. Throws VALIDATION_ERROR as addChannelAccount does, before the provider is asked.
 */
export const addTestedAccount = async (
  ctx: Ctx & ChannelAccountDeps,
  wanted: Wanted,
): Promise<{ id: string | null; checks: CheckedChannel['checks'] }> => {
  const tried = await tryAccount(ctx, wanted)
  if (!tried.ok) return { id: null, checks: tried.checks }
  const { id } = await addChannelAccount(ctx, wanted)
  if (registersWebhook(ctx, wanted.channel)) return { id, checks: (await registerWebhook(ctx, id)).checks }
  await setChecked(ctx, id, { isWorking: true })
  return { id, checks: tried.checks }
}

/** Apart from what can only work once it was added. */
const tryAccount = async (ctx: Ctx, { channel, fields }: Wanted): Promise<CheckedChannel> => {
  const account = readChannelAccount(channel, fields)
  const secrets = account.secrets as Record<string, string>
  const candidate = { ...account, id: ctx.newId(), channel, secrets }
  await inTransaction(ctx, (ctx) => assertUniqueAddress(ctx, candidate))
  const checks = (await runCheck(ctx, candidate, () => secrets)).filter(({ about }) => about !== 'setup')
  return { ok: checks.every(({ ok }) => ok), checks: checks.map(shownCheck) }
}
