// How workers learn of due deliveries: announced with the commit that makes them due, and listed by channel account.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'

export const DELIVERIES_CHANNEL = 'foyer_deliveries'

export type DueConversation = { workspaceId: string; channelAccountId: string; conversationId: string }

type Announced = Omit<DueConversation, 'workspaceId'>

/**
 * Notifies every worker, once the caller's transaction has committed, that messages of these conversations may be due.
 */
export const announceDeliveries = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  conversations: readonly Announced[],
): Promise<void> => {
  if (conversations.length === 0) return
  const payloads = conversations.map(
    ({ channelAccountId, conversationId }) => `${workspaceId} ${channelAccountId} ${conversationId}`,
  )
  await sql`select count(pg_notify(${DELIVERIES_CHANNEL}, payload)) from unnest(${payloads}::text[]) payload`.execute(
    db,
  )
}

/** The same, returned by a statement that stores rows of deliveries; equal ones are sent once. */
export const ANNOUNCED = sql`
  pg_notify(${DELIVERIES_CHANNEL}, concat_ws(' ', workspace_id, channel_account_id, conversation_id))`

export const readAnnouncement = (payload: string): DueConversation | undefined => {
  const [workspaceId, channelAccountId, conversationId] = payload.split(' ')
  return workspaceId && channelAccountId && conversationId
    ? { workspaceId, channelAccountId, conversationId }
    : undefined
}

/** Makes all messages that wait for an account due, for their outcome to be found out now. */
export const hastenDeliveries = async (
  { db, workspaceId, now }: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  channelAccountId: string,
): Promise<void> => {
  await sql`
    update deliveries set not_before = ${now()}
    where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId} and state = 'pending'
      and not_before > ${now()}`.execute(db)
}

type Account = Omit<DueConversation, 'conversationId'>

/**
 * Conversations with a due delivery, except those that a broadcast retries itself; for each account, the longest due
 * first. `next` is where the following call continues if there were too many accounts.
 */
export const listDue = async (
  db: Db,
  now: Date,
  after: Account | null,
  { accountsMax, perAccountMax }: { accountsMax: number; perAccountMax: number },
): Promise<{ due: DueConversation[]; next: Account | null }> => {
  const { rows } = await sql<DueConversation & { accounts: number }>`
    with recursive account as (
      (select workspace_id, channel_account_id, 1 as place from deliveries
        where state = 'pending'
          and (workspace_id, channel_account_id) > (${after?.workspaceId ?? ''}, ${after?.channelAccountId ?? ''})
        order by workspace_id, channel_account_id
        limit 1)
      union all
      select n.workspace_id, n.channel_account_id, a.place + 1
      from account a cross join lateral (
        select d.workspace_id, d.channel_account_id from deliveries d
        where d.state = 'pending'
          and (d.workspace_id, d.channel_account_id) > (a.workspace_id, a.channel_account_id)
        order by d.workspace_id, d.channel_account_id
        limit 1
      ) n
      where a.place < ${accountsMax}::integer
    )
    select a.workspace_id as "workspaceId", a.channel_account_id as "channelAccountId",
      d.conversation_id as "conversationId", a.place as accounts
    from account a left join lateral (
      select d.conversation_id from deliveries d
      where d.workspace_id = a.workspace_id and d.channel_account_id = a.channel_account_id
        and d.state = 'pending' and d.not_before <= ${now} and ${isAtWork('d.workspace_id')}
        and not exists (select from broadcast_recipients r
          where r.workspace_id = d.workspace_id and r.message_id = d.message_id and r.outcome = 'pending')
      order by d.not_before
      limit ${perAccountMax}::integer
    ) d on true
    order by a.place`.execute(db)
  const last = rows.at(-1)
  const isCut = last !== undefined && last.accounts >= accountsMax
  return {
    due: rows.filter(({ conversationId }) => conversationId !== null),
    next: isCut ? { workspaceId: last.workspaceId, channelAccountId: last.channelAccountId } : null,
  }
}
