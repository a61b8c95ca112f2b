// SQL of the AI agent's turns. The table is the queue: the conductor adds a turn with the commit that brought something
// to reply to, a worker claims it once it is due, and the conductor ends it.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { CLAIMANT } from '../../platform/db/claimant.ts'
import { isAtWork, isWritable } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { storableJson } from '../../platform/db/storable-json.ts'
import type { AI_OUTCOMES, Tables, TurnKind } from '../../platform/db/tables.ts'
import type { Decision, Thought } from './think.ts'

export const TURNS_CHANNEL = 'foyer_ai_turns'

type Traced = { traceparent: string | null }

/** A turn that isn't over, as the conductor reads it. Times are in milliseconds. */
export type Turn = {
  id: string
  state: Tables['ai_turns']['state']
  /** What was thought of an older one is dropped. */
  revision: number
  dueAt: number
  createdAt: number
  question: string | null
  decision: Decision | null
  messageId: string | null
  outcome: TurnOutcome | null
}
export type TurnOutcome = (typeof AI_OUTCOMES)[number]

/** The turn `t` as JSON, for larger statements; null if there is none. */
export const TURN_JSON = sql<Turn | null>`case when t.id is not null then json_build_object(
  'id', t.id, 'state', t.state, 'revision', t.revision, 'question', t.question, 'decision', t.decision,
  'dueAt', floor(extract(epoch from t.due_at) * 1000)::bigint,
  'createdAt', floor(extract(epoch from t.created_at) * 1000)::bigint, 'messageId', t.message_id,
  'outcome', t.outcome) end`

/**
 * Stores turns as the conductor left them, as part of a larger statement: those that ended first, because a
 * conversation has one that isn't over. Whatever a worker claimed meanwhile, it finds that it is no longer its own.
 */
export const turnsSave = (
  { workspaceId, now }: Ctx,
  turns: readonly ({ conversationId: string; turn: Turn } & Traced)[],
) => {
  const rows = turns.map(({ conversationId, turn, traceparent }) => ({
    conversationId,
    traceparent,
    id: turn.id,
    state: turn.state,
    revision: turn.revision,
    dueAt: new Date(turn.dueAt),
    createdAt: new Date(turn.createdAt),
    messageId: turn.messageId,
    outcome: turn.outcome,
    endedAt: turn.state === 'ended' ? now() : null,
  }))
  return sql`
    insert into ai_turns (workspace_id, id, conversation_id, state, revision, due_at, message_id, outcome, created_at,
      ended_at, traceparent)
    select ${workspaceId}, id, "conversationId", state, revision, "dueAt", "messageId", outcome, "createdAt", "endedAt",
      traceparent
    from ${rowsOf(rows)} as t (id text, "conversationId" text, state text, revision integer, "dueAt" timestamptz,
      "messageId" text, outcome text, "createdAt" timestamptz, "endedAt" timestamptz, traceparent text)
    order by state <> 'ended', id
    on conflict (workspace_id, id) do update set state = excluded.state, revision = excluded.revision,
      due_at = excluded.due_at, tries = 0, claimed_by = null, claimed_at = null, message_id = excluded.message_id,
      outcome = excluded.outcome, ended_at = excluded.ended_at, traceparent = coalesce(excluded.traceparent, ai_turns.traceparent)
    returning case when state = 'waiting' then pg_notify(${TURNS_CHANNEL}, '') end`
}

/**
 * Drafts for people that nobody asked for, as part of a larger statement. One that hasn't ended begins anew: it is for
 * all that the customer wrote in a row.
 */
export const draftsSave = (
  { workspaceId, now }: Ctx,
  drafts: readonly ({ id: string; conversationId: string; dueAt: Date } & Traced)[],
) => sql`
    insert into ai_turns (workspace_id, id, conversation_id, kind, state, due_at, created_at, traceparent)
    select ${workspaceId}, id, "conversationId", 'draft', 'waiting', "dueAt", ${now()}, traceparent
    from ${rowsOf(drafts)} as d (id text, "conversationId" text, "dueAt" timestamptz, traceparent text)
    order by id
    on conflict (workspace_id, conversation_id) where state <> 'ended' and kind = 'draft' and asked_by is null
      do update set state = 'waiting', revision = ai_turns.revision + 1, due_at = excluded.due_at, tries = 0,
        claimed_by = null, claimed_at = null, traceparent = excluded.traceparent
    returning pg_notify(${TURNS_CHANNEL}, '')`

/** Ends what the agent was about to do in a conversation. The caller holds the contact's lock. */
export const endTurns = async ({ db, workspaceId, now }: Ctx, conversationId: string): Promise<void> => {
  await sql`
    update ai_turns set state = 'ended', outcome = 'discarded', ended_at = ${now()}
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and state <> 'ended'
      and kind = 'reply'`.execute(db)
}

