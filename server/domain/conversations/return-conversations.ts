import { sql } from 'kysely'
import { DEFINITIONS } from '../../../channels/definitions.ts'
import { actorId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { type LockedConversation, lockedColumns } from './queries.ts'
import { reopen } from './reopen.ts'

type Returned = {
  from: string
  to: string
  /** Those that it had. */
  ids: readonly string[]
  /** Those of them that the merge closed. */
  closedIds: readonly string[]
  mergedAt: Date
}

/** By which kinds of identity a channel's customers are known; mail is told apart by its address. */
const KINDS = [
  { channel: 'web', kind: 'visitor' },
  ...Object.entries(DEFINITIONS).flatMap(([channel, { identityKinds }]) =>
    Object.keys(identityKinds).map((kind) => ({ channel, kind })),
  ),
]

/**
 * Gives a contact the conversations back that a merge had moved, with what was said there since, and those begun since
 * that came through an identity of its own. One that the merge closed is opened again if nothing happened there. The
 * caller holds both contacts' locks, and has returned the identities.
 */
export const returnConversations = async (
  ctx: Ctx,
  { from, to, ids, closedIds, mergedAt }: Returned,
): Promise<void> => {
  const { db, workspaceId } = ctx
  const isKnownAs = (contactId: string) => sql`exists (select from identities i
    where i.workspace_id = c.workspace_id and i.contact_id = ${contactId} and i.kind in (
      select kind from jsonb_to_recordset(${JSON.stringify(KINDS)}::jsonb) as k (channel text, kind text)
      where k.channel = c.channel))`
  await sql`
    with own as (
      select c.id from conversations c
      where c.workspace_id = ${workspaceId} and c.contact_id = ${from} and (
        c.id = any(${ids}::text[]) or c.created_at >= ${mergedAt} and case c.channel
          when 'email' then exists (select from email_threads t
            join identities i on i.workspace_id = t.workspace_id and i.kind = 'email' and i.value = t.address
            where t.workspace_id = c.workspace_id and t.conversation_id = c.id and i.contact_id = ${to})
          else ${isKnownAs(to)} and not ${isKnownAs(from)} end)
    ), moved as (
      update conversations c set contact_id = ${to},
        last_message_sender_id = case when last_message_sender_id = ${from} then ${to} else last_message_sender_id end
      from own where c.workspace_id = ${workspaceId} and c.id = own.id
    )
    update messages m set sender_id = ${to}
    from own
    where m.workspace_id = ${workspaceId} and m.conversation_id = own.id
      and m.sender_type = 'customer' and m.sender_id = ${from}`.execute(db)
  const { rows: closed } = await sql<LockedConversation>`
    select ${lockedColumns(ctx)} from conversations c
    where c.workspace_id = ${workspaceId} and c.contact_id = ${to} and c.id = any(${closedIds}::text[])
      and c.status = 'closed' and c.updated_at <= ${mergedAt}
      and not exists (select from conversations o where o.workspace_id = c.workspace_id
        and o.contact_id = ${to} and o.channel_account_id = c.channel_account_id and o.status = 'open')
    for no key update`.execute(db)
  for (const conversation of closed) await reopen(ctx, conversation, actorId(ctx.actor))
}
