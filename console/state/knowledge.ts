// Articles and saved answers in the cache.
import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type {
  Answer,
  AnswerBody,
  Article,
  ArticleBody,
  KnowledgeMatches,
} from '../../server/domain/knowledge/schema.ts'
import { t } from '../words/t.ts'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'

const PAGE_SIZE = 50

export type { AnswerBody, ArticleBody, KnowledgeMatches }
export type KnowledgeMatch = KnowledgeMatches['matches'][number]
export type KnowledgeKind = 'answers' | 'articles'
export const KNOWLEDGE_KINDS = ['answers', 'articles'] as const
export type KnowledgeItem = Answer | Article
/** In a list, articles come without their bodies. */
export type ListedItem = Omit<Article, 'body' | 'url'> & Partial<Pick<Answer, 'phrasings'>>
export type KnowledgeFilter = {
  search?: string | undefined
  state?: 'draft' | 'published' | undefined
  language?: string | undefined
  reviewBefore?: string | undefined
}

type ListPage = { answers?: Answer[]; articles?: ListedItem[]; nextCursor: string | null }

/** Newest first. */
export const knowledgeListQuery = (api: WorkspaceApi, kind: KnowledgeKind, filter: KnowledgeFilter) =>
  infiniteQueryOptions({
    queryKey: keys.knowledgeList(api.workspaceId, kind, filter),
    queryFn: async ({ signal, pageParam }) => {
      const query = { ...filter, cursor: pageParam, limit: PAGE_SIZE }
      const { answers, articles, nextCursor } = await api.get<ListPage>(`/knowledge/${kind}`, query, signal)
      const items: ListedItem[] = answers ?? articles ?? []
      return { items, nextCursor }
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  })

type One = { answer?: Answer; article?: Article }
const itemOf = ({ answer, article }: One): KnowledgeItem => {
  const item = answer ?? article
  if (!item) throw new Error(t`the response has neither an answer nor an article`)
  return item
}

export const knowledgeItemQuery = (api: WorkspaceApi, kind: KnowledgeKind, id: string) =>
  queryOptions({
    queryKey: keys.knowledgeItem(api.workspaceId, kind, id),
    queryFn: ({ signal }) => api.get<One>(`/knowledge/${kind}/${id}`, {}, signal).then(itemOf),
  })

/** Creates an article or answer, or replaces the one with this id. The 409 of a stale `ifUpdatedAt` is an ApiError. */
export const saveKnowledge = (
  api: WorkspaceApi,
  kind: KnowledgeKind,
  id: string | null,
  body: ArticleBody | AnswerBody,
  idempotencyKey?: string,
): Promise<KnowledgeItem> =>
  (id === null
    ? api.post<One>(`/knowledge/${kind}`, body, idempotencyKey ? { idempotencyKey } : {})
    : api.put<One>(`/knowledge/${kind}/${id}`, body)
  ).then(itemOf)

export const tryQuestion = (
  api: WorkspaceApi,
  question: { query: string; channel: string; language: string },
): Promise<KnowledgeMatches> => api.get('/knowledge/search', question)

export const knowledgeChanged = (client: QueryClient, w: string): Promise<void> =>
  client.invalidateQueries({ queryKey: keys.knowledge(w) })
