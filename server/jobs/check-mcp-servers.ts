// Looks at each MCP server once an hour. A few at a time in one job: those that hang hold up nothing but each other.
import { CHECK_EVERY_MS, checkServer } from '../domain/mcp-servers/check-server.ts'
import { claimDueServers } from '../domain/mcp-servers/queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import type { JobDeps } from './deps.ts'

const SERVERS_MAX = 25

export const checkMcpServers = async (deps: JobDeps): Promise<void> => {
  const now = deps.now()
  const nextCheckAt = new Date(now.getTime() + CHECK_EVERY_MS)
  const due = await claimDueServers(deps.db, { now, nextCheckAt, max: SERVERS_MAX })
  const checks = due.map(({ workspaceId, serverId }) => checkServer(systemCtx(deps, workspaceId), serverId))
  for (const [index, result] of (await Promise.allSettled(checks)).entries())
    if (result.status === 'rejected')
      deps.log.warn({ err: result.reason, ...due[index] }, 'an MCP server could not be checked')
}
