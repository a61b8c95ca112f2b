// Unanswered questions in the cache.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Gap, GapClosing } from '../../server/domain/ai/gaps/schema.ts'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'

export type { Gap }

export const gapsQuery = (api: WorkspaceApi) =>
  queryOptions({
    queryKey: keys.gaps(api.workspaceId),
    queryFn: async ({ signal }) => (await api.get<{ gaps: Gap[] }>('/knowledge/gaps', {}, signal)).gaps,
  })

export const closeGap = (api: WorkspaceApi, closing: GapClosing): Promise<unknown> =>
  api.post('/knowledge/gaps/close', closing)

export const gapsChanged = (client: QueryClient, w: string): Promise<void> =>
  client.invalidateQueries({ queryKey: keys.gaps(w) })
