import { queryOptions } from '@tanstack/react-query'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'
import type { ActionSummary } from './types.ts'

/** The actions that flows and the AI agent can use. */
export const actionsQuery = (api: WorkspaceApi) =>
  queryOptions({
    queryKey: keys.actions(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ actions: ActionSummary[] }>('/actions', {}, signal),
  })
