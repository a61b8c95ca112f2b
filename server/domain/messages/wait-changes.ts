// What messages change about how long their customers may wait for an answer, as parts of the statement that stores
// them. See conversations/waits.ts.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { Metadata, SenderType } from '../../platform/db/tables.ts'
import { dueAt, hasAnswer, resumeWait } from '../conversations/waits.ts'
import { type TeamSettings, teamSettingsOf } from '../team-settings/team-settings.ts'

type Written = {
  conversationId: string
  teamId?: string | null
  teamRevision?: number | null
  isSnoozed?: boolean
  createdAt: Date
  senderType: SenderType
  senderId: string
  actor?: string
  metadata?: Metadata | null
  inboundAt?: Date | null
}

/**
 * Not a flow's: what it says on its own is no reply to the customer's question. Nor is an email forwarded to somebody
 * else.
 */
export const isAnswer = ({ senderType, senderId, metadata }: Written): boolean =>
  (senderType === 'agent' || senderId.startsWith('api:')) && metadata?.forwardOf === undefined

/** CTEs, the first without a comma before it, and what they set in conversations `c` with rows of `turn` joined. */
export type WaitChanges = {
  ctes: RawBuilder<unknown>
  columns: RawBuilder<unknown>
  join: RawBuilder<unknown>
}

type Turn = {
  conversationId: string
  teamId: string | null
  /** Who answered first, and when. */
  answeredAt: Date | null
  answeredBy: string | null
  /** The customer's first message after the last answer. */
  startedAt: Date | null
}

/** Undefined where no customer has to be answered by a time. */
export const waitChangesOf = async (
  ctx: Ctx,
  messages: readonly Written[],
): Promise<WaitChanges | undefined> => {
  const settings = await teamSettingsOf(ctx, messages[0]?.teamRevision ?? null)
  if (!settings?.hasTargets) return undefined
  for (const { conversationId: id, isSnoozed, inboundAt, teamId = null, teamRevision = null } of messages)
    if (isSnoozed && inboundAt) await resumeWait(ctx, { id, teamId, teamRevision })
  const turns = turnsOf(settings, messages)
  return turns.length === 0 ? undefined : changesOf(ctx, settings, turns)
}

const turnsOf = ({ aiCounts }: TeamSettings, messages: readonly Written[]): Turn[] => {
  const turns = new Map<string, Turn>()
  for (const message of messages) {
    const { conversationId, createdAt, teamId = null, senderId, inboundAt } = message
    const known = turns.get(conversationId)
    const turn = known ?? { conversationId, teamId, answeredAt: null, answeredBy: null, startedAt: null }
    if (isAnswer(message) && (aiCounts || !message.actor?.startsWith('ai:'))) {
      turn.answeredAt ??= createdAt
      turn.answeredBy ??= senderId
      turn.startedAt = null
    } else if (inboundAt) turn.startedAt ??= createdAt
    else continue
    turns.set(conversationId, turn)
  }
  return [...turns.values()]
}

const changesOf = (ctx: Ctx, settings: TeamSettings, turns: readonly Turn[]): WaitChanges => {
  const { workspaceId } = ctx
  const rows = turns.map(({ startedAt: from, ...turn }) => ({
    ...turn,
    startedAt: from,
    waitId: from && ctx.newId(),
    firstDueAt: from && dueAt(settings, { teamId: turn.teamId, kind: 'first', from }),
    nextDueAt: from && dueAt(settings, { teamId: turn.teamId, kind: 'next', from }),
  }))
  return {
    ctes: sql`turn as (
      select t.*, t."answeredAt" is not null as ends, c.wait_id as running, case k.kind when 'first' then t."firstDueAt" else t."nextDueAt" end as due,
        k.kind, t."waitId" is not null and (c.wait_id is null or t."answeredAt" is not null)
          and case k.kind when 'first' then t."firstDueAt" else t."nextDueAt" end is not null as starts
      from ${rowsOf(rows)} as t ("conversationId" text, "teamId" text, "answeredAt" timestamptz, "answeredBy" text,
        "startedAt" timestamptz, "waitId" text, "firstDueAt" timestamptz, "nextDueAt" timestamptz)
      join conversations c on c.workspace_id = ${workspaceId} and c.id = t."conversationId"
      cross join lateral (
        select case when t."answeredAt" is not null or ${hasAnswer(ctx, sql`c.id`)} then 'next' else 'first' end as kind
      ) k
    ), wait_ended as (
      update waits w set ended_at = t."answeredAt", answered_at = t."answeredAt", answered_by = t."answeredBy"
      from turn t where w.workspace_id = ${workspaceId} and w.id = t.running and t.ends
    ), wait_started as (
      insert into waits (workspace_id, id, conversation_id, kind, team_id, started_at, due_at)
      select ${workspaceId}, "waitId", "conversationId", kind, "teamId", "startedAt", due from turn where starts
    ), `,
    columns: sql`,
        wait_id = case when t.starts then t."waitId" when t.ends then null else c.wait_id end,
        answer_due_at = case when t.starts then t.due when t.ends then null else c.answer_due_at end`,
    join: sql` left join turn t on t."conversationId" = i."conversationId"`,
  }
}
