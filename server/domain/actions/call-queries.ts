// All SQL of calls. The table is the queue: the transaction of the sprint that waits for a call inserts it, or that in
// which the AI agent's proposal was confirmed. Its commit notifies the workers, one of them claims the call and makes
// it, and the conductor's input is written with the outcome.
import { type RawBuilder, sql } from 'kysely'
import type { Json } from '../../../flow-engine/paths.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { CLAIMANT } from '../../platform/db/claimant.ts'
import { isAtWork, isWritable } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { CallResult } from './call-result.ts'

export const CALLS_CHANNEL = 'foyer_calls'

/** Who gets the outcome. `token`: of the run's wait. */
export type CallOwner = RunOwner | { runId?: null; token?: null; proposalId: string }
type RunOwner = { runId: string; token: number; proposalId?: null }

type Wanted = { conversationId: string; actionId: string; parameters: Record<string, Json> }
export type NewCall = CallOwner & Wanted
export type NewRunCall = RunOwner & Wanted

/**
 * Stores calls and notifies workers with the commit, in one statement. To be called in the transaction that decided on
 * them. A call of an action that is gone is stored too, and fails.
 */
export const insertCalls = async (ctx: Ctx, calls: readonly NewCall[]): Promise<void> => {
  if (calls.length === 0) return
  const { db, workspaceId, newId, now } = ctx
  await sql`
    insert into action_calls
      (workspace_id, id, conversation_id, run_id, token, proposal_id, action_id, host, parameters, not_before, created_at)
    select ${workspaceId}, c.id, c."conversationId", c."runId", c.token, c."proposalId", c."actionId",
      coalesce(split_part(a.url, '/', 3), ''), c.parameters, ${now()}, ${now()}
    from ${rowsOf(calls.map((call) => ({ ...call, id: newId() })))}
        as c (id text, "conversationId" text, "runId" text, token integer, "proposalId" text,
          "actionId" text, parameters jsonb)
      left join actions a on a.workspace_id = ${workspaceId} and a.id = c."actionId"
    returning pg_notify(${CALLS_CHANNEL}, '')`.execute(db)
}

export type DueCall = { workspaceId: string; id: string; host: string }

type Place = Pick<DueCall, 'workspaceId' | 'host'>

/**
 * Calls that are due, the oldest of each workspace's host first: first the first of each, then the second, and so on.
 * `next` is where the following call continues if there were too many hosts.
 */
export const listDueCalls = async (
  db: Db,
  now: Date,
  after: Place | null,
  { hostsMax, perHostMax }: { hostsMax: number; perHostMax: number },
): Promise<{ due: DueCall[]; next: Place | null }> => {
  const { rows } = await sql<DueCall & { place: number }>`
    with recursive host as (
      (select workspace_id, host, 1 as place from action_calls
        where state = 'pending' and (workspace_id, host) > (${after?.workspaceId ?? ''}, ${after?.host ?? ''})
        order by workspace_id, host
        limit 1)
      union all
      select n.workspace_id, n.host, h.place + 1
      from host h cross join lateral (
        select c.workspace_id, c.host from action_calls c
        where c.state = 'pending' and (c.workspace_id, c.host) > (h.workspace_id, h.host)
        order by c.workspace_id, c.host
        limit 1
      ) n
      where h.place < ${hostsMax}::integer
    )
    select h.workspace_id as "workspaceId", h.host, c.id, h.place
    from host h left join lateral (
      select id, row_number() over (order by not_before, id) as turn from (
        select id, not_before from action_calls
        where workspace_id = h.workspace_id and host = h.host and state = 'pending' and not_before <= ${now}
          and ${isAtWork('workspace_id')}
        order by not_before, id
        limit ${perHostMax}::integer
      ) oldest
    ) c on true
    order by c.turn, h.place`.execute(db)
  const last = rows.find(({ place }) => place >= hostsMax)
  return {
    due: rows.filter(({ id }) => id !== null).map(({ workspaceId, id, host }) => ({ workspaceId, id, host })),
    next: last ? { workspaceId: last.workspaceId, host: last.host } : null,
  }
}

