import { listTeams } from '../domain/teams/queries.ts'
import { TeamList } from '../domain/teams/schema.ts'
import { toTeam } from '../domain/teams/teams.ts'
import type { App } from '../platform/http/api.ts'

export const registerTeams = (app: App): void => {
  app.get(
    '/teams',
    {
      config: { scope: 'agents:read' },
      schema: {
        operationId: 'listTeams',
        tags: ['Agents'],
        summary: 'List teams',
        description:
          'All teams of the workspace with their members, ordered by name. Teams are managed in the console.',
        response: { 200: TeamList },
      },
    },
    async ({ ctx }) => ({ teams: (await listTeams(ctx)).map(toTeam) }),
  )
}
