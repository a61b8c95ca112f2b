// How long a customer may wait for an answer: the running wait of a conversation stops while it is snoozed, and has the
// targets of the team that the conversation comes to. What customers and people write starts and ends waits in the
// statement that stores it (messages/wait-changes.ts), and closing does in its own. See docs/decisions/0091-waits.md.
import { sql } from 'kysely'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { record } from '../../platform/events/record.ts'
import { addOpenTime, openTimeBetween } from '../business-hours/open-time.ts'
import { type TeamSettings, targetsOf, teamSettingsOf } from '../team-settings/team-settings.ts'
import { type LockedConversation, lockConversation } from './queries.ts'

const MINUTE_MS = 60_000

type Place = Pick<LockedConversation, 'id' | 'teamId' | 'teamRevision'>

type Wait = {
  id: string
  kind: 'first' | 'next'
  startedAt: string
  dueAt: string
  pausedAt: string | null
  leftSeconds: number | null
}

/** When a customer who has waited from a moment on is to be answered; null: there is no target. */
export const dueAt = (
  settings: TeamSettings,
  { teamId, kind, from }: { teamId: string | null; kind: 'first' | 'next'; from: Date },
): Date | null => {
  const targets = targetsOf(settings, teamId)
  const minutes = targets[kind]
  return minutes === null ? null : addOpenTime(targets.hours, from, minutes * MINUTE_MS)
}

const findWait = async ({ db, workspaceId }: Ctx, conversationId: string): Promise<Wait | undefined> => {
  const { rows } = await sql<Wait>`
    select w.id, w.kind, w.started_at as "startedAt", w.due_at as "dueAt", w.paused_at as "pausedAt",
      w.left_seconds as "leftSeconds"
    from conversations c
    join waits w on w.workspace_id = c.workspace_id and w.id = c.wait_id
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId}`.execute(db)
  return rows[0]
}

type Change = {
  dueAt: Date | string
  pausedAt?: Date | null
  leftSeconds?: number | null
  /** Of business hours, in the pause that ends. */
  pausedSeconds?: number
  teamId?: string | null
}

/** Paused, the conversation is due at no time. */
const saveWait = async (
  { db, workspaceId }: Ctx,
  conversationId: string,
  waitId: string,
  { dueAt, pausedAt = null, leftSeconds = null, pausedSeconds = 0, teamId }: Change,
): Promise<void> => {
  await sql`
    with saved as (
      update waits set due_at = ${dueAt}, paused_at = ${pausedAt}, left_seconds = ${leftSeconds},
        paused_seconds = paused_seconds + ${pausedSeconds}::integer
        ${teamId === undefined ? sql`` : sql`, team_id = ${teamId}`}
      where workspace_id = ${workspaceId} and id = ${waitId}
    )
    update conversations set answer_due_at = ${pausedAt === null ? dueAt : null}
    where workspace_id = ${workspaceId} and id = ${conversationId}`.execute(db)
}

/** The conversation is snoozed: time stands still. In the caller's transaction, which holds its lock, as in the next. */
export const pauseWait = async (ctx: Ctx, { id, teamId, teamRevision }: Place): Promise<void> => {
  const settings = await teamSettingsOf(ctx, teamRevision)
  const wait = settings?.hasTargets ? await findWait(ctx, id) : undefined
  if (!settings || !wait || wait.pausedAt !== null) return
  const now = ctx.now()
  const { hours } = targetsOf(settings, teamId)
  const [due, isLate] = [new Date(wait.dueAt), Date.parse(wait.dueAt) <= now.getTime()]
  const leftMs = isLate ? due.getTime() - now.getTime() : openTimeBetween(hours, now, due)
  await saveWait(ctx, id, wait.id, { dueAt: due, pausedAt: now, leftSeconds: Math.trunc(leftMs / 1_000) })
}

/** The snooze has ended: what was left of the time is left from now on. What was late stays late. */
export const resumeWait = async (ctx: Ctx, { id, teamId, teamRevision }: Place): Promise<void> => {
  const settings = await teamSettingsOf(ctx, teamRevision)
  const wait = settings ? await findWait(ctx, id) : undefined
  if (!settings || !wait || wait.pausedAt === null) return
  const left = wait.leftSeconds ?? 0
  const { hours } = targetsOf(settings, teamId)
  const now = ctx.now()
  const due = left > 0 ? addOpenTime(hours, now, left * 1_000) : wait.dueAt
  const pausedMs = openTimeBetween(hours, new Date(wait.pausedAt), now)
  await saveWait(ctx, id, wait.id, { dueAt: due, pausedSeconds: Math.trunc(pausedMs / 1_000) })
}

