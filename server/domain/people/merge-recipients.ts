import type { Ctx } from '../../platform/ctx/ctx.ts'
import { moveForward } from '../deliveries/move-messages.ts'
import { listDuplicateMessages, moveRecipients } from '../recipients/recipient-queries.ts'
import { announce } from '../recipients/settle-recipients.ts'

const DUPLICATE = {
  code: 'DUPLICATE',
  message: 'The customer receives this broadcast as another contact that was merged with this one.',
}

/**
 * Moves one contact's broadcast recipients to the contact it was merged into. If a turn is now skipped, its message
 * that waits for a retry is not sent.
 */
export const mergeRecipients = async (ctx: Ctx, from: string, to: string): Promise<void> => {
  const progress = await moveRecipients(ctx, from, to)
  if (progress.length > 0)
    await moveForward(ctx, await listDuplicateMessages(ctx, [from, to]), 'failed', DUPLICATE)
  await announce(ctx, progress)
}