/** Which try of which call. A try that is over can't end the call. */
export type CallRef = { id: string; tries: number }

type OwnedCall = CallRef & CallOwner & { conversationId: string; actionId: string }

export type ClaimedCall = OwnedCall & {
  parameters: Record<string, Json>
  createdAt: string
  /** False once the run has ended, and for a proposal that isn't confirmed: nobody needs the answer. */
  isAwaited: boolean
  /** Of the action when it was proposed; null for a run's, which takes it as it is. */
  fingerprint: string | null
}

const REF = sql`id, tries, conversation_id as "conversationId", run_id as "runId", token,
  proposal_id as "proposalId", action_id as "actionId"`

/** Undefined if another process has it, or it isn't due. */
export const claimCall = async (
  { db, workspaceId, now }: Ctx,
  id: string,
): Promise<ClaimedCall | undefined> => {
  const { rows } = await sql<ClaimedCall>`
    update action_calls c set state = 'calling', tries = tries + 1, claimed_by = ${CLAIMANT}, claimed_at = ${now()}
    where workspace_id = ${workspaceId} and id = ${id} and state = 'pending' and not_before <= ${now()}
    returning ${REF}, parameters, created_at as "createdAt",
      exists (select from flow_runs r
        where r.workspace_id = c.workspace_id and r.id = c.run_id and r.status = 'running')
      or exists (select from ai_proposals p
        where p.workspace_id = c.workspace_id and p.id = c.proposal_id and p.state = 'confirmed') as "isAwaited",
      (select fingerprint from ai_proposals p
        where p.workspace_id = c.workspace_id and p.id = c.proposal_id) as fingerprint`.execute(db)
  return rows[0]
}

/** False if this try is over already. */
export const endCall = async (
  { db, workspaceId, now }: Ctx,
  { id, tries }: CallRef,
  { outcome, status, kept, problem }: Pick<CallResult, 'outcome' | 'status' | 'kept' | 'problem'>,
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('action_calls')
    .set({
      state: 'ended',
      outcome,
      status,
      kept: kept === null ? null : JSON.stringify(kept),
      problem: problem && JSON.stringify(problem),
      // They may be private, and the run or the proposal has its own.
      parameters: null,
      claimed_by: null,
      ended_at: now(),
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('state', '=', 'calling')
    .where('tries', '=', tries)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Makes it due again at a time. */
export const postponeCall = async (
  { db, workspaceId }: Ctx,
  { id, tries }: CallRef,
  notBefore: Date,
): Promise<void> => {
  await sql`
    update action_calls set state = 'pending', not_before = ${notBefore}, claimed_by = null, claimed_at = null
    where workspace_id = ${workspaceId} and id = ${id} and state = 'calling' and tries = ${tries}`.execute(db)
}

export type AbandonedCall = OwnedCall & { workspaceId: string; claimedBy: string }

const listCalling = async (
  db: Db,
  condition: RawBuilder<unknown>,
  rowsMax: number,
): Promise<AbandonedCall[]> => {
  const { rows } = await sql<AbandonedCall>`
    select ${REF}, workspace_id as "workspaceId", claimed_by as "claimedBy"
    from action_calls
    where state = 'calling' and ${condition} and ${isWritable('workspace_id')}
    order by claimed_at
    limit ${rowsMax}`.execute(db)
  return rows
}

/** Of all workspaces: claimed before a time and not ended. */
export const listAbandonedCalls = (db: Db, claimedBefore: Date, rowsMax: number): Promise<AbandonedCall[]> =>
  listCalling(db, sql`claimed_at <= ${claimedBefore}`, rowsMax)

export const listCallsOf = (
  db: Db,
  claimants: readonly string[],
  rowsMax: number,
): Promise<AbandonedCall[]> => listCalling(db, sql`claimed_by = any (${claimants}::text[])`, rowsMax)

/** Ended calls from before a time. Returns how many. */
export const deleteOldCalls = async (db: Db, endedBefore: Date, rowsMax: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from action_calls where (workspace_id, id) in (
      select workspace_id, id from action_calls
      where state = 'ended' and ended_at < ${endedBefore} order by ended_at limit ${rowsMax})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
