import { sql } from 'kysely'
import { type Actor, actorId, isPerson } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { requireMayAssign } from '../../platform/ctx/permissions.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { addConversationEvent } from '../automation/conversation-events.ts'
import { interruptAutomation } from '../automation/interrupt.ts'
import { endPause } from '../automation/states.ts'
import { touchActivity } from '../contacts/counters.ts'
import { actorName } from './actor-name.ts'
import type { Unassigned } from './inbox-schema.ts'
import {
  insertSystemEntry,
  type LockedConversation,
  lockCandidate,
  lockConversation,
  setAgent,
} from './queries.ts'
import type { Assigned } from './schema.ts'
import { findTeamRef, setTeam } from './set-team.ts'

/** `because`: the reason, for the thread; `lineId`: of its line there. */
type NewAssignment = {
  conversationId: string
  agentId: string
  /** Moves it to a team as well, or, with null, out of the one that it has. Left out: it keeps its team. */
  teamId?: string | null | undefined
  because?: string | undefined
  lineId?: string | undefined
}

/**
 * Assigns the conversation to an agent (an id, or `ai`), replacing the current one. Throws CONVERSATION_NOT_FOUND;
 * INVALID_TEAM; INVALID_AGENT if there is no such agent, they were removed, or the workspace has the AI agent switched off;
 * COMPANY_MISMATCH if they belong to other workspaces only; FORBIDDEN for a person who may only reassign their own
 * conversations.
 */
export const assignConversation = (
  ctx: Ctx,
  { conversationId, agentId, teamId: wanted, because, lineId }: NewAssignment,
): Promise<Assigned> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    requireMayAssign(ctx.actor, conversation)
    const agent = await lockCandidate(ctx, agentId)
    if (!agent?.isActiveHere) {
      const isStranger = agent && !agent.isAi && agent.isActiveHere === null && agent.isActiveElsewhere
      throw new ApiError(isStranger ? 'COMPANY_MISMATCH' : 'INVALID_AGENT')
    }
    const at = ctx.now()
    if (conversation.automationRevision !== null) await tellAutomation(ctx, conversationId, agent)
    const team =
      wanted === undefined
        ? await findTeamRef(ctx, conversation.teamId)
        : await setTeam(ctx, conversation, wanted)
    const { answerDueAt } = await setAgent(ctx, conversationId, agent.id, at)
    await touchActivity(ctx, { contactId: conversation.contactId, conversationId, agentId: agent.id, at })
    await insertSystemEntry(ctx, {
      id: lineId,
      conversation,
      body: `${await actorName(ctx)} assigned this to ${isSelf(ctx.actor, agent.id) ? 'themselves' : agent.nickname}${because ? `: ${because}` : ''}`,
      metadata: {
        event: 'assigned',
        agentId: agent.id,
        by: actorId(ctx.actor),
        ...(because && { because }),
      },
    })
    await record(ctx, {
      type: 'conversation.assigned',
      conversationId,
      contactId: conversation.contactId,
      data: {
        conversationId,
        agentId: agent.id,
        previousAgentId: conversation.agentId,
        teamId: team?.id ?? null,
      },
    })
    await addConversationEvent(ctx, conversationId, { on: 'assigned', to: agent.isAi ? 'ai' : agent.id })
    return {
      success: true,
      conversationId,
      assignment: { agentId: agent.id, agentNickname: agent.nickname, assignedAt: at.toISOString() },
      team,
      answerDueAt,
    }
  })

/**
 * A person who is assigned to has the word, whoever assigns them: what automation was about to say is withdrawn. A
 * person who does it pauses automation, so that it isn't back once they unassign it; one who assigns the AI agent ends
 * the pause. A flow that assigns has said what it wanted to say.
 */
export const tellAutomation = async (
  ctx: Ctx,
  conversationId: string,
  { isAi }: { isAi: boolean },
): Promise<void> => {
  const { actor } = ctx
  if (isAi && isPerson(actor)) await endPause(ctx, [conversationId])
  if (!isAi && (isPerson(actor) || actor.type === 'token'))
    await interruptAutomation(ctx, [conversationId], {
      by: actorId(actor),
      reason: 'person_took_over',
      pause: isPerson(actor) ? 'start' : 'keep',
    })
}

const isSelf = (actor: Actor, agentId: string): boolean =>
  actor.type === 'agent' && actor.accountId === agentId

/**
 * Unassigns the conversation; nothing changes if it is unassigned already. Throws CONVERSATION_NOT_FOUND, and FORBIDDEN
 * for a person who may only reassign their own conversations.
 */
