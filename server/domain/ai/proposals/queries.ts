// All SQL of what the AI agent proposes. Whoever changes a proposal holds its conversation's lock.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { rowsOf } from '../../../platform/db/rows-of.ts'
import { type Proposal, type ProposalState, valuesOf } from './proposal.ts'
import type { OpenProposal } from './schema.ts'

/** Of a conversation, as JSON for a larger statement: those that aren't over, and those of the turns named. */
export const proposalsJson = (
  workspaceId: string,
  conversationId: RawBuilder<unknown>,
  turnIds: readonly string[],
) => sql<Proposal[]>`(
  select coalesce(json_agg(json_build_object('id', p.id, 'turnId', p.turn_id, 'actionId', p.action_id,
      'name', p.action_name, 'parameters', p.parameters, 'fingerprint', p.fingerprint, 'confirm', p.confirm,
      'identity', p.identity, 'language', p.language, 'state', p.state, 'confirmedBy', p.confirmed_by, 'kept', p.kept,
      'expiresAt', floor(extract(epoch from p.expires_at) * 1000)::bigint,
      'createdAt', floor(extract(epoch from p.created_at) * 1000)::bigint,
      'nextMessageId', (select min(m.id) from messages m
        where m.workspace_id = p.workspace_id and m.conversation_id = p.conversation_id and m.id > pt.message_id
          and m.sender_type <> 'system')) order by p.id), '[]')
  from ai_proposals p join ai_turns pt on pt.workspace_id = p.workspace_id and pt.id = p.turn_id
  where p.workspace_id = ${workspaceId} and p.conversation_id = ${conversationId}
    and (p.state in ('offered', 'confirmed') or p.turn_id = any(${turnIds}::text[])))`

const ENDED: ReadonlySet<ProposalState> = new Set<ProposalState>([
  'declined',
  'expired',
  'done',
  'failed',
  'unknown',
])

/** Stores proposals that are new or have changed, as part of a larger statement. */
export const proposalsSave = (
  { workspaceId, now }: Ctx,
  proposals: readonly { conversationId: string; proposal: Proposal }[],
) => {
  const rows = proposals.map(({ conversationId, proposal }) => ({
    ...proposal,
    conversationId,
    expiresAt: new Date(proposal.expiresAt),
    createdAt: new Date(proposal.createdAt),
    endedAt: ENDED.has(proposal.state) ? now() : null,
  }))
  return sql`
    insert into ai_proposals (workspace_id, id, conversation_id, turn_id, action_id, action_name, parameters,
      fingerprint, confirm, identity, language, state, confirmed_by, kept, expires_at, created_at, ended_at)
    select ${workspaceId}, id, "conversationId", "turnId", "actionId", name, parameters, fingerprint, confirm,
      identity, language, state, "confirmedBy", kept, "expiresAt", "createdAt", "endedAt"
    from ${rowsOf(rows)} as p (id text, "conversationId" text, "turnId" text, "actionId" text, name text,
      parameters jsonb, fingerprint text, confirm text, identity text, language text, state text, "confirmedBy" text, kept jsonb,
      "expiresAt" timestamptz, "createdAt" timestamptz, "endedAt" timestamptz)
    order by id
    on conflict (workspace_id, id) do update set state = excluded.state, confirmed_by = excluded.confirmed_by,
      kept = excluded.kept, ended_at = excluded.ended_at`
}

export type DecidedProposal = Pick<Proposal, 'id' | 'turnId' | 'actionId' | 'name' | 'parameters'>

/** Undefined if it isn't a person's to decide, or no longer. */
export const decideForPerson = async (
  { db, workspaceId, now }: Ctx,
  {
    id,
    conversationId,
    state,
    by,
  }: { id: string; conversationId: string; state: 'confirmed' | 'declined'; by: string },
): Promise<DecidedProposal | undefined> => {
  const { rows } = await sql<DecidedProposal>`
    update ai_proposals set state = ${state}, confirmed_by = ${by},
      ended_at = case when ${state}::text = 'declined' then ${now()}::timestamptz end
    where workspace_id = ${workspaceId} and id = ${id} and conversation_id = ${conversationId}
      and confirm = 'person' and state = 'offered' and expires_at > ${now()}
    returning id, turn_id as "turnId", action_id as "actionId", action_name as name, parameters`.execute(db)
  return rows[0]
}

export const proposalExists = async (
  { db, workspaceId }: Ctx,
  { id, conversationId }: { id: string; conversationId: string },
): Promise<boolean> => {
  const { rows } = await sql`
    select from ai_proposals
    where workspace_id = ${workspaceId} and id = ${id} and conversation_id = ${conversationId}`.execute(db)
  return rows.length > 0
}

const SHOWN_MAX = 10

/** What waits for a person's word, or was confirmed by one and isn't done yet. */
export const listOpenProposals = async (
  { db, workspaceId, now }: Ctx,
  conversationId: string,
): Promise<OpenProposal[]> => {
  const { rows } = await sql<Omit<OpenProposal, 'values'> & Pick<Proposal, 'parameters'>>`
    select id, action_name as name, parameters, state, expires_at as "expiresAt", created_at as "createdAt"
    from ai_proposals
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and confirm = 'person'
      and (state = 'confirmed' or state = 'offered' and expires_at > ${now()})
    order by id desc limit ${SHOWN_MAX}::integer`.execute(db)
  return rows.map(({ parameters, ...row }) => ({ ...row, values: valuesOf(parameters, 'en') }))
}

export type RecentAction = Pick<Proposal, 'name' | 'parameters' | 'kept'> & {
  state: Exclude<ProposalState, 'offered' | 'expired'>
}

/** Of a conversation `c`, as JSON for a larger statement: what was proposed and decided within a day. */
export const recentActionsJson = (workspaceId: string, now: Date) => sql<RecentAction[]>`(
  select coalesce(json_agg(json_build_object('name', r.action_name, 'parameters', r.parameters,
      'state', r.state, 'kept', r.kept) order by r.id), '[]')
  from (select * from ai_proposals p
    where p.workspace_id = ${workspaceId} and p.conversation_id = c.id and p.state not in ('offered', 'expired')
      and p.created_at > ${now}::timestamptz - interval '1 day'
    order by p.id desc limit 5) r)`
