// One call of a tool that is switched on.
import type { CalledTool } from '../../../mcp-client/contract.ts'
import { loadMcpClient } from '../../../mcp-client/index.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { SERVER_TIMEOUT_MS } from './check-server.ts'
import { openAccount, UNREADABLE } from './open-account.ts'
import { findServer, markGone, type StoredTool, saveTools } from './queries.ts'

/** Never throws for what a server can do. One that changed is switched off at once. */
export const callTool = async (
  ctx: Ctx,
  { serverId, name, hash, state }: StoredTool,
  values: Readonly<Record<string, string | number | boolean>>,
): Promise<CalledTool> => {
  const notCalled = (problem: { code: string; message: string }): CalledTool => ({
    ...{ is: 'refused', problem, status: null },
  })
  const server = await findServer(ctx, serverId)
  if (!server || state !== 'on')
    return notCalled({ code: 'TOOL_OFF', message: 'The tool is switched off, so it wasn’t called.' })
  const account = openAccount(ctx, server)
  if (!account) return notCalled(UNREADABLE)
  const call = { name, hash, arguments: values, era: server.era }
  const called = await (await loadMcpClient()).callTool(account, call, SERVER_TIMEOUT_MS)
  if (called.is === 'changed') {
    if (called.tool) await saveTools(ctx, serverId, [called.tool])
    else await markGone(ctx, { serverId, name })
    ctx.log.info({ serverId, isGone: !called.tool }, 'a tool of an MCP server changed and was switched off')
  }
  return called
}