export const unassignConversation = (
  ctx: Ctx,
  { conversationId }: { conversationId: string },
): Promise<Unassigned> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    requireMayAssign(ctx.actor, conversation)
    await unassignLocked(ctx, conversation)
    return { success: true, conversationId, assignment: null }
  })

/** The same in the transaction that holds the lock. `because`: the reason, for the thread. */
export const unassignLocked = async (
  ctx: Ctx,
  conversation: LockedConversation,
  because?: string,
): Promise<void> => {
  const { id: conversationId, agentId, contactId, teamId } = conversation
  if (agentId === null) return
  const at = ctx.now()
  await setAgent(ctx, conversationId, null, at)
  await touchActivity(ctx, { contactId, conversationId, agentId: null, at })
  await insertSystemEntry(ctx, {
    conversation,
    body: `${await actorName(ctx)} unassigned this conversation${because ? `: ${because}` : ''}`,
    metadata: { event: 'unassigned', agentId, by: actorId(ctx.actor), ...(because && { because }) },
  })
  await record(ctx, {
    type: 'conversation.assigned',
    conversationId,
    contactId,
    data: { conversationId, agentId: null, previousAgentId: agentId, teamId },
  })
  await addConversationEvent(ctx, conversationId, { on: 'assigned', to: 'nobody' })
}

type Taken = { id: string; contactId: string; channelAccountId: string; teamId: string | null }

/**
 * Unassigns an agent's open conversations in the workspace, with an entry in each thread; closed ones keep their
 * history. Runs in the caller's transaction, in a number of statements that does not grow with the conversations
 * (50,000 of them took 6 s on two cores).
 */
export const unassignConversationsOf = async (ctx: Ctx, agentId: string): Promise<void> => {
  const conversations = await lockOpenConversationsOf(ctx, agentId)
  if (conversations.length === 0) return
  const at = ctx.now()
  await clearAssignment(ctx, conversations, at)
  // Sorted by contact and id, so that of several conversations of one contact the last one wins, as by (updatedAt, id).
  const latest = new Map(conversations.map(({ id, contactId }) => [contactId, id]))
  await touchActivity(
    ctx,
    [...latest].map(([contactId, conversationId]) => ({ contactId, conversationId, agentId: null, at })),
  )
  await insertUnassignedEntries(ctx, conversations, agentId)
  await record(
    ctx,
    conversations.map(({ id, contactId, teamId }) => ({
      type: 'conversation.assigned',
      conversationId: id,
      contactId,
      data: { conversationId: id, agentId: null, previousAgentId: agentId, teamId },
    })),
  )
}

/** Contacts before conversations, as in lockConversation, and always in the same order, to avoid deadlocks. */
const lockOpenConversationsOf = async ({ db, workspaceId }: Ctx, agentId: string): Promise<Taken[]> => {
  const { rows } = await sql<Taken>`
    select c.id, c.contact_id as "contactId", c.channel_account_id as "channelAccountId", c.team_id as "teamId"
    from contacts k
    join conversations c on c.workspace_id = k.workspace_id and c.contact_id = k.id
    where c.workspace_id = ${workspaceId} and c.agent_id = ${agentId} and c.status = 'open'
    order by k.id, c.id
    for no key update of k, c`.execute(db)
  return rows
}

const clearAssignment = async ({ db, workspaceId }: Ctx, conversations: Taken[], at: Date): Promise<void> => {
  await sql`
    update conversations set agent_id = null, assigned_at = null, updated_at = ${at}
    where workspace_id = ${workspaceId} and id = any(${conversations.map(({ id }) => id)}::text[])`.execute(
    db,
  )
}

const insertUnassignedEntries = async (ctx: Ctx, conversations: Taken[], agentId: string): Promise<void> => {
  const metadata = JSON.stringify({ event: 'unassigned', agentId, by: actorId(ctx.actor) })
  const body = `${await actorName(ctx)} unassigned this conversation`
  await sql`
    insert into messages
      (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status, metadata, created_at)
    select ${ctx.workspaceId}, e.id, e.conversation_id, e.channel_account_id, 'system', 'system',
      ${body}, 'sent', ${metadata}::jsonb, ${ctx.now()}
    from unnest(
      ${conversations.map(() => ctx.newId())}::text[],
      ${conversations.map(({ id }) => id)}::text[],
      ${conversations.map(({ channelAccountId }) => channelAccountId)}::text[]
    ) e (id, conversation_id, channel_account_id)`.execute(ctx.db)
}
