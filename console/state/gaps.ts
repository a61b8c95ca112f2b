// Unanswered questions in the cache.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { AnsweredQuestion, Gap, GapClosing } from '../../server/domain/ai/gaps/schema.ts'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'

export type { Gap }

export const gapsQuery = (api: WorkspaceApi) =>
  queryOptions({
    queryKey: keys.gaps(api.workspaceId),
    queryFn: async ({ signal }) => (await api.get<{ gaps: Gap[] }>('/knowledge/gaps', {}, signal)).gaps,
  })

/** A person's reply and what it answered. */
export const gapOfReplyQuery = (api: WorkspaceApi, messageId: string) =>
  queryOptions({
    queryKey: keys.gapOfReply(api.workspaceId, messageId),
    queryFn: ({ signal }) => api.get<AnsweredQuestion>(`/knowledge/gaps/of-reply/${messageId}`, {}, signal),
  })

export const closeGap = (api: WorkspaceApi, closing: GapClosing): Promise<unknown> =>
  api.post('/knowledge/gaps/close', closing)

export const gapsChanged = (client: QueryClient, w: string): Promise<void> =>
  client.invalidateQueries({ queryKey: keys.gaps(w) })
