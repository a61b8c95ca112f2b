// Conversations of a team are given to its people by themselves: in turn, or to whoever has the fewest. See
// docs/decisions/0090-teams.md.
import { isOpen, isUsable } from '../../../flow-engine/business-hours.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { takeTurn } from '../team-settings/queries.ts'
import { type TeamRules, type TeamSettings, teamSettingsOf } from '../team-settings/team-settings.ts'
import { assignConversation, unassignLocked } from './assign-conversation.ts'
import {
  type Choice,
  findNext,
  findTeamRevision,
  type Held,
  listHeld,
  listWaiting,
  lockChoices,
} from './hand-out-queries.ts'
import { type LockedConversation, lockConversation } from './queries.ts'

type Place = Pick<LockedConversation, 'id' | 'teamId' | 'teamRevision'>

const assignsNow = (ctx: Ctx, { assignment, hours }: TeamRules): boolean =>
  assignment !== 'off' && (hours === null || !isUsable(hours) || isOpen(hours, ctx.now().getTime()))

/** Whether anything is assigned by itself in the workspace. */
const assignsAny = (settings: TeamSettings | null): boolean =>
  [...(settings?.teams.values() ?? [])].some(({ assignment }) => assignment !== 'off')

/**
 * Gives those of the conversations to the next of their team that nobody has, or, if the team wants that, whose person is
 * away, unless automation is at work there. Where nobody is available, they wait in the team. In the caller's
 * transaction, which holds the conversations' locks. Nothing is read where no team assigns by itself.
 */
export const handOut = async (ctx: Ctx, places: readonly Place[]): Promise<void> => {
  const settings = await teamSettingsOf(ctx, places[0]?.teamRevision ?? null)
  if (!settings) return
  const rulesOf = new Map<string, TeamRules>()
  for (const { id, teamId } of places) {
    const team = teamId === null ? undefined : settings.teams.get(teamId)
    if (team && assignsNow(ctx, team)) rulesOf.set(id, team)
  }
  if (rulesOf.size === 0) return
  const system = asSystem(ctx)
  for (const held of await listHeld(ctx, [...rulesOf.keys()])) {
    if (held.isBusy || !held.isWaiting) continue
    const team = rulesOf.get(held.id)!
    if (held.agentId === null) await giveToNext(system, held.id, team)
    else if (held.isAway && team.reassignsAway) await takeFromAway(system, held, team)
  }
}

const asSystem = (ctx: Ctx): Ctx => ({ ...ctx, actor: { type: 'system' } })

/** Whether somebody has it now. */
const giveToNext = async (
  ctx: Ctx,
  conversationId: string,
  team: TeamRules,
  { why = '', except = [] as readonly string[] } = {},
): Promise<boolean> => {
  await lockChoices(ctx)
  const { id, openLimit, assignment } = team
  const isByTurn = assignment === 'round_robin'
  const next = await findNext(ctx, { id, openLimit, isByTurn, except })
  if (!next) return false
  const { accountId } = next
  try {
    await assignConversation(ctx, {
      conversationId,
      agentId: accountId,
      because: why + becauseOf(team, next),
    })
  } catch (error) {
    // They were removed from the workspace at this moment.
    if (!(error instanceof ApiError) || error.code !== 'INVALID_AGENT') throw error
    return giveToNext(ctx, conversationId, team, { why, except: [...except, accountId] })
  }
  await takeTurn(ctx, { teamId: id, accountId })
  return true
}

const becauseOf = ({ name, assignment }: TeamRules, { open }: Choice): string =>
  assignment === 'round_robin' ? `next in turn in ${name}` : `fewest open conversations in ${name} (${open})`

const takeFromAway = async (ctx: Ctx, held: Held, team: TeamRules): Promise<void> => {
  const except = [held.agentId!]
  const why = `${held.nickname} is away`
  if (await giveToNext(ctx, held.id, team, { why: `${why}, `, except })) return
  const conversation = await lockConversation(ctx, held.id)
  if (conversation) await unassignLocked(ctx, conversation, why)
}

/** What waits in a team is looked at in batches of so many, and so many are given in one go. */
const WAITING_MAX = 100
const GIVEN_MAX = 2_000

/**
 * Hands out what waits in the workspace's teams, the longest waiting first, each in a transaction of its own, until
 * nobody is available. Returns how many it gave.
 */
export const handOutWaiting = async (ctx: Ctx): Promise<number> => {
  const settings = await teamSettingsOf(ctx, await findTeamRevision(ctx))
  let given = 0
  for (const team of settings?.teams.values() ?? [])
    if (assignsNow(ctx, team)) given += await handOutOf(ctx, team)
  return given
}

const handOutOf = async (ctx: Ctx, team: TeamRules): Promise<number> => {
  let given = 0
  while (given < GIVEN_MAX) {
    const ids = await listWaiting(ctx, team.id, WAITING_MAX)
    const before = given
    for (const id of ids) {
      const outcome = await giveWaiting(ctx, id, team)
      if (outcome === 'nobody') return given
      if (outcome === 'given') given += 1
    }
    if (ids.length < WAITING_MAX || given === before) return given
  }
  return given
}

const giveWaiting = (ctx: Ctx, id: string, team: TeamRules): Promise<'given' | 'nobody' | 'changed'> =>
  inTransaction(asSystem(ctx), async (ctx) => {
    const conversation = await lockConversation(ctx, id)
    if (conversation?.teamId !== team.id) return 'changed'
    const [held] = await listHeld(ctx, [id])
    if (!held || held.isBusy || !held.isWaiting || held.agentId !== null) return 'changed'
    return (await giveToNext(ctx, id, team)) ? 'given' : 'nobody'
  })

/** Somebody may take more: what waits in teams is handed out after the commit. */
export const requestHandOut = async (ctx: Ctx, revision?: number | null): Promise<void> => {
  const settings = await teamSettingsOf(ctx, revision === undefined ? await findTeamRevision(ctx) : revision)
  if (assignsAny(settings)) await addJob(ctx, 'hand_out', { teamsOf: ctx.workspaceId })
}
