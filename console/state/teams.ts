import { queryOptions } from '@tanstack/react-query'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'
import type { Team } from './types.ts'

/** In the address, the teams that the person is in. */
export const OWN_TEAMS = 'own'

export const teamsQuery = (api: WorkspaceApi) =>
  queryOptions({
    queryKey: keys.teams(api.workspaceId),
    queryFn: async ({ signal }) => (await api.get<{ teams: Team[] }>('/teams', {}, signal)).teams,
    staleTime: 30_000,
  })
