// What the AI agent's work came to, and the conversations behind each number.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import { seenBy } from '../visible-conversations.ts'
import {
  type AiReport,
  type Episode,
  type EpisodeKind,
  type EpisodeList,
  type EpisodesQuery,
  REPORT_DAYS_DEFAULT,
  type ReportCounts,
} from './report-schema.ts'

const DAY_MS = 24 * 3_600_000
/** There are about twenty. */
const REASONS_MAX = 50

/** Which rows `o` of ai_outcomes are of a kind. What a number counts and what it opens to are the same. */
const IS: Record<EpisodeKind, RawBuilder<boolean>> = {
  involved: sql`true`,
  ended: sql`o.ended_at is not null`,
  answered: sql`o.answered > 0`,
  confirmed: sql`o.confirmed_by is not null`,
  assumed: sql`o.is_assumed`,
  handed_over: sql`o.handed_over_at is not null`,
  reopened: sql`o.reopened_at is not null`,
  wrong: sql`o.wrong > 0`,
  judged: sql`j.is_right is not null and o.reopened_at is null`,
  judged_wrong: sql`not j.is_right and o.reopened_at is null`,
}

const count = (kind: EpisodeKind) => sql`(count(*) filter (where ${IS[kind]}))::integer`

const COUNTS = sql`
  ${count('involved')} as involved, ${count('ended')} as ended, ${count('answered')} as answered,
  ${count('confirmed')} as confirmed, ${count('assumed')} as assumed, ${count('handed_over')} as "handedOver",
  ${count('reopened')} as reopened, ${count('wrong')} as wrong,
  ${count('judged')} as judged, ${count('judged_wrong')} as "judgedWrong",
  coalesce(sum(o.input_tokens + o.output_tokens), 0)::float8 as tokens, coalesce(sum(o.cost), 0)::float8 as cost`

const DAY = sql`to_char(o.started_at at time zone 'UTC', 'YYYY-MM-DD')`

/** From the beginning of a day in UTC, so that each day counts as a whole. */
const since = (ctx: Ctx, days: number): Date =>
  new Date(Math.floor(ctx.now().getTime() / DAY_MS) * DAY_MS - (days - 1) * DAY_MS)

/** Episodes of conversations that the actor may see, by when they began. */
const shown = ({ workspaceId, actor }: Ctx, from: Date) => sql`
  from ai_outcomes o
  join conversations c on c.workspace_id = o.workspace_id and c.id = o.conversation_id
  left join ai_judgements j on j.workspace_id = o.workspace_id and j.conversation_id = o.conversation_id
    and j.first_id = o.first_id
  where o.workspace_id = ${workspaceId} and o.started_at >= ${from}${seenBy(actor, 'c')}`

/** Counted by the day on which an episode began. */
export const getAiReport = async (
  ctx: Ctx,
  { days = REPORT_DAYS_DEFAULT }: { days?: number },
): Promise<AiReport> => {
  const from = since(ctx, days)
  const median = (column: string) =>
    sql`floor(percentile_cont(0.5) within group (order by ${sql.ref(column)}))::float8`
  const { rows } = await sql<{
    total: AiReport['total']
    byDay: AiReport['byDay'] | null
    reasons: AiReport['reasons'] | null
    drafts: AiReport['drafts']
    currency: string | null
  }>`
    select
      (select to_json(t) from (select ${COUNTS}, ${median('o.first_reply_ms')} as "firstReplyMs",
        ${median('o.hand_over_ms')} as "handOverMs" ${shown(ctx, from)}) t) as total,
      (select json_agg(d order by d.day desc) from (
        select ${DAY} as day, ${COUNTS} ${shown(ctx, from)} group by 1) d) as "byDay",
      (select json_agg(r) from (
        select o.hand_over_reason as reason, count(*)::integer as count
        ${shown(ctx, from)} and ${IS.handed_over} group by 1 order by 2 desc, 1
        limit ${REASONS_MAX}::integer) r) as reasons,
      (select to_json(w) from (${draftsIn(ctx, from)}) w) as drafts,
      (select currency from ai_providers where workspace_id = ${ctx.workspaceId}) as currency`.execute(ctx.db)
  const { total, byDay, reasons, drafts, currency } = rows[0]!
  return {
    days,
    currency,
    total,
    byDay: withEmptyDays(byDay ?? [], from, days),
    reasons: reasons ?? [],
    drafts,
  }
}

