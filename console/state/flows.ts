// Flows, their versions and runs in the cache. The definitions are those of the flow engine, whose schema the server
// leaves to its checks.
import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Problem } from '../../flow-engine/problems.ts'
import type { Scenario } from '../../flow-engine/scenario.ts'
import type { FlowDefinition } from '../../flow-engine/schema.ts'
import type { FlowRun, FlowRunList, RunStatus } from '../../server/domain/flow-runs/schema.ts'
import type {
  Funnel,
  FlowDetails as ServerDetails,
  FlowReview as ServerReview,
} from '../../server/domain/flows/editor-schema.ts'
import type { FlowState, FlowSummary } from '../../server/domain/flows/schema.ts'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'

const PAGE_SIZE = 50

export type { FlowRun, FlowState, FlowSummary, Funnel, RunStatus }
export type FunnelStep = Funnel['steps'][number]
export type FlowTest = { id: string; name: string; scenario: Scenario }
export type FlowDetails = Omit<ServerDetails['flow'], 'draft' | 'tests'> & {
  draft: FlowDefinition
  tests: FlowTest[]
}
export type FlowReview = Omit<ServerReview, 'problems'> & { problems: Problem[] }

/** In the order in which they are tried; archived ones are apart. */
export const flowsQuery = (api: WorkspaceApi, areArchived = false) =>
  queryOptions({
    queryKey: keys.flowList(api.workspaceId, areArchived),
    queryFn: ({ signal }) =>
      api.get<{ flows: FlowSummary[] }>('/flows', areArchived ? { state: 'archived' } : {}, signal),
    staleTime: 5_000,
  })

export const fetchFlow = (api: WorkspaceApi, flowId: string, signal?: AbortSignal): Promise<FlowDetails> =>
  api.get<{ flow: FlowDetails }>(`/flows/${flowId}`, {}, signal).then(({ flow }) => flow)

export const flowQuery = (api: WorkspaceApi, flowId: string) =>
  queryOptions({
    queryKey: keys.flow(api.workspaceId, flowId),
    queryFn: ({ signal }) => fetchFlow(api, flowId, signal),
  })

/** The 409 of a stale revision is an ApiError. */
export const saveDraft = async (
  api: WorkspaceApi,
  flowId: string,
  draft: { definition: FlowDefinition; revision: number },
): Promise<{ revision: number }> => {
  const saved = await api.put<{ draftRevision: number }>(`/flows/${flowId}/draft`, draft)
  return { revision: saved.draftRevision }
}

export const versionQuery = (api: WorkspaceApi, flowId: string, version: number) => ({
  queryKey: keys.flowVersion(api.workspaceId, flowId, version),
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<FlowDefinition> =>
    (await api.get<{ definition: FlowDefinition }>(`/flows/${flowId}/versions/${version}`, {}, signal))
      .definition,
})

/** Of one version, or of all. */
export const funnelQuery = (api: WorkspaceApi, flowId: string, version?: number) =>
  queryOptions({
    queryKey: keys.flowFunnel(api.workspaceId, flowId, version),
    queryFn: ({ signal }) => api.get<Funnel>(`/flows/${flowId}/funnel`, { version }, signal),
  })

export type RunFilter = { flowId?: string; conversationId?: string; status?: RunStatus }

export const runsQuery = (api: WorkspaceApi, filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: keys.flowRuns(api.workspaceId, filter),
    queryFn: ({ signal, pageParam }) =>
      api.get<FlowRunList>('/flow-runs', { ...filter, cursor: pageParam, limit: PAGE_SIZE }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  })

export const runQuery = (api: WorkspaceApi, runId: string) =>
  queryOptions({
    queryKey: keys.flowRun(api.workspaceId, runId),
    queryFn: ({ signal }) => api.get<{ run: FlowRun }>(`/flow-runs/${runId}`, {}, signal),
  })

export const flowsChanged = (client: QueryClient, w: string): Promise<void> =>
  client.invalidateQueries({ queryKey: keys.flows(w) })
