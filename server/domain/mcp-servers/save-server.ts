// Connecting MCP servers, which only admins do: they decide what customers' words may be sent to.
import { refuseUrl } from '../../../channels/channel.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { foldText } from '../search/search-text.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { CHECK_EVERY_MS, checkServer } from './check-server.ts'
import { openAccount, sealToken } from './open-account.ts'
import {
  findServer,
  insertServer,
  listServers,
  listTools,
  type StoredServer,
  updateServer,
} from './queries.ts'
import {
  type McpServer,
  type McpServerAnswer,
  type McpServerChange,
  type McpServerSummary,
  type NewMcpServer,
  SERVERS_MAX,
} from './schema.ts'

export const listMcpServers = async (ctx: Ctx): Promise<McpServerSummary[]> =>
  (await listServers(ctx)).map(({ toolCount, onCount, changedCount, ...server }) => ({
    ...showServer(ctx, server),
    ...{ toolCount, onCount, changedCount },
  }))

/** Throws NOT_FOUND. */
export const getMcpServer = async (ctx: Ctx, id: string): Promise<McpServerAnswer> => {
  const [server, tools] = await Promise.all([findServer(ctx, id), listTools(ctx, id)])
  if (!server) throw noSuchServer()
  return { server: showServer(ctx, server), tools }
}

/**
 * Stores it, and then copies its tools, all of them switched off. One that can't be read is stored with its problem.
 * Throws VALIDATION_ERROR for an address that can't be called, a name that is taken, and beyond 10 servers.
 */
export const connectMcpServer = async (
  ctx: Ctx,
  { name, url: given, token }: NewMcpServer,
): Promise<McpServerAnswer> => {
  const url = readUrl(given)
  const id = ctx.newId()
  await inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const others = await listServers(ctx)
    if (others.length >= SERVERS_MAX)
      throw invalid({ field: 'name', message: `the workspace already has ${SERVERS_MAX} MCP servers` })
    refuseTaken(others, name)
    await insertServer(ctx, {
      ...{ id, name, nameKey: foldText(name), url },
      token: sealToken(ctx, { id, url }, token),
      nextCheckAt: new Date(ctx.now().getTime() + CHECK_EVERY_MS),
    })
    await recordAudit(ctx, {
      action: 'mcp_server.connected',
      target: auditTarget({ id, name }),
      changes: { host: { to: new URL(url).host } },
    })
  })
  return recheckMcpServer(ctx, id)
}

/**
 * Its address stays: another address is another server. A token that is left out is kept. Throws NOT_FOUND, and
 * VALIDATION_ERROR for a name that is taken.
 */
export const updateMcpServer = (ctx: Ctx, id: string, change: McpServerChange): Promise<McpServerAnswer> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const all = await listServers(ctx)
    const before = all.find((server) => server.id === id)
    if (!before) throw noSuchServer()
    refuseTaken(
      all.filter((server) => server !== before),
      change.name,
    )
    await updateServer(ctx, {
      ...{ id, name: change.name, nameKey: foldText(change.name) },
      token: change.token === undefined ? before.token : sealToken(ctx, before, change.token),
    })
    await recordAudit(ctx, {
      action: 'mcp_server.updated',
      target: auditTarget({ id, name: change.name }),
      changes: {
        ...(before.name !== change.name && { name: { from: before.name, to: change.name } }),
        ...(change.token !== undefined && { token: { to: change.token === null ? 'removed' : 'replaced' } }),
      },
    })
    return getMcpServer(ctx, id)
  })

/** Throws NOT_FOUND. */
export const recheckMcpServer = async (ctx: Ctx, id: string): Promise<McpServerAnswer> => {
  await checkServer(ctx, id)
  return getMcpServer(ctx, id)
}

export const auditTarget = ({ id, name }: { id: string; name: string }) => ({ type: 'mcp_server', id, name })

const showServer = (ctx: Ctx, { token, era: _, ...server }: StoredServer): McpServer => ({
  ...server,
  token: !token ? 'none' : openAccount(ctx, { ...server, token }) ? 'stored' : 'unreadable',
})

/** As it is stored and called. Whether it may be reached is checked at each connection. */
const readUrl = (given: string): string => {
  const url = URL.parse(given.trim())
  const refusal = url ? refuseUrl(url) : 'must look like https://mcp.example.com/mcp'
  if (!url || refusal) throw invalid({ field: 'url', message: refusal ?? 'is not a URL' })
  if (url.hash !== '') throw invalid({ field: 'url', message: 'must not contain #' })
  return url.href
}

const refuseTaken = (others: readonly { name: string }[], name: string): void => {
  if (others.some((other) => foldText(other.name) === foldText(name)))
    throw invalid({ field: 'name', message: 'is the name of another MCP server' })
}

export const noSuchServer = () => new ApiError('NOT_FOUND', { message: 'MCP server not found.' })
