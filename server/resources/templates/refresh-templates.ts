// The templates of the connected numbers, from WhatsApp. Several numbers of one business account share theirs, which
// are fetched once.
import type { Ctx } from '../../ctx.ts'
import { listChannelAccounts, openSecrets } from '../channel-accounts/queries.ts'
import type { StoredChannelAccount } from '../channel-accounts/schema.ts'
import { findFetchedAt, findTemplates, replaceTemplates } from './queries.ts'

/** How long a call waits for WhatsApp before it makes do with what is kept. */
const FETCH_TIMEOUT_MS = 4_000
/** A send takes what was fetched within this; WhatsApp tells of changes by webhook meanwhile. */
const FRESH_MS = 10 * 60_000

type Account = StoredChannelAccount<'whatsapp'>

/** Fetches and keeps the templates of accounts, all at the same time. What cannot be had leaves what is kept. */
export const refreshTemplates = async (ctx: Ctx, accounts: readonly Account[]): Promise<void> => {
  const groups = Map.groupBy(accounts, ({ settings }) => settings.businessAccountId)
  await Promise.all(
    [...groups].map(([businessAccountId, members]) => fetchFirst(ctx, businessAccountId, members)),
  )
}

/** One number's access is enough; where it is refused, another's may do. */
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
      return await replaceTemplates(ctx, businessAccountId, definitions)
    } catch (error) {
      ctx.log.warn({ err: error, channelAccountId: account.id }, 'templates could not be fetched')
    }
  }
}

/**
 * Sees to it that what is kept of a template can be relied upon: fetched a short while ago, and once more where it is
 * not there in the language wanted. To be called before a transaction, for it waits for WhatsApp.
 */
export const freshenTemplate = async (
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
