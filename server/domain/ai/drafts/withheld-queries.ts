// Replies that the AI agent didn't send because it wasn't sure enough, as drafts for whoever has the conversation now.
import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { rowsOf } from '../../../platform/db/rows-of.ts'
import { quoteOf } from '../quote.ts'
import type { Source } from '../think.ts'

type Withheld = {
  id: string
  conversation: { id: string }
  turnId: string
  text: string
  sources: readonly Source[]
}

/**
 * Part of a larger statement, after what the customer was told has been stored: a draft is gone once anybody has replied
 * since.
 */
export const withheldSave = ({ workspaceId, now }: Ctx, withheld: readonly Withheld[]) => {
  const rows = withheld.map(({ id, conversation, turnId, text, sources }) => ({
    id,
    conversationId: conversation.id,
    turnId,
    text: text.replaceAll('\0', '').toWellFormed(),
    sources: sources.map(({ type, id, title, url, text: words }) => ({
      type,
      id,
      title,
      url,
      quote: quoteOf(words, text).toWellFormed(),
      isInternal: false,
    })),
  }))
  return sql`
    insert into reply_drafts (workspace_id, id, conversation_id, turn_id, proposed_by, text, sources, last_message_id,
      created_at)
    select ${workspaceId}, d.id, d."conversationId", d."turnId", a.id, d.text, d.sources, (
      select max(m.id) from messages m
      where m.workspace_id = ${workspaceId} and m.conversation_id = d."conversationId"), ${now()}
    from ${rowsOf(rows)} as d (id text, "conversationId" text, "turnId" text, text text, sources jsonb)
    cross join (select id from accounts where is_ai) a`
}
