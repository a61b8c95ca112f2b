// All SQL of notifications on their way to browsers.
import { sql } from 'kysely'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { NotificationKind } from '../../platform/db/tables.ts'
import { isSince } from '../accounts/session-queries.ts'
import { sessionBounds } from '../accounts/session-time.ts'
import { MEMBER_ROLE, memberSees } from '../visible-conversations.ts'

/** Whoever claimed one and didn't record an outcome by then is gone: it is sent again. */
const CLAIM_MS = 60_000
/** As much of a text as a notification may show; UTF-8 keeps it below the 4 KB of a push. */
const TEXT_MAX = 300

type Ref = { workspaceId: string; notificationId: string; subscriptionId: string }

export type ClaimedPush = Ref & {
  tries: number
  createdAt: string
  host: string
  endpoint: string
  publicKey: string
  authSecret: string
  kind: NotificationKind
  conversationId: string
  conversationCount: number
  workspaceName: string
  customerName: string
  actorName: string | null
  /** Null if it was deleted meanwhile, or has none. */
  text: string | null
  showText: boolean | null
  language: string | null
  /** The person may still see it, and is still signed in there. */
  isWanted: boolean
}

/** Claims what is due, except for hosts that have enough to do. What it says is read now, not when it was decided. */
export const claimPushes = async (
  db: Db,
  now: Date,
  { busyHosts, max }: { busyHosts: readonly string[]; max: number },
): Promise<ClaimedPush[]> => {
  const { seenAfter, createdAfter } = sessionBounds(now)
  const { rows } = await sql<ClaimedPush>`
    with claimed as (
      update push_deliveries d set tries = d.tries + 1, not_before = ${new Date(now.getTime() + CLAIM_MS)}
      where (workspace_id, notification_id, subscription_id) in (
        select workspace_id, notification_id, subscription_id from push_deliveries
        where not_before <= ${now} and host <> all (${busyHosts}::text[]) and ${isAtWork('workspace_id')}
        order by not_before limit ${max} for update skip locked)
      returning d.*
    )
    select d.workspace_id as "workspaceId", d.notification_id as "notificationId",
      d.subscription_id as "subscriptionId", d.tries, n.created_at as "createdAt", p.host, p.endpoint,
      p.public_key as "publicKey", p.auth_secret as "authSecret", n.kind, n.conversation_id as "conversationId",
      n.conversation_count as "conversationCount", w.name as "workspaceName", k.name as "customerName",
      o.nickname as "actorName", left(coalesce(t.body, g.body, c.last_message_body), ${TEXT_MAX}::integer) as text,
      (q.settings ->> 'showText')::boolean as "showText", a.language,
      coalesce(${memberSees} and ${isSince}, false) as "isWanted"
    from claimed d
    join notifications n on n.workspace_id = d.workspace_id and n.id = d.notification_id
    join push_subscriptions p on p.id = d.subscription_id
    join workspaces w on w.id = n.workspace_id
    join conversations c on c.workspace_id = n.workspace_id and c.id = n.conversation_id
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    left join sessions s on s.hash = p.session_hash and s.account_id = n.account_id and s.seen_at > ${seenAfter}
      and s.created_at > ${createdAfter}
    left join memberships m on m.workspace_id = n.workspace_id and m.account_id = s.account_id
      and m.removed_at is null and m.role <> 'ai'
    left join roles r on ${MEMBER_ROLE}
    join accounts a on a.id = n.account_id
    left join accounts o on o.id = n.actor_id
    left join notes t on n.kind = 'mentioned' and t.workspace_id = n.workspace_id and t.id = n.subject_id
    left join messages g on g.workspace_id = n.workspace_id and g.id = n.subject_id
    left join notification_settings q on q.account_id = n.account_id`.execute(db)
  return rows
}

export const deletePush = async (
  db: Db,
  { workspaceId, notificationId, subscriptionId }: Ref,
): Promise<void> => {
  await db
    .deleteFrom('push_deliveries')
    .where('workspace_id', '=', workspaceId)
    .where('notification_id', '=', notificationId)
    .where('subscription_id', '=', subscriptionId)
    .execute()
}

export const delayPush = async (
  db: Db,
  { workspaceId, notificationId, subscriptionId }: Ref,
  until: Date,
): Promise<void> => {
  await db
    .updateTable('push_deliveries')
    .set({ not_before: until })
    .where('workspace_id', '=', workspaceId)
    .where('notification_id', '=', notificationId)
    .where('subscription_id', '=', subscriptionId)
    .execute()
}
