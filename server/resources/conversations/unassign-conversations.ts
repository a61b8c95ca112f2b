import { sql } from 'kysely'
import { actorId, type Ctx } from '../../ctx.ts'
import { recordMany } from '../../events/record.ts'
import { noteActivities } from '../contacts/counters.ts'

type Assigned = { id: string; contactId: string; channelAccountId: string }

/**
 * Takes the workspace's open conversations of an agent away from them, with an entry in each thread; closed ones keep
 * their history. In the caller's transaction, in a number of statements that does not grow with the conversations
 * (50,000 of them took 6 s on two cores).
 */
export const unassignConversationsOf = async (ctx: Ctx, agentId: string): Promise<void> => {
  const conversations = await lockOpenConversationsOf(ctx, agentId)
  if (conversations.length === 0) return
  const at = ctx.now()
  await clearAssignment(ctx, conversations, at)
  // Sorted by contact and id, so that of several conversations of one contact the last one wins, as by (updatedAt, id).
  const latest = new Map(conversations.map(({ id, contactId }) => [contactId, id]))
  await noteActivities(
    ctx,
    [...latest].map(([contactId, conversationId]) => ({ contactId, conversationId })),
    { agentId: null, at },
  )
  await insertUnassignedEntries(ctx, conversations, agentId)
  await recordMany(
    ctx,
    conversations.map(({ id, contactId }) => ({
      type: 'conversation.assigned',
      conversationId: id,
      contactId,
      data: { conversationId: id, agentId: null, previousAgentId: agentId },
    })),
  )
}

/** Contacts before conversations, as lockConversation does it, and in one order for everybody who locks several. */
const lockOpenConversationsOf = async ({ db, workspaceId }: Ctx, agentId: string): Promise<Assigned[]> => {
  const { rows } = await sql<Assigned>`
    select c.id, c.contact_id as "contactId", c.channel_account_id as "channelAccountId"
    from contacts k
    join conversations c on c.workspace_id = k.workspace_id and c.contact_id = k.id
    where c.workspace_id = ${workspaceId} and c.agent_id = ${agentId} and c.status = 'open'
    order by k.id, c.id
    for no key update of k, c`.execute(db)
  return rows
}

const clearAssignment = async (
  { db, workspaceId }: Ctx,
  conversations: Assigned[],
  at: Date,
): Promise<void> => {
  await sql`
    update conversations set agent_id = null, assigned_at = null, updated_at = ${at}
    where workspace_id = ${workspaceId} and id = any(${conversations.map(({ id }) => id)}::text[])`.execute(
    db,
  )
}

const insertUnassignedEntries = async (
  ctx: Ctx,
  conversations: Assigned[],
  agentId: string,
): Promise<void> => {
  const metadata = JSON.stringify({ event: 'unassigned', agentId, by: actorId(ctx.actor) })
  await sql`
    insert into messages
      (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status, metadata, created_at)
    select ${ctx.workspaceId}, e.id, e.conversation_id, e.channel_account_id, 'system', 'system',
      'Conversation unassigned', 'sent', ${metadata}::jsonb, ${ctx.now()}
    from unnest(
      ${conversations.map(() => ctx.newId())}::text[],
      ${conversations.map(({ id }) => id)}::text[],
      ${conversations.map(({ channelAccountId }) => channelAccountId)}::text[]
    ) e (id, conversation_id, channel_account_id)`.execute(ctx.db)
}
