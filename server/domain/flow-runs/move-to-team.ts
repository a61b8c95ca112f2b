import type { Ctx } from '../../platform/ctx/ctx.ts'
import { unassignLocked } from '../conversations/assign-conversation.ts'
import { setTeam } from '../conversations/set-team.ts'
import { isTeamMember } from '../team-settings/queries.ts'
import { orRefused } from './effect-refused.ts'
import type { Place } from './place.ts'

/**
 * Who gets it is decided when the batch is. A person who has it keeps it only as a member, as when people move it, unless
 * what follows gives it to somebody else.
 */
export const moveToTeam = async (ctx: Ctx, place: Place, teamId: string): Promise<void> => {
  const { conversation, agent } = place
  const team = await orRefused(`team ${teamId}`, setTeam(ctx, conversation, teamId))
  const isNew = teamId !== conversation.teamId
  place.conversation = { ...conversation, teamId }
  const { agentId: accountId } = conversation
  if (!isNew || accountId === null || agent?.id !== accountId || agent.isAi) return
  if (await isTeamMember(ctx, { teamId, accountId })) return
  await unassignLocked(ctx, place.conversation, `not in ${team?.name}`)
  place.conversation = { ...place.conversation, agentId: null }
}