/** Ends what is being written for people, because the agent was stopped. */
export const endDraftTurns = async ({ db, workspaceId, now }: Ctx): Promise<void> => {
  await sql`
    update ai_turns set state = 'ended', outcome = 'discarded', ended_at = ${now()}, claimed_by = null,
      claimed_at = null
    where workspace_id = ${workspaceId} and state <> 'ended' and kind <> 'reply'`.execute(db)
}

/** `isReply`: for the customer. */
export type DueTurn = { workspaceId: string; id: string; dueAt: string; isReply: boolean }

/** Those that wait, but for some workspaces; the first due first. */
export const listWaitingTurns = async (
  db: Db,
  { max, notOf }: { max: number; notOf: readonly string[] },
): Promise<DueTurn[]> => {
  const { rows } = await sql<DueTurn>`
    select t.workspace_id as "workspaceId", t.id, t.due_at as "dueAt",
      t.kind = 'reply' as "isReply"
    from ai_turns t
    where t.state = 'waiting' and t.workspace_id <> all(${notOf}::text[]) and ${isAtWork('t.workspace_id')}
    order by t.due_at limit ${max}::integer`.execute(db)
  return rows
}

/** The turn of a conversation that waits. */
export const findWaitingTurn = async (
  { db, workspaceId }: Ctx,
  conversationId: string,
): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`
    select id from ai_turns
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and state = 'waiting'
      and kind = 'reply'`.execute(db)
  return rows[0]?.id
}

/** Which try of which turn. One that is over can't store what it thought. */
export type TurnRef = { id: string; revision: number; tries: number }
/** `createdAt`: when the customer began to wait. `askedBy`: the person that a draft is for; null: everyone. */
export type ClaimedTurn = TurnRef & {
  kind: TurnKind
  askedBy: string | null
  conversationId: string
  createdAt: string
  /** The trace of what it replies to. */
  traceparent?: string | null
}

/** Undefined if another process has it, or it isn't due. */
export const claimTurn = async (
  { db, workspaceId, now }: Ctx,
  id: string,
): Promise<ClaimedTurn | undefined> => {
  const { rows } = await sql<ClaimedTurn>`
    update ai_turns set state = 'thinking', tries = tries + 1, claimed_by = ${CLAIMANT}, claimed_at = ${now()}
    where workspace_id = ${workspaceId} and id = ${id} and state = 'waiting' and due_at <= ${now()}
    returning id, revision, tries, kind, asked_by as "askedBy", conversation_id as "conversationId",
      created_at as "createdAt", traceparent`.execute(db)
  return rows[0]
}

/** False if the try is over: something newer came, or somebody else has the turn. */
export const storeThought = async (
  { db, workspaceId }: Ctx,
  { id, revision, tries }: TurnRef,
  { question, decision, version = null }: Thought,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    update ai_turns set state = 'thought', question = ${question.replaceAll('\0', '').toWellFormed()}, decision = ${storableJson(decision)}::jsonb,
      version = ${version}::integer,
      claimed_by = null, claimed_at = null
    where workspace_id = ${workspaceId} and id = ${id} and state = 'thinking' and revision = ${revision}
      and tries = ${tries}`.execute(db)
  return (numAffectedRows ?? 0n) > 0n
}

/** Makes it due again at a time. `isTry`: what was done so far counts as one. */
export const postponeTurn = async (
  { db, workspaceId }: Ctx,
  { id, revision, tries }: TurnRef,
  dueAt: Date,
  { isTry = true } = {},
): Promise<void> => {
  await sql`
    update ai_turns set state = 'waiting', due_at = ${dueAt}, tries = tries - ${isTry ? 0 : 1}::integer, claimed_by = null, claimed_at = null
    where workspace_id = ${workspaceId} and id = ${id} and state = 'thinking' and revision = ${revision}
      and tries = ${tries}`.execute(db)
}

/** What processes that died were thinking about is due at once: nothing was said yet. */
export const releaseTurnsOf = async (db: Db, claimants: readonly string[]): Promise<void> => {
  await sql`
    update ai_turns set state = 'waiting', claimed_by = null, claimed_at = null
    where state = 'thinking' and claimed_by = any(${claimants}::text[]) and ${isWritable('workspace_id')}`.execute(
    db,
  )
}

/** The same for claims from before a time. */
export const releaseAbandonedTurns = async (db: Db, claimedBefore: Date): Promise<void> => {
  await sql`
    update ai_turns set state = 'waiting', claimed_by = null, claimed_at = null
    where state = 'thinking' and claimed_at <= ${claimedBefore} and ${isWritable('workspace_id')}`.execute(db)
}

/** Ended turns from before a time. Returns how many were deleted. */
export const deleteOldTurns = async (db: Db, endedBefore: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from ai_turns where (workspace_id, id) in (
      select workspace_id, id from ai_turns
      where state = 'ended' and ended_at < ${endedBefore} order by ended_at limit ${limit}::integer)`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