/** The conversation has come to another team, whose targets count from when the customer began to wait. */
export const retimeWait = async (ctx: Ctx, { id, teamId, teamRevision }: Place): Promise<void> => {
  const settings = await teamSettingsOf(ctx, teamRevision)
  const wait = settings?.hasTargets ? await findWait(ctx, id) : undefined
  if (!settings?.hasTargets) return
  if (!wait) return startFromWaiting(ctx, settings, { id, teamId })
  const due = dueAt(settings, { teamId, kind: wait.kind, from: new Date(wait.startedAt) })
  if (due === null) return endWait(ctx, id)
  // A pause keeps its time; it ends with the new target.
  const { pausedAt, leftSeconds } = wait
  await saveWait(ctx, id, wait.id, {
    dueAt: due,
    teamId,
    ...(pausedAt !== null && { pausedAt: new Date(pausedAt), leftSeconds }),
  })
}

/** The customer waits already, and so far there was no target. */
const startFromWaiting = async (
  ctx: Ctx,
  settings: TeamSettings,
  { id, teamId }: Pick<Place, 'id' | 'teamId'>,
): Promise<void> => {
  const { db, workspaceId } = ctx
  const { rows } = await sql<{ since: string | null; isAnswered: boolean; isSnoozed: boolean }>`
    select c.waiting_since as since, c.snoozed_until is not null as "isSnoozed",
      ${hasAnswer(ctx, sql`c.id`)} as "isAnswered"
    from conversations c where c.workspace_id = ${workspaceId} and c.id = ${id} and c.status = 'open'`.execute(
    db,
  )
  const [row] = rows
  if (!row || row.since === null || row.isSnoozed) return
  const kind = row.isAnswered ? 'next' : 'first'
  const due = dueAt(settings, { teamId, kind, from: new Date(row.since) })
  if (due === null) return
  const waitId = ctx.newId()
  await sql`
    with started as (
      insert into waits (workspace_id, id, conversation_id, kind, team_id, started_at, due_at)
      values (${workspaceId}, ${waitId}, ${id}, ${kind}, ${teamId}, ${row.since}, ${due})
    )
    update conversations set wait_id = ${waitId}, answer_due_at = ${due}
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
}

const ANSWERS_READ_MAX = 200

/** Whether somebody has answered in the conversation, as far as its last messages say. */
export const hasAnswer = (
  { workspaceId }: Pick<Ctx, 'workspaceId'>,
  conversationId: ReturnType<typeof sql>,
) =>
  sql<boolean>`exists (select from (
    select sender_type from messages where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    order by id desc limit ${sql.lit(ANSWERS_READ_MAX)}
  ) m where m.sender_type = 'agent')`

/** Without an answer: it no longer has a target. */
const endWait = async ({ db, workspaceId, now }: Ctx, conversationId: string): Promise<void> => {
  await sql`
    with ended as (
      update waits w set ended_at = ${now()} from conversations c
      where c.workspace_id = ${workspaceId} and c.id = ${conversationId}
        and w.workspace_id = ${workspaceId} and w.id = c.wait_id
    )
    update conversations set wait_id = null, answer_due_at = null
    where workspace_id = ${workspaceId} and id = ${conversationId}`.execute(db)
}

export type DueWait = { workspaceId: string; conversationId: string; waitId: string }

/** Of all workspaces, the longest late first. */
export const listDueWaits = async (
  db: Db,
  { by, max, after }: { by: Date; max: number; after: readonly string[] },
): Promise<DueWait[]> => {
  const { rows } = await sql<DueWait>`
    select workspace_id as "workspaceId", conversation_id as "conversationId", id as "waitId" from waits
    where due_at <= ${by} and ended_at is null and overdue_at is null and paused_at is null
      and not id = any(${after}::text[]) and ${isAtWork('workspace_id')}
    order by due_at limit ${max}`.execute(db)
  return rows
}

/** Says once that a customer should have been answered. Nothing happens if somebody was faster. */
export const announceOverdue = (
  ctx: Ctx,
  { conversationId, waitId }: Omit<DueWait, 'workspaceId'>,
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) return
    const { db, workspaceId } = ctx
    const { rows } = await sql<Pick<Wait, 'kind' | 'dueAt'>>`
      update waits set overdue_at = ${ctx.now()}
      where workspace_id = ${workspaceId} and id = ${waitId} and due_at <= ${ctx.now()} and ended_at is null
        and overdue_at is null and paused_at is null
      returning kind, due_at as "dueAt"`.execute(db)
    const [late] = rows
    if (!late) return
    await record(ctx, {
      type: 'conversation.answer_overdue',
      conversationId,
      contactId: conversation.contactId,
      data: {
        conversationId,
        agentId: conversation.agentId,
        teamId: conversation.teamId,
        answer: late.kind,
        dueAt: late.dueAt,
      },
    })
  })
