// Creating, changing and removing teams. Who is in a team decides what they are given and told of, not what they see:
// see docs/decisions/0090-teams.md.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { changesBetween, recordAudit } from '../audit/record-audit.ts'
import { removeTeamFromConversations } from '../conversations/assign-team.ts'
import { requestHandOut } from '../conversations/hand-out.ts'
import { refuseWhileUsed } from '../live-flows.ts'
import { foldText } from '../search/search-text.ts'
import { lockWorkspace, raiseTeamRevision } from '../workspaces/queries.ts'
import {
  findTargets,
  findUnknown,
  insertTeam,
  listTeamNames,
  listTeams,
  markTeamRemoved,
  NO_TARGETS,
  setMembers,
  updateTeamRow,
  upsertTargets,
} from './queries.ts'
import {
  type AnswerTargets,
  type ManagedTeam,
  type NewTeam,
  TEAMS_MAX,
  type Team,
  type TeamRemoved,
} from './schema.ts'

/** What programs see of it. */
export const toTeam = ({ id, name, color, members, createdAt }: ManagedTeam): Team => ({
  id,
  name,
  color,
  members,
  createdAt,
})

/** Throws VALIDATION_ERROR as in readTeam, and beyond 50 teams. */
export const createTeam = (ctx: Ctx, input: NewTeam): Promise<ManagedTeam> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const others = await listTeamNames(ctx)
    if (others.length >= TEAMS_MAX)
      throw invalid({ field: 'name', message: `the workspace already has ${TEAMS_MAX} teams` })
    const id = ctx.newId()
    const { memberIds, ...row } = await readTeam(ctx, others, input)
    await insertTeam(ctx, { ...row, id, nameKey: foldText(row.name) })
    await setMembers(ctx, id, memberIds)
    const team = await announce(ctx, id)
    await recordAudit(ctx, {
      action: 'team.created',
      target: { type: 'team', id, name: team.name },
      changes: changesBetween({}, audited(team)),
    })
    return team
  })

/**
 * Replaces all of it. Conversations stay where they are, also with people who are no longer members; customers who
 * already wait have the time that they were given. Throws TEAM_NOT_FOUND, and VALIDATION_ERROR as in readTeam.
 */
export const updateTeam = (ctx: Ctx, id: string, input: NewTeam): Promise<ManagedTeam> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const [before] = await listTeams(ctx, id)
    if (!before) throw new ApiError('TEAM_NOT_FOUND')
    const others = (await listTeamNames(ctx)).filter((other) => other.id !== id)
    const { memberIds, ...row } = await readTeam(ctx, others, input)
    await updateTeamRow(ctx, { ...row, id, nameKey: foldText(row.name) })
    await setMembers(ctx, id, memberIds)
    const team = await announce(ctx, id)
    await recordAudit(ctx, {
      action: 'team.updated',
      target: { type: 'team', id, name: team.name },
      changes: changesBetween(audited(before), audited(team)),
    })
    return team
  })

/**
 * Open conversations lose the team and keep their person; closed ones show its name until they are reopened. Throws
 * TEAM_NOT_FOUND, and VALIDATION_ERROR for a team that a live flow names.
 */
export const removeTeam = (ctx: Ctx, id: string): Promise<TeamRemoved> =>
  inTransaction(ctx, async (ctx) => {
    const [team] = await listTeams(ctx, id)
    if (!team) throw new ApiError('TEAM_NOT_FOUND')
    await refuseWhileUsed(ctx, { id, path: NAMES_TEAM })
    // Conversations are locked before the team, as when one is moved to it.
    const first = await removeTeamFromConversations(ctx, team)
    if (!(await markTeamRemoved(ctx, id))) throw new ApiError('TEAM_NOT_FOUND')
    // What was moved to it meanwhile; nothing more can be.
    const second = await removeTeamFromConversations(ctx, team)
    await setMembers(ctx, id, [])
    await raiseTeamRevision(ctx)
    await record(ctx, { type: 'team.updated', data: { teamId: id } })
    await recordAudit(ctx, { action: 'team.removed', target: { type: 'team', id, name: team.name } })
    return { success: true, conversationCount: first + second }
  })

const NAMES_TEAM = '$.** ? (@.teamId == $id)'

export const getTargets = async (ctx: Ctx): Promise<AnswerTargets> => (await findTargets(ctx)) ?? NO_TARGETS

/** Customers who already wait have the time that they were given. Throws VALIDATION_ERROR for hours that don't exist. */
export const saveTargets = (ctx: Ctx, input: AnswerTargets): Promise<AnswerTargets> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    await requireKnown(ctx, { memberIds: [], hoursId: input.hoursId })
    const before = await getTargets(ctx)
    await upsertTargets(ctx, input)
    await raiseTeamRevision(ctx)
    await recordAudit(ctx, { action: 'answer_targets.updated', changes: changesBetween(before, input) })
    return input
  })

const announce = async (ctx: Ctx, id: string): Promise<ManagedTeam> => {
  await raiseTeamRevision(ctx)
  await record(ctx, { type: 'team.updated', data: { teamId: id } })
  await requestHandOut(ctx)
  return (await listTeams(ctx, id))[0]!
}

const audited = ({ id: _, createdAt: __, members, ...team }: ManagedTeam) => ({
  ...team,
  members: members.map(({ nickname }) => nickname),
})

const COLOR_PATTERN = /^#[0-9a-f]{6}$/

/**
 * Throws VALIDATION_ERROR for a name that another team has, ignoring case, a color that is not #rrggbb, members who are
 * no people of the workspace, and hours that don't exist.
 */
const readTeam = async (ctx: Ctx, others: readonly { name: string }[], input: NewTeam): Promise<NewTeam> => {
  const color = input.color.toLowerCase()
  if (others.some(({ name }) => foldText(name) === foldText(input.name)))
    throw invalid({ field: 'name', message: 'is the name of another team' })
  if (!COLOR_PATTERN.test(color))
    throw invalid({ field: 'color', message: 'must be a color in the format #rrggbb, such as #2f80ed' })
  await requireKnown(ctx, input)
  return { ...input, color }
}

const requireKnown = async (
  ctx: Ctx,
  named: { memberIds: readonly string[]; hoursId: string | null },
): Promise<void> => {
  const { hasStrangers, isHoursUnknown } = await findUnknown(ctx, named)
  if (hasStrangers) throw invalid({ field: 'memberIds', message: 'must be people of the workspace' })
  if (isHoursUnknown) throw invalid({ field: 'hoursId', message: 'must be business hours of the workspace' })
}
