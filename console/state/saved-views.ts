// Filters of the inbox under a name, and how many conversations each has.
import { queryOptions } from '@tanstack/react-query'
import type { WorkspaceApi } from './api.ts'
import { type ListFilter, queryOf } from './conversations.ts'
import { keys } from './query-keys.ts'
import type { SavedView } from './types.ts'

export const savedViewsQuery = (api: WorkspaceApi) =>
  queryOptions({
    queryKey: keys.savedViews(api.workspaceId),
    queryFn: async ({ signal }) => (await api.get<{ views: SavedView[] }>('/saved-views', {}, signal)).views,
    staleTime: 30_000,
  })

/** How many a list has, up to 100. */
export const listedCountQuery = (api: WorkspaceApi, filter: ListFilter) =>
  queryOptions({
    queryKey: keys.listedCount(api.workspaceId, filter),
    queryFn: ({ signal }) => {
      const { limit: _, ...query } = queryOf(filter)
      return api.get<{ count: number }>('/listed-count', query, signal)
    },
    staleTime: 30_000,
  })
