import type { Ctx } from '../../ctx.ts'
import type { Metadata } from '../../db/tables.ts'
import { insertSystemEntry } from './queries.ts'
import { findContinuable } from './receive-queries.ts'

/** Leaves a line in the contact's conversation on a channel account, where there is one. In the caller's transaction. */
export const noteInThread = async (
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
