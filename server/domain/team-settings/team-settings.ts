// What every message asks about teams: who is given conversations, and until when customers are to be answered. Kept in
// memory, because the workspace's team_revision tells when something changed.
import { makeBoundedCache } from '../../platform/bounded-cache.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { TeamAssignment } from '../../platform/db/tables.ts'
import type { BusinessHours } from '../business-hours/schema.ts'
import { readTeamSettings, type SettingsRow } from './queries.ts'

/** Within how many minutes a customer is answered; null: there is no target. */
export type Targets = {
  first: number | null
  next: number | null
  /** In which the time counts; null: always. */
  hours: BusinessHours | null
}

export type TeamRules = {
  id: string
  name: string
  assignment: TeamAssignment
  openLimit: number | null
  reassignsAway: boolean
  hours: BusinessHours | null
  targets: Targets
}

export type TeamSettings = {
  revision: number
  teams: ReadonlyMap<string, TeamRules>
  /** Of conversations without a team. */
  targets: Targets
  /** Whether a reply of the AI agent is an answer. */
  aiCounts: boolean
  hasTargets: boolean
}

/** In business hours with their exceptions; a workspace without hours counts as one. */
const KEPT_MAX = 20_000

const kept = makeBoundedCache<TeamSettings>(KEPT_MAX)

/**
 * The settings of the revision that the caller has just read with a conversation; null if there are none. No statement
 * while nothing changed, one after a change.
 */
export const teamSettingsOf = async (ctx: Ctx, revision: number | null): Promise<TeamSettings | null> => {
  if (revision === null) return null
  const known = kept.get(ctx.workspaceId)
  if (known?.revision === revision) return known
  const read = await readTeamSettings(ctx)
  if (read.revision === null) return null
  const settings = toSettings(read, read.revision)
  const weight = 1 + read.hours.reduce((sum, { exceptions }) => sum + 1 + exceptions.length, 0)
  kept.set(ctx.workspaceId, settings, weight)
  return settings
}

const toSettings = ({ teams, targets: general, hours: all }: SettingsRow, revision: number): TeamSettings => {
  const hoursOf = (id: string | null): BusinessHours | null => all.find((one) => one.id === id) ?? null
  const targets: Targets = {
    first: general?.firstAnswerMinutes ?? null,
    next: general?.nextAnswerMinutes ?? null,
    hours: hoursOf(general?.hoursId ?? null),
  }
  const rules = teams.map(({ hoursId, firstAnswerMinutes, nextAnswerMinutes, ...team }): TeamRules => {
    const hours = hoursOf(hoursId)
    return {
      ...team,
      hours,
      targets: {
        first: firstAnswerMinutes ?? targets.first,
        next: nextAnswerMinutes ?? targets.next,
        hours: hours ?? targets.hours,
      },
    }
  })
  return {
    revision,
    teams: new Map(rules.map((team) => [team.id, team])),
    targets,
    aiCounts: general?.aiCounts ?? true,
    hasTargets: [targets, ...rules.map((team) => team.targets)].some(
      ({ first, next }) => (first ?? next) !== null,
    ),
  }
}

/** Those of the conversation's team, or the workspace's. */
export const targetsOf = ({ teams, targets }: TeamSettings, teamId: string | null): Targets =>
  (teamId === null ? undefined : teams.get(teamId)?.targets) ?? targets
