// A tool of an MCP server becomes an action when an admin switches it on, and says what it may do.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { ActionParameter } from '../../platform/db/tables.ts'
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors.ts'
import { changesBetween, recordAudit } from '../audit/record-audit.ts'
import { refuseWhileUsed } from '../live-flows.ts'
import {
  countToolsOn,
  deleteServerRow,
  findServer,
  findTool,
  listTools,
  setToolOff,
  setToolOn,
} from '../mcp-servers/queries.ts'
import { auditTarget, getMcpServer, noSuchServer } from '../mcp-servers/save-server.ts'
import type { McpServerAnswer, McpTool } from '../mcp-servers/schema.ts'
import { foldText } from '../search/search-text.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { RESULT_FIELD } from './perform-tool.ts'
import { deleteActionRows, insertAction, listActions, type StoredAction, updateActionRow } from './queries.ts'
import { refuseSource, refuseUnknownContact } from './read-action.ts'
import { CALLS_IN_LIVE_FLOWS, refuseTaken } from './save-action.ts'
import { TIMEOUT_MAX_MS, TOOLS_ON_MAX, type ToolApproval } from './schema.ts'

/**
 * Switches it on as the admin saw it, or changes what it may do. Throws NOT_FOUND, and VALIDATION_ERROR if it has changed
 * since, can't be used, has the name of another action, and beyond 20 that are on.
 */
export const switchToolOn = (
  ctx: Ctx,
  serverId: string,
  { tool: name, hash, description, fromContact = {}, ...given }: ToolApproval,
): Promise<McpServerAnswer> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const [server, tool] = await Promise.all([findServer(ctx, serverId), findTool(ctx, serverId, name)])
    if (!server || !tool) throw noSuchTool()
    refuseUnapproved(tool, hash)
    if (tool.state !== 'on' && (await countToolsOn(ctx)) >= TOOLS_ON_MAX)
      throw invalid({ field: 'tool', message: `${TOOLS_ON_MAX} tools are switched on already` })
    const actions = await listActions(ctx)
    const before = actions.find(({ id }) => id === tool.actionId)
    const others = actions.filter((action) => action !== before)
    refuseTaken(others, given.name)
    const parameters = withSources(tool.parameters, fromContact, given.needs)
    const id = tool.actionId ?? ctx.newId()
    const row = {
      ...{ workspaceId: ctx.workspaceId, id, ...given, nameKey: foldText(given.name) },
      ...{ method: 'POST' as const, url: server.url, headerNames: [], headers: null },
      parameters,
      keep: [{ name: RESULT_FIELD, path: RESULT_FIELD }],
      timeoutMs: TIMEOUT_MAX_MS,
      isRepeatable: given.risk === 'read',
    }
    if (tool.actionId) await updateActionRow(ctx, row)
    else await insertAction(ctx, row)
    const ownDescription = description?.trim() || null
    // It may have changed since it was read: only what was approved is switched on.
    if (!(await setToolOn(ctx, { serverId, name, hash, actionId: id, ownDescription }))) throw changed()
    await recordAudit(ctx, {
      action: tool.state === 'on' ? 'tool.updated' : 'tool.enabled',
      target: { type: 'tool', id, name: row.name },
      changes: {
        ...(tool.state !== 'on' && { server: { to: server.name }, tool: { to: name } }),
        ...changesBetween(before && tool.state === 'on' ? allowedOf(before) : {}, allowedOf(row)),
      },
    })
    return getMcpServer(ctx, serverId)
  })

const withSources = (
  parameters: readonly ActionParameter[],
  sources: NonNullable<ToolApproval['fromContact']>,
  needs: ToolApproval['needs'],
): ActionParameter[] => {
  const problems: ErrorDetail[] = []
  const refuse = (field: string, message: string) => problems.push({ field, message })
  const unknown = Object.keys(sources).find(
    (name) => !parameters.some((parameter) => parameter.name === name),
  )
  if (unknown !== undefined) refuse('fromContact', `${unknown} is not one of the parameters`)
  const filled = parameters.map((parameter) => {
    const source = Object.hasOwn(sources, parameter.name) ? sources[parameter.name] : undefined
    return source ? { ...parameter, fromContact: source } : parameter
  })
  for (const parameter of filled) refuseSource(parameter, (message) => refuse('fromContact', message))
  refuseUnknownContact({ parameters: filled, needs }, refuse)
  if (problems.length > 0) throw invalid(...problems)
  return filled
}

const allowedOf = ({ risk, needs, confirm }: Pick<StoredAction, 'risk' | 'needs' | 'confirm'>) => ({
  risk,
  needs,
  confirm,
})

const changed = () => invalid({ field: 'hash', message: 'it changed. Look at it again' })

const refuseUnapproved = ({ state, hash, unusable }: McpTool, approved: string): void => {
  if (state === 'gone') throw invalid({ field: 'tool', message: 'the server doesn’t have it any more' })
  if (hash !== approved) throw changed()
  if (unusable) throw invalid({ field: 'tool', message: `it can’t be used. ${unusable}` })
}

/** Its action stays, for flows and the guidance to refer to, and isn't called. Throws NOT_FOUND. */
export const switchToolOff = (ctx: Ctx, serverId: string, name: string): Promise<McpServerAnswer> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const [server, tool] = await Promise.all([findServer(ctx, serverId), findTool(ctx, serverId, name)])
    if (!server || !tool) throw noSuchTool()
    await setToolOff(ctx, { serverId, name })
    if (tool.state === 'on')
      await recordAudit(ctx, {
        action: 'tool.disabled',
        target: { type: 'tool', id: tool.actionId, name },
        changes: { server: { from: server.name } },
      })
    return getMcpServer(ctx, serverId)
  })

/** With its actions. Throws NOT_FOUND, and VALIDATION_ERROR if a live flow calls one of them, naming the flow. */
export const removeMcpServer = (ctx: Ctx, id: string): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const [server, tools] = await Promise.all([findServer(ctx, id), listTools(ctx, id)])
    if (!server) throw noSuchServer()
    const actionIds = tools.flatMap(({ actionId }) => actionId ?? [])
    await refuseWhileUsed(ctx, { id: actionIds, path: CALLS_IN_LIVE_FLOWS })
    await deleteServerRow(ctx, id)
    await deleteActionRows(ctx, actionIds)
    await recordAudit(ctx, { action: 'mcp_server.removed', target: auditTarget(server) })
    return { success: true }
  })

const noSuchTool = () => new ApiError('NOT_FOUND', { message: 'Tool not found.' })
