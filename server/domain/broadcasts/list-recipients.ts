import type { Ctx } from '../../platform/ctx/ctx.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import type { RecipientOutcome } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { listRecipientsAfter, type RecipientRow } from '../recipients/recipient-queries.ts'
import { findBroadcast } from './queries.ts'
import type { RecipientList } from './schema.ts'

export type BroadcastRecipient = RecipientList['recipients'][number]

/** Why people are skipped, as text. */
const REASONS: Record<string, string> = {
  OPTED_OUT: 'They opted out of broadcasts.',
  TEMPLATE_NOT_FOUND: 'The template is not available on the number of their conversation.',
  DUPLICATE: 'The same person is already in the broadcast as another contact.',
  NO_CONVERSATION: 'Their WhatsApp conversation no longer exists.',
}

const toRecipient = ({ code, message, ...row }: RecipientRow): BroadcastRecipient => ({
  ...row,
  reason: code === null ? null : { code, message: message ?? REASONS[code] ?? code },
})

type RecipientsQuery = {
  broadcastId: string
  outcome?: RecipientOutcome | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

/** The recipients of a broadcast and the outcome of each. Throws BROADCAST_NOT_FOUND. */
export const listBroadcastRecipients = async (
  ctx: Ctx,
  { broadcastId, outcome, cursor, limit = PAGE_DEFAULT }: RecipientsQuery,
): Promise<RecipientList> => {
  if (!(await findBroadcast(ctx, broadcastId))) throw new ApiError('BROADCAST_NOT_FOUND')
  const listing = ['listBroadcastRecipients', ctx.workspaceId, broadcastId, outcome]
  const after = cursor === undefined ? '' : decodeCursor(listing, cursor).id
  const rows = await listRecipientsAfter(ctx, {
    broadcastId,
    outcome: outcome ?? null,
    after,
    limit: limit + 1,
  })
  const shown = rows.slice(0, limit)
  return {
    recipients: shown.map(toRecipient),
    nextCursor: rows.length > limit ? encodeCursor(listing, { at: null, id: shown.at(-1)!.contactId }) : null,
  }
}

const EXPORT_PAGE = 1_000

/**
 * All recipients of a broadcast for an export, page by page so that only one page is in memory. Throws
 * BROADCAST_NOT_FOUND.
 */
export async function* readBroadcastRecipients(
  ctx: Ctx,
  broadcastId: string,
): AsyncGenerator<BroadcastRecipient[]> {
  if (!(await findBroadcast(ctx, broadcastId))) throw new ApiError('BROADCAST_NOT_FOUND')
  for (let after = ''; ; ) {
    const rows = await listRecipientsAfter(ctx, { broadcastId, outcome: null, after, limit: EXPORT_PAGE })
    if (rows.length > 0) yield rows.map(toRecipient)
    if (rows.length < EXPORT_PAGE) return
    after = rows.at(-1)!.contactId
  }
}
