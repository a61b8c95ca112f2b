import type { NewTeam } from '../server/domain/teams/schema.ts'
import { createTeam } from '../server/domain/teams/teams.ts'
import type { TestApp } from './app.ts'

/** Nobody is given anything by itself, and nothing has to be answered by a time. */
export const PLAIN_TEAM: NewTeam = {
  name: 'Support',
  color: '#2f80ed',
  memberIds: [],
  assignment: 'off',
  openLimit: null,
  reassignsAway: false,
  hoursId: null,
  firstAnswerMinutes: null,
  nextAnswerMinutes: null,
}

/** Returns its id. */
export const makeTeam = async (
  { ctxOf }: Pick<TestApp, 'ctxOf'>,
  workspaceId: string,
  change: Partial<NewTeam> = {},
): Promise<string> => (await createTeam(ctxOf(workspaceId), { ...PLAIN_TEAM, ...change })).id
