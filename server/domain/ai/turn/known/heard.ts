import { sql } from 'kysely'

/**
 * Of a message: not what a mail program wrote, and no answer by email to a chat, because whoever reads that mailbox need
 * not be whoever writes in the chat (docs/decisions/0094), and the agent would repeat the one's words to the other.
 */
export const isHeard = sql<boolean>`(sender_type <> 'customer'
  or metadata ->> 'automatic' is null and not coalesce(metadata ? 'viaEmail', false))`