/** Several to choose from count once. What the agent didn't dare to send wasn't written for people. */
const draftsIn = ({ workspaceId, actor }: Ctx, from: Date) => sql`
  select count(*)::integer as written,
    (count(*) filter (where used))::integer as used,
    (count(*) filter (where changed and not used))::integer as changed,
    (count(*) filter (where dismissed and not changed and not used))::integer as dismissed,
    (count(*) filter (where not dismissed and not changed and not used))::integer as unused
  from (
    select bool_or(d.state = 'used') as used, bool_or(d.state = 'changed') as changed,
      bool_or(d.state = 'dismissed') as dismissed
    from reply_drafts d
    join ai_turns t on t.workspace_id = d.workspace_id and t.id = d.turn_id and t.kind = 'draft'
    join conversations c on c.workspace_id = d.workspace_id and c.id = d.conversation_id
    where d.workspace_id = ${workspaceId} and d.turn_id is not null and d.created_at >= ${from}${seenBy(actor, 'c')}
    group by d.turn_id
  ) d`

const NOTHING: ReportCounts = {
  involved: 0,
  ended: 0,
  answered: 0,
  confirmed: 0,
  assumed: 0,
  handedOver: 0,
  reopened: 0,
  wrong: 0,
  judged: 0,
  judgedWrong: 0,
  tokens: 0,
  cost: 0,
}

/** The newest first. */
const withEmptyDays = (byDay: AiReport['byDay'], from: Date, days: number): AiReport['byDay'] => {
  const known = new Map(byDay.map((row) => [row.day, row]))
  return Array.from({ length: days }, (_, at) => {
    const day = new Date(from.getTime() + (days - 1 - at) * DAY_MS).toISOString().slice(0, 10)
    return known.get(day) ?? { day, ...NOTHING }
  })
}

/** The episodes that a number counts, the newest first. Throws VALIDATION_ERROR for a foreign cursor. */
export const listEpisodes = async (
  ctx: Ctx,
  { days = REPORT_DAYS_DEFAULT, kind = 'involved', day, reason, cursor, limit = PAGE_DEFAULT }: EpisodesQuery,
): Promise<EpisodeList> => {
  const listing = ['listEpisodes', ctx.workspaceId, days, kind, day, reason]
  const before = cursor === undefined ? undefined : decodeCursor(listing, cursor).id
  const { rows } = await sql<Episode>`
    select o.first_id as id, o.conversation_id as "conversationId", k.name as "contactName",
      o.started_at as "startedAt", o.ended_at as "endedAt", o.answered, o.confirmed_by as "confirmedBy",
      o.is_assumed as "isAssumed", o.hand_over_reason as "handOverReason", o.reopened_at as "reopenedAt", o.wrong,
      (o.input_tokens + o.output_tokens)::float8 as tokens, o.cost::float8 as cost
    from (select o.*, c.contact_id ${shown(ctx, since(ctx, days))} and ${IS[kind]}
      ${day === undefined ? sql`` : sql`and ${DAY} = ${day}`}
      ${reason === undefined ? sql`` : sql`and o.hand_over_reason = ${reason}`}
      ${before === undefined ? sql`` : sql`and o.first_id < ${before}`}
      order by o.first_id desc limit ${limit + 1}::integer) o
    join contacts k on k.workspace_id = o.workspace_id and k.id = o.contact_id
    order by o.first_id desc`.execute(ctx.db)
  const episodes = rows.slice(0, limit)
  const last = rows.length > limit ? episodes.at(-1) : undefined
  return { episodes, nextCursor: last ? encodeCursor(listing, { at: null, id: last.id }) : null }
}
