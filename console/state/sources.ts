// The websites and files that knowledge is read from, in the cache.
import { queryOptions } from '@tanstack/react-query'
import type {
  NewFile,
  NewWebsite,
  PageChange,
  PageReview,
  Source,
  SourceChange,
  SourceDetails,
  SourcePage,
  SourceSettings,
} from '../../server/domain/knowledge/sources/schema.ts'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'

export type { PageChange, Source, SourceDetails, SourcePage, SourceSettings }

const READING_REFRESH_MS = 2_000

const refreshWhile = (isReading: boolean | undefined): number | false =>
  isReading ? READING_REFRESH_MS : false

export const sourcesQuery = (api: WorkspaceApi) =>
  queryOptions({
    queryKey: keys.sources(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ sources: Source[] }>('/knowledge/sources', {}, signal),
    refetchInterval: ({ state: { data } }) =>
      refreshWhile(data?.sources.some(({ state }) => state === 'reading')),
  })

export const sourceQuery = (api: WorkspaceApi, id: string) =>
  queryOptions({
    queryKey: keys.source(api.workspaceId, id),
    queryFn: ({ signal }) => api.get<SourceDetails>(`/knowledge/sources/${id}`, {}, signal),
    refetchInterval: ({ state: { data } }) => refreshWhile(data?.source.state === 'reading'),
  })

const changePath = (id: string, pageId: string): string => `/knowledge/sources/${id}/pages/${pageId}/change`

export const pageChangeQuery = (api: WorkspaceApi, id: string, pageId: string) =>
  queryOptions({
    queryKey: keys.pageChange(api.workspaceId, id, pageId),
    queryFn: ({ signal }) => api.get<PageChange>(changePath(id, pageId), {}, signal),
  })

type Answer = { source: Source }

export const addWebsite = (api: WorkspaceApi, body: NewWebsite): Promise<Source> =>
  api.post<Answer>('/knowledge/sources', body).then(({ source }) => source)

export const addFile = (api: WorkspaceApi, body: NewFile): Promise<Source> =>
  api.post<Answer>('/knowledge/files', body).then(({ source }) => source)

export const replaceFile = (api: WorkspaceApi, id: string, attachmentId: string): Promise<Source> =>
  api.put<Answer>(`/knowledge/files/${id}`, { attachmentId }).then(({ source }) => source)

export const readAgain = (api: WorkspaceApi, id: string): Promise<Source> =>
  api.post<Answer>(`/knowledge/sources/${id}/read`).then(({ source }) => source)

export const changeSource = (api: WorkspaceApi, id: string, change: SourceChange): Promise<SourceDetails> =>
  api.patch(`/knowledge/sources/${id}`, change)

export const removeSource = (api: WorkspaceApi, id: string): Promise<unknown> =>
  api.delete(`/knowledge/sources/${id}`)

export const reviewPage = (
  api: WorkspaceApi,
  id: string,
  pageId: string,
  body: PageReview,
): Promise<unknown> => api.post(changePath(id, pageId), body)
