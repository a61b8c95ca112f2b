// The SQL of the outcomes of a broadcast's recipients. Turns are in turn-queries.ts.
import { expressionBuilder, type Nullable, type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { type RowOf, selected } from '../../platform/db/select-list.ts'
import type { RecipientOutcome, Tables } from '../../platform/db/tables.ts'
import type { EventData } from '../../platform/events/catalogue.ts'

/** The counts of a broadcast after a change. */
export type Progress = EventData['broadcast.updated'] & { isToAnnounce: boolean }

/** Live progress is announced at most this often; the end of a broadcast always is. */
export const ANNOUNCED_EVERY_MS = 1_000

/** Programs hear of progress at most once in each span of this length since the start. */
const PROGRESSED_EVERY_SECONDS = 5

/** In which span a moment of the broadcast `b` lies. */
const spanOf = (moment: RawBuilder<unknown>) =>
  sql`floor(extract(epoch from ${moment} - b.created_at) / ${sql.lit(PROGRESSED_EVERY_SECONDS)})`

/** Those of the broadcasts, locked, as they were before the statement. */
const beforehand = ({ workspaceId }: Ctx, ids: RawBuilder<unknown>) => sql`
  beforehand as materialized (
    select id, status, announced_at from broadcasts
    where workspace_id = ${workspaceId} and id in (${ids})
    order by id
    for no key update
  )`

/** What has become of the broadcast `b`, which was `beforehand o`. */
const stepColumn = ({ now }: Ctx) => sql`
  case
    when b.status <> 'sending' then case when b.status <> o.status then 'ended' end
    when ${spanOf(sql`${now()}::timestamptz`)} > ${spanOf(sql`coalesce(o.announced_at, b.created_at)`)} then 'progressed'
  end as step`

/** The unannounced progress of a broadcast that has not ended; it counts as announced from now on. */
export const markAnnounced = async (
  ctx: Ctx,
  broadcastId: string,
): Promise<Omit<Progress, 'isToAnnounce'> | undefined> => {
  const { db, workspaceId, now } = ctx
  const { rows } = await sql<Omit<Progress, 'isToAnnounce'>>`
    with ${beforehand(ctx, sql`${broadcastId}`)}
    update broadcasts b set announced_at = ${now()}
    from beforehand o
    where b.workspace_id = ${workspaceId} and b.id = o.id and b.status = 'sending'
    returning b.id as "broadcastId", ${stepColumn(ctx)}, ${progressColumns}`.execute(db)
  return rows[0]
}

export const progressColumns = sql`b.status, b.total_count as "totalRecipients", b.sent_count as "sentCount",
  b.failed_count as "failedCount", b.skipped_count as "skippedCount"`

/**
 * The second half of a statement whose part `changed` yields broadcast_id, before and after: updates the counts, and
 * returns them.
 */
const counted = (ctx: Ctx) => {
  const { workspaceId, now } = ctx
  return sql`
  , delta as (
    select broadcast_id,
      count(*) filter (where after = 'sent') - count(*) filter (where before = 'sent') as sent,
      count(*) filter (where after = 'failed') - count(*) filter (where before = 'failed') as failed,
      count(*) filter (where after = 'skipped') - count(*) filter (where before = 'skipped') as skipped
    from changed
    where before <> after
    group by broadcast_id
  ), ${beforehand(ctx, sql`select broadcast_id from delta`)}
  update broadcasts b set
    total_count = b.total_count - delta.skipped::integer,
    sent_count = b.sent_count + delta.sent::integer,
    failed_count = b.failed_count + delta.failed::integer,
    skipped_count = b.skipped_count + delta.skipped::integer,
    announced_at = case
      when b.announced_at is null
        or b.announced_at <= ${new Date(now().getTime() - ANNOUNCED_EVERY_MS)}::timestamptz
        or b.sent_count + delta.sent + b.failed_count + delta.failed >= b.total_count - delta.skipped
      then ${now()}::timestamptz else b.announced_at end
  from delta join beforehand o on o.id = delta.broadcast_id
  where b.workspace_id = ${workspaceId} and b.id = o.id
    and (delta.sent <> 0 or delta.failed <> 0 or delta.skipped <> 0)
  returning b.id as "broadcastId", ${stepColumn(ctx)}, ${progressColumns},
    b.announced_at = ${now()}::timestamptz as "isToAnnounce"`
}

/** Ends waiting recipients without a message: skipped, or failed. */
export const endTurns = async (
  ctx: Ctx,
  broadcastId: string,
  contactIds: readonly string[],
  end: { outcome: 'skipped' | 'failed'; code: string; message: string | null },
): Promise<Progress[]> => {
  const { rows } = await sql<Progress>`
    with changed as (
      update broadcast_recipients r set outcome = ${end.outcome}, error_code = ${end.code},
        error_message = ${end.message}, not_before = null, updated_at = ${ctx.now()}
      where r.workspace_id = ${ctx.workspaceId} and r.broadcast_id = ${broadcastId}
        and r.contact_id = any(${contactIds}::text[]) and r.outcome = 'pending'
      returning r.broadcast_id, 'pending' as before, r.outcome as after
    )${counted(ctx)}`.execute(ctx.db)
  return rows
}

/** Locks the recipients of messages, always in the same order. */
export const lockRecipients = async (
  { db, workspaceId }: Ctx,
  messageIds: readonly string[],
): Promise<void> => {
  await sql`
    select from broadcast_recipients
    where workspace_id = ${workspaceId} and message_id = any(${messageIds}::text[])
    order by broadcast_id, contact_id
    for no key update`.execute(db)
}

/**
 * Updates recipients to match their messages and deliveries: the only place where that is decided. A refusal that means
 * "no such messages any more" (`optedOutCode`) skips the recipient; any other is a failure. The caller has locked the
 * recipients in a separate statement: this one sees messages as of its start, and if it had to wait for a lock, it
 * would miss what another transaction changed meanwhile.
 */
export const followMessages = async (
  ctx: Ctx,
  messageIds: readonly string[],
  optedOutCode: string,
): Promise<Progress[]> => {
  const { rows } = await sql<Progress>`
    with judged as (
      select r.broadcast_id, r.contact_id, r.outcome as before, d.not_before,
        m.metadata #>> '{error,code}' as code, m.metadata #>> '{error,message}' as message,
        case
          when m.status in ('sent', 'delivered', 'read') then 'sent'
          when m.status = 'failed' then
            case when m.metadata #>> '{error,code}' = ${optedOutCode} then 'skipped' else 'failed' end
          when d.state = 'unconfirmed' then 'unconfirmed'
          when d.state = 'pending' then 'pending'
          else 'sending' end as after
      from broadcast_recipients r
      join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id
      left join lateral (
        select state, not_before from deliveries d
        where d.workspace_id = r.workspace_id and d.message_id = m.id
        order by d.id desc
        limit 1
      ) d on true
      where r.workspace_id = ${ctx.workspaceId} and r.message_id = any(${messageIds}::text[])
    ), changed as (
      update broadcast_recipients r set outcome = j.after, error_code = j.code, error_message = j.message,
        not_before = case when j.after = 'pending' then j.not_before end, updated_at = ${ctx.now()}
      from judged j
      where r.workspace_id = ${ctx.workspaceId} and r.broadcast_id = j.broadcast_id and r.contact_id = j.contact_id
        and (r.outcome <> j.after or r.error_code is distinct from j.code or j.after = 'pending')
      returning r.broadcast_id, j.before, j.after
    )${counted(ctx)}`.execute(ctx.db)
  return rows
}

/**
 * Merges the recipients of two merged contacts. If both are in a broadcast, only one message is sent: a waiting turn is
 * skipped if the other one waits too, is in progress or is done. Returns the changed counts.
 */
export const moveRecipients = async (ctx: Ctx, from: string, to: string): Promise<Progress[]> => {
  await sql`
    update broadcast_recipients r set contact_id = ${to}
    from broadcasts b
    where b.workspace_id = ${ctx.workspaceId} and r.workspace_id = b.workspace_id and r.broadcast_id = b.id
      and r.contact_id = ${from}
      and not exists (select from broadcast_recipients o
        where o.workspace_id = r.workspace_id and o.broadcast_id = r.broadcast_id and o.contact_id = ${to})`.execute(
    ctx.db,
  )
  const { rows } = await sql<Progress>`
    with changed as (
      update broadcast_recipients r set outcome = 'skipped', error_code = 'DUPLICATE', not_before = null,
        updated_at = ${ctx.now()}
      from broadcasts b
      where b.workspace_id = ${ctx.workspaceId} and b.status = 'sending' and r.workspace_id = b.workspace_id
        and r.broadcast_id = b.id and r.outcome = 'pending' and (r.contact_id = ${from} or r.contact_id = ${to}
          and exists (select from broadcast_recipients o
            where o.workspace_id = r.workspace_id and o.broadcast_id = r.broadcast_id and o.contact_id = ${from}
              and o.outcome in ('sending', 'sent', 'unconfirmed')))
      returning r.broadcast_id, 'pending' as before, r.outcome as after
    )${counted(ctx)}`.execute(ctx.db)
  return rows
}

/** Gives a contact its turns in these broadcasts back. */
export const returnRecipients = async (
  { db, workspaceId }: Ctx,
  { from, to, broadcastIds }: { from: string; to: string; broadcastIds: readonly string[] },
): Promise<void> => {
  await sql`
    update broadcast_recipients set contact_id = ${to}
    where workspace_id = ${workspaceId} and contact_id = ${from}
      and broadcast_id = any(${broadcastIds}::text[])`.execute(db)
}

/** Messages of these contacts' turns that were skipped as duplicates. */
export const listDuplicateMessages = async (
  { db, workspaceId }: Ctx,
  contactIds: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select message_id as id from broadcast_recipients
    where workspace_id = ${workspaceId} and contact_id = any(${contactIds}::text[]) and outcome = 'skipped'
      and error_code = 'DUPLICATE' and message_id is not null`.execute(db)
  return rows.map(({ id }) => id)
}

// Console ---------------------------------------------------------------------------------------------------------

type Joined = {
  r: Tables['broadcast_recipients']
  k: Nullable<Tables['contacts']>
  m: Nullable<Tables['messages']>
}
const joined = expressionBuilder<Joined, keyof Joined>()

const RECIPIENT = {
  contactId: joined.ref('r.contact_id'),
  name: joined.ref('k.name'),
  phone: joined.ref('k.phone'),
  outcome: joined.ref('r.outcome'),
  code: joined.ref('r.error_code'),
  message: joined.ref('r.error_message'),
  messageId: joined.ref('r.message_id'),
  conversationId: joined.ref('m.conversation_id'),
  status: joined.ref('m.status'),
  updatedAt: joined.ref('r.updated_at'),
}

export type RecipientRow = RowOf<typeof RECIPIENT>

type RecipientsAfter = { broadcastId: string; outcome: RecipientOutcome | null; after: string; limit: number }

/** In the order of the contacts' ids, so that no row is skipped or repeated if it changes meanwhile. */
export const listRecipientsAfter = async (
  { db, workspaceId }: Ctx,
  { broadcastId, outcome, after, limit }: RecipientsAfter,
): Promise<RecipientRow[]> => {
  const { rows } = await sql<RecipientRow>`
    select ${selected(RECIPIENT)}
    from broadcast_recipients r
    left join contacts k on k.workspace_id = r.workspace_id and k.id = r.contact_id
    left join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id
    where r.workspace_id = ${workspaceId} and r.broadcast_id = ${broadcastId} and r.contact_id > ${after}
      and (${outcome}::text is null or r.outcome = ${outcome})
    order by r.contact_id
    limit ${limit}`.execute(db)
  return rows
}
