import { queryOptions } from '@tanstack/react-query'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'
import type { Tag } from './types.ts'

/** The workspace's tags. */
export const tagsQuery = (api: WorkspaceApi) =>
  queryOptions({
    queryKey: keys.tags(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ tags: Tag[] }>('/tags', {}, signal),
  })
