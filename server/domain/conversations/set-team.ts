// The team that a conversation has, in the transaction that holds its lock.
import { actorId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { lockTeam } from '../team-settings/queries.ts'
import type { TeamRef } from '../team-settings/schema.ts'
import { actorName } from './actor-name.ts'
import { insertSystemEntry, type LockedConversation } from './queries.ts'
import { retimeWait } from './waits.ts'

/** Null takes its team away. A team that it has already changes nothing. Throws INVALID_TEAM. */
export const setTeam = async (
  ctx: Ctx,
  conversation: LockedConversation,
  teamId: string | null,
): Promise<TeamRef | null> => {
  const { id: conversationId, contactId, teamId: previousTeamId } = conversation
  const team = teamId === null ? null : await lockTeam(ctx, teamId)
  if (team === undefined) throw new ApiError('INVALID_TEAM')
  if (teamId === previousTeamId) return team
  await updateTeam(ctx, conversationId, teamId)
  await insertSystemEntry(ctx, {
    conversation,
    body: await wordsFor(ctx, team, previousTeamId),
    metadata: { event: 'team_changed', teamId, previousTeamId, by: actorId(ctx.actor) },
  })
  await record(ctx, {
    type: 'conversation.team_changed',
    conversationId,
    contactId,
    data: { conversationId, teamId, previousTeamId },
  })
  await retimeWait(ctx, { ...conversation, teamId })
  return team
}

const wordsFor = async (ctx: Ctx, team: TeamRef | null, previousTeamId: string | null): Promise<string> => {
  const actor = await actorName(ctx)
  if (team) return `${actor} moved this to the team ${team.name}`
  const previous = await findTeamRef(ctx, previousTeamId)
  return `${actor} removed this from the team ${previous?.name ?? ''}`
}

const updateTeam = async (
  { db, workspaceId, now }: Ctx,
  id: string,
  teamId: string | null,
): Promise<void> => {
  await db
    .updateTable('conversations')
    .set({ team_id: teamId, updated_at: now() })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Also a removed one. */
export const findTeamRef = async ({ db, workspaceId }: Ctx, id: string | null): Promise<TeamRef | null> => {
  if (id === null) return null
  const team = await db
    .selectFrom('teams')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return team ?? null
}
