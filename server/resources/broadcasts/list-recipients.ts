import type { Ctx } from '../../ctx.ts'
import type { RecipientOutcome } from '../../db/tables.ts'
import { ApiError } from '../../errors.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../http/pagination.ts'
import { findBroadcast } from './queries.ts'
import { listRecipientsAfter, type RecipientRow } from './recipient-queries.ts'

export type BroadcastRecipient = {
  contactId: string
  name: string | null
  phone: string | null
  outcome: RecipientOutcome
  /** What kept them from being reached. */
  reason: { code: string; message: string } | null
  messageId: string | null
  conversationId: string | null
  /** Of the message, as far as it has come. */
  status: string | null
  updatedAt: string
}

/** Why people are left out, in words. */
const REASONS: Record<string, string> = {
  OPTED_OUT: 'They want no broadcasts.',
  TEMPLATE_NOT_FOUND: 'The number of their conversation has no such template.',
  DUPLICATE: 'The same person is in the broadcast under another contact.',
  NO_CONVERSATION: 'Their WhatsApp conversation is gone.',
}

const toRecipient = ({ code, message, ...row }: RecipientRow): BroadcastRecipient => ({
  contactId: row.contactId,
  name: row.name,
  phone: row.phone,
  outcome: row.outcome,
  reason: code === null ? null : { code, message: message ?? REASONS[code] ?? code },
  messageId: row.messageId,
  conversationId: row.conversationId,
  status: row.status,
  updatedAt: row.updatedAt,
})

type RecipientsQuery = {
  broadcastId: string
  outcome?: RecipientOutcome | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

/** The people of a broadcast and what became of each. Throws BROADCAST_NOT_FOUND. */
export const listBroadcastRecipients = async (
  ctx: Ctx,
  { broadcastId, outcome, cursor, limit = PAGE_DEFAULT }: RecipientsQuery,
): Promise<{ recipients: BroadcastRecipient[]; nextCursor: string | null }> => {
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

/** All people of a broadcast, page by page, for an export: as many in memory as one page. Throws BROADCAST_NOT_FOUND. */
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
