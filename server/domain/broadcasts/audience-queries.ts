// The SQL of audiences: who is in them, and from which number each can be reached.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { People } from '../contacts/audience-filter.ts'
import type { Identity } from '../contacts/people-queries.ts'

export const findGroup = async (
  { db, workspaceId }: Ctx,
  id: string,
): Promise<{ id: string; name: string } | undefined> =>
  db
    .selectFrom('contact_groups')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

export const membersOf = ({ workspaceId }: Ctx, groupId: string): People => sql`
  select contact_id, 0::bigint as place, null::jsonb as parameters from contact_group_members
  where workspace_id = ${workspaceId} and group_id = ${groupId}`

export const theContacts = (contactIds: readonly string[]): People => sql`
  select contact_id collate "C" as contact_id, place, null::jsonb as parameters
  from unnest(${contactIds}::text[]) with ordinality q (contact_id, place)`

/** A listed recipient: every identity that may find its contact, the most certain first. */
export type ListedRecipient = { names: readonly Identity[]; parameters: readonly string[] | null }

/** The contacts of listed recipients; unknown recipients are omitted. */
export const listedPeople = ({ workspaceId }: Ctx, recipients: readonly ListedRecipient[]): People => {
  const names = recipients.flatMap(({ names }, index) => names.map((name) => ({ ...name, place: index + 1 })))
  return sql`
    select distinct on (q.place) i.contact_id, q.place::bigint as place, p.parameters::jsonb as parameters
    from unnest(
      ${names.map(({ place }) => place)}::integer[], ${names.map(({ kind }) => kind)}::text[],
      ${names.map(({ value }) => value)}::text[]
    ) with ordinality q (place, kind, value, rank)
    join identities i on i.workspace_id = ${workspaceId} and i.kind = q.kind and i.value = q.value
    join unnest(
      ${recipients.map(({ parameters }) => parameters && JSON.stringify(parameters))}::text[]
    ) with ordinality p (parameters, place) on p.place = q.place
    order by q.place, q.rank`
}

/**
 * The people of an audience, each once (p), with their contacts (k) and the number that they are reached from: the one
 * of their latest WhatsApp conversation, null if they have none.
 */
export const reached = ({ workspaceId }: Ctx, people: People) => sql`
  (select distinct on (contact_id) * from (${people}) a order by contact_id, place) p
  join contacts k on k.workspace_id = ${workspaceId} and k.id = p.contact_id
  left join lateral (
    select c.channel_account_id from conversations c
    where c.workspace_id = ${workspaceId} and c.contact_id = k.id and c.channel = 'whatsapp'
    order by c.updated_at desc, c.id desc
    limit 1
  ) v on true`

/** Why someone with a WhatsApp conversation is skipped; null if they are not. */
const reasonOf = (accountIds: readonly string[]) => sql`case
  when k.opted_out_at is not null then 'OPTED_OUT'
  when v.channel_account_id <> all (${accountIds}::text[]) then 'TEMPLATE_NOT_FOUND' end`

export type Stored = { channelAccountId: string; isSkipped: boolean; count: number }

/**
 * Stores everyone in the audience who has a WhatsApp conversation, in one statement without loading them. `accountIds`
 * are the numbers that have the template; `merged`, the
 * parameters of those without their own.
 */
export const insertRecipients = async (
  ctx: Ctx,
  broadcastId: string,
  people: People,
  accountIds: readonly string[],
  merged: RawBuilder<unknown>,
): Promise<Stored[]> => {
  const { rows } = await sql<Stored>`
    with stored as (
      insert into broadcast_recipients
        (workspace_id, broadcast_id, contact_id, channel_account_id, outcome, error_code, parameters, updated_at)
      select ${ctx.workspaceId}, ${broadcastId}, r.contact_id, r.channel_account_id,
        case when r.reason is null then 'pending' else 'skipped' end, r.reason, r.parameters, ${ctx.now()}
      from (
        select k.id as contact_id, v.channel_account_id, coalesce(p.parameters, ${merged}) as parameters,
          ${reasonOf(accountIds)} as reason
        from ${reached(ctx, people)}
        where v.channel_account_id is not null
      ) r
      returning channel_account_id, outcome
    )
    select channel_account_id as "channelAccountId", outcome = 'skipped' as "isSkipped", count(*) as count
    from stored group by 1, 2 order by 1, 2`.execute(ctx.db)
  return rows
}

type Judged = {
  /** How many recipients were listed, as far as they are known, including duplicates. */
  named: number
  /** Known people, each once. */
  known: number
  leftOut: { reason: string; count: number }[]
  sample: { contactId: string; name: string; phone: string | null; reason: string | null }[]
}

/** Counts who in an audience would receive the broadcast. */
export const judgeAudience = async (
  ctx: Ctx,
  people: People,
  accountIds: readonly string[],
  sampleMax: number,
): Promise<Judged> => {
  const { rows } = await sql<Judged>`
    with meant as materialized (${people}), judged as materialized (
      select k.id, k.name, k.phone, p.place,
        case when v.channel_account_id is null then 'NO_WHATSAPP' else ${reasonOf(accountIds)} end as reason
      from ${reached(ctx, sql`select * from meant`)}
    )
    select (select count(*) from meant a
        join contacts c on c.workspace_id = ${ctx.workspaceId} and c.id = a.contact_id) as named,
      (select count(*) from judged) as known,
      coalesce((select json_agg(json_build_object('reason', reason, 'count', count) order by count desc, reason) from (
        select reason, count(*) as count from judged where reason is not null group by reason) r), '[]') as "leftOut",
      coalesce((select json_agg(json_build_object(
          'contactId', id, 'name', name, 'phone', phone, 'reason', reason) order by place, id) from (
        select * from judged order by place, id limit ${sampleMax}) s), '[]') as sample`.execute(ctx.db)
  return rows[0]!
}
