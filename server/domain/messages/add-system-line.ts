import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Metadata } from '../../platform/db/tables.ts'
import { listChannelAccounts } from '../channel-accounts/queries.ts'
import { findContinuable } from '../conversations/open-queries.ts'
import { insertSystemEntry } from '../conversations/queries.ts'

/** A contact has one web chat thread for each site that they wrote on. */
const WEB_THREADS_MAX = 20

/** Adds a line to the contact's newest web conversation on each site. In the caller's transaction. */
export const addSystemLineToWebThreads = async (
  ctx: Ctx,
  contactId: string,
  line: { body: string; metadata: Metadata },
): Promise<void> => {
  const accounts = (await listChannelAccounts(ctx, 'web')).slice(0, WEB_THREADS_MAX)
  const places = accounts.map(({ id }) => ({ contactId, channelAccountId: id }))
  for (const conversation of await findContinuable(ctx, places))
    await insertSystemEntry(ctx, { conversation, ...line })
}

/** Adds a line to the contact's conversation on a channel account, if there is one. In the caller's transaction. */
export const addSystemLine = async (
  ctx: Ctx,
  {
    contactId,
    channelAccountId,
    body,
    metadata,
  }: { contactId: string; channelAccountId: string; body: string; metadata: Metadata },
): Promise<void> => {
  const [conversation] = await findContinuable(ctx, [{ contactId, channelAccountId }])
  if (conversation) await insertSystemEntry(ctx, { conversation, body, metadata })
}
