// Fetches the templates of the connected numbers from WhatsApp. Numbers of the same business account share theirs,
// which are fetched once.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { listChannelAccounts, openSecrets } from '../channel-accounts/queries.ts'
import type { StoredChannelAccount } from '../channel-accounts/schema.ts'
import { findFetchedAt, findTemplates, replaceTemplates } from './queries.ts'

/** How long a call waits for WhatsApp before it falls back to the stored templates. */
const FETCH_TIMEOUT_MS = 4_000
/** A send uses templates fetched within this time; WhatsApp reports changes by webhook meanwhile. */
const FRESH_MS = 10 * 60_000

type Account = StoredChannelAccount<'whatsapp'>

/** Fetches and stores the templates of accounts, concurrently. If a fetch fails, the stored ones stay. */
export const refreshTemplates = async (ctx: Ctx, accounts: readonly Account[]): Promise<void> => {
  const groups = Map.groupBy(accounts, ({ settings }) => settings.businessAccountId)
  await Promise.all(
    [...groups].map(([businessAccountId, members]) => fetchFirst(ctx, businessAccountId, members)),
  )
}

/** Any number with access will do; if one is refused, try the next. */
const fetchFirst = async (
  ctx: Ctx,
  businessAccountId: string,
  members: readonly Account[],
): Promise<void> => {
  const endMs = performance.now() + FETCH_TIMEOUT_MS
  for (const account of members) {
    const timeoutMs = Math.ceil(endMs - performance.now())
    if (timeoutMs <= 0) return
    try {
      const opened = { ...account, secrets: openSecrets(ctx.seal, account) }
      const definitions = await ctx.channels.whatsapp.listTemplates(opened, { timeoutMs })
      return await inTransaction(ctx, (ctx) => replaceTemplates(ctx, businessAccountId, definitions))
    } catch (error) {
      ctx.log.warn({ err: error, channelAccountId: account.id }, 'templates could not be loaded')
    }
  }
}

/**
 * Makes sure that the stored template can be relied upon: fetched recently, and fetched again if it is missing in the
 * requested language. Call before a transaction, because it waits for WhatsApp.
 */
export const ensureFreshTemplate = async (
  ctx: Ctx,
  { templateName, language }: { templateName: string; language?: string },
): Promise<void> => {
  const accounts = await listChannelAccounts(ctx, 'whatsapp')
  const groups = Map.groupBy(accounts, ({ settings }) => settings.businessAccountId)
  const stale = await Promise.all(
    [...groups].map(async ([businessAccountId, members]) => {
      const fetchedAt = await findFetchedAt(ctx, businessAccountId)
      const isFresh = fetchedAt && ctx.now().getTime() - fetchedAt.getTime() < FRESH_MS
      if (!isFresh) return members
      const kept = await findTemplates(ctx, businessAccountId, templateName)
      const { isSendable } = ctx.channels.whatsapp
      return kept.some((one) => isSendable(one) && (!language || one.language === language)) ? [] : members
    }),
  )
  await refreshTemplates(ctx, stale.flat())
}
