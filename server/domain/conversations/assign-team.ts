import { sql } from 'kysely'
import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { requireMayAssign } from '../../platform/ctx/permissions.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { isTeamMember } from '../team-settings/queries.ts'
import type { TeamRef } from '../team-settings/schema.ts'
import { actorName } from './actor-name.ts'
import { tellAutomation, unassignLocked } from './assign-conversation.ts'
import { handOut } from './hand-out.ts'
import { findStanding, lockConversation } from './queries.ts'
import type { MovedToTeam } from './schema.ts'
import { setTeam } from './set-team.ts'

/**
 * Moves the conversation to a team, or, with null, out of the one that it has. Whoever has it keeps it only if they are
 * a member of the new team, so that it waits for the team otherwise; without a team, they keep it. Throws
 * CONVERSATION_NOT_FOUND, INVALID_TEAM, and FORBIDDEN for a person who may only reassign their own conversations.
 */
export const moveToTeam = (
  ctx: Ctx,
  { conversationId, teamId }: { conversationId: string; teamId: string | null },
): Promise<MovedToTeam> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    requireMayAssign(ctx.actor, conversation)
    const { agentId } = conversation
    const isNew = teamId !== conversation.teamId
    const team = await setTeam(ctx, conversation, teamId)
    if (isNew && team && conversation.automationRevision !== null)
      await tellAutomation(ctx, conversationId, { isAi: false })
    const isKept =
      !isNew ||
      team === null ||
      agentId === null ||
      (await isTeamMember(ctx, { teamId: team.id, accountId: agentId }))
    if (!isKept) await unassignLocked(ctx, { ...conversation, teamId }, `not in ${team.name}`)
    // What a flow leaves to people is handed out when it is done.
    if (isNew && team && ctx.actor.type !== 'flow') await handOut(ctx, [{ ...conversation, teamId }])
    return { success: true, conversationId, team, ...(await findStanding(ctx, conversationId)) }
  })

type Taken = { id: string; contactId: string; channelAccountId: string }

/**
 * Takes a team away from its open conversations, with an entry in each thread; closed ones keep their history. Runs in
 * the caller's transaction, in a number of statements that does not grow with the conversations. Returns how many.
 */
export const removeTeamFromConversations = async (ctx: Ctx, team: TeamRef): Promise<number> => {
  const { db, workspaceId } = ctx
  // Contacts before conversations, as in lockConversation, and always in the same order, to avoid deadlocks.
  const { rows: taken } = await sql<Taken>`
    select c.id, c.contact_id as "contactId", c.channel_account_id as "channelAccountId"
    from contacts k
    join conversations c on c.workspace_id = k.workspace_id and c.contact_id = k.id
    where c.workspace_id = ${workspaceId} and c.team_id = ${team.id} and c.status = 'open'
    order by k.id, c.id
    for no key update of k, c`.execute(db)
  if (taken.length === 0) return 0
  const metadata = { event: 'team_changed', teamId: null, previousTeamId: team.id, by: actorId(ctx.actor) }
  const body = `${await actorName(ctx)} removed the team ${team.name}`
  await sql`
    with given as (
      select * from unnest(
        ${taken.map(() => ctx.newId())}::text[],
        ${taken.map(({ id }) => id)}::text[],
        ${taken.map(({ channelAccountId }) => channelAccountId)}::text[]
      ) as e (id, conversation_id, channel_account_id)
    ), cleared as (
      update conversations c set team_id = null from given e
      where c.workspace_id = ${workspaceId} and c.id = e.conversation_id
    )
    insert into messages
      (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status, metadata, created_at)
    select ${workspaceId}, e.id, e.conversation_id, e.channel_account_id, 'system', 'system', ${body}, 'sent',
      ${JSON.stringify(metadata)}::jsonb, ${ctx.now()}
    from given e`.execute(db)
  await record(
    ctx,
    taken.map(({ id, contactId }) => ({
      type: 'conversation.team_changed',
      conversationId: id,
      contactId,
      data: { conversationId: id, teamId: null, previousTeamId: team.id },
    })),
  )
  return taken.length
}
