import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'
import type { Agent } from './types.ts'

/** The workspace's active agents, the AI agent last. */
export const agentsQuery = (api: WorkspaceApi) => ({
  queryKey: keys.agents(api.workspaceId),
  queryFn: ({ signal }: { signal: AbortSignal }) => api.get<{ agents: Agent[] }>('/agents', {}, signal),
})
