// Creating, changing and deleting actions, which only admins do: an action decides where requests go and what they carry.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { SealError } from '../../platform/seal.ts'
import { changesBetween, recordAudit } from '../audit/record-audit.ts'
import { refuseWhileUsed } from '../live-flows.ts'
import { foldText } from '../search/search-text.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import {
  deleteActionRow,
  findAction,
  insertAction,
  listActions,
  type StoredAction,
  updateActionRow,
} from './queries.ts'
import { readAction } from './read-action.ts'
import { ACTIONS_MAX, type Action, type ActionSummary, type NewAction } from './schema.ts'

/** For refuseWhileUsed. */
export const CALLS_IN_LIVE_FLOWS = '$.** ? (@.type == "call" && @.actionId == $id)'

/** Throws VALIDATION_ERROR as in readAction, for a name that is taken, and beyond 20 actions. */
export const createAction = (ctx: Ctx, input: NewAction): Promise<Action> =>
  inTransaction(ctx, async (ctx) => {
    const given = readAction(input)
    await lockWorkspace(ctx)
    const others = await listActions(ctx)
    if (others.filter(({ tool }) => !tool).length >= ACTIONS_MAX)
      throw invalid({ field: 'name', message: `the workspace already has ${ACTIONS_MAX} actions` })
    refuseTaken(others, given.name)
    const action = rowOf(ctx, ctx.newId(), given, {})
    await insertAction(ctx, { ...action, nameKey: foldText(action.name) })
    await recordAudit(ctx, {
      action: 'action.created',
      target: targetOf(action),
      changes: changesBetween({}, shownOf(action)),
    })
    return showAction(action)
  })

/**
 * Replaces all of it. Headers without a value keep the stored one, but not when the host changes: nobody may send a secret
 * that they don't know to a server of their choice. Throws NOT_FOUND, and VALIDATION_ERROR as in createAction and for a
 * tool of an MCP server.
 */
export const updateAction = (ctx: Ctx, id: string, input: NewAction): Promise<Action> =>
  inTransaction(ctx, async (ctx) => {
    const given = readAction(input)
    await lockWorkspace(ctx)
    const all = await listActions(ctx)
    const before = all.find((action) => action.id === id)
    if (!before) throw noSuchAction()
    refuseTool(before)
    refuseTaken(
      all.filter((action) => action !== before),
      given.name,
    )
    const isSameHost = new URL(before.url).origin === new URL(given.url).origin
    const action = rowOf(ctx, id, given, isSameHost ? storedHeaders(ctx, before) : {})
    await updateActionRow(ctx, { ...action, nameKey: foldText(action.name) })
    await recordAudit(ctx, {
      action: 'action.updated',
      target: targetOf(action),
      changes: changesBetween(shownOf(before), shownOf(action)),
    })
    return showAction(action)
  })

/** Throws NOT_FOUND, and VALIDATION_ERROR for a tool, and for an action that a live flow uses, naming the flow. */
export const deleteAction = (ctx: Ctx, id: string): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const action = await findAction(ctx, id)
    if (!action) throw noSuchAction()
    refuseTool(action)
    await refuseWhileUsed(ctx, { id, path: CALLS_IN_LIVE_FLOWS })
    await deleteActionRow(ctx, id)
    await recordAudit(ctx, { action: 'action.deleted', target: targetOf(action) })
    return { success: true }
  })

const targetOf = ({ id, name }: StoredAction) => ({ type: 'action', id, name })

/** For the audit log. A path can contain a key, so only the host of the URL. */
const shownOf = ({ name, method, url, headerNames, risk, needs, confirm }: StoredAction) => ({
  name,
  method,
  host: new URL(url).host,
  headerNames,
  risk,
  needs,
  confirm,
})

/** Throws NOT_FOUND. */
export const getAction = async (ctx: Ctx, id: string): Promise<StoredAction> => {
  const action = await findAction(ctx, id)
  if (!action) throw noSuchAction()
  return action
}

/** Without the values of its headers. */
export const showAction = ({ workspaceId: _, headers: __, tool: ___, ...action }: StoredAction): Action =>
  action

export const summarizeAction = ({
  id,
  name,
  method,
  url,
  parameters,
  keep,
  risk,
  tool,
}: StoredAction): ActionSummary => ({
  ...{ id, name, method, host: new URL(url).host, parameters, keep, risk },
  tool: tool && { serverId: tool.serverId, state: tool.state },
})

/** Empty if they can't be decrypted: they must be entered again. */
const storedHeaders = ({ seal }: Ctx, { workspaceId, id, headers }: StoredAction): Record<string, string> => {
  if (!headers) return {}
  try {
    return JSON.parse(seal.open(headers, { workspaceId, id })) as Record<string, string>
  } catch (error) {
    if (error instanceof SealError) return {}
    throw error
  }
}

const rowOf = (
  { seal, workspaceId }: Ctx,
  id: string,
  { headers, ...action }: NewAction,
  stored: Readonly<Record<string, string>>,
): StoredAction => {
  const missing = headers.flatMap(({ name, value }, index) =>
    value === undefined && !Object.hasOwn(stored, name)
      ? [{ field: `headers[${index}]`, message: `the value of ${name} must be entered` }]
      : [],
  )
  if (missing.length > 0) throw invalid(...missing)
  const values = Object.fromEntries(headers.map(({ name, value }) => [name, value ?? stored[name]!]))
  return {
    ...action,
    workspaceId,
    id,
    tool: null,
    headerNames: headers.map(({ name }) => name),
    headers: headers.length === 0 ? null : seal.seal(JSON.stringify(values), { workspaceId, id }),
  }
}

/** What it may do is decided where its server is. */
const refuseTool = ({ tool }: StoredAction): void => {
  if (tool) throw invalid({ field: 'actionId', message: 'is a tool of an MCP server. Change it there' })
}

export const refuseTaken = (others: readonly StoredAction[], name: string): void => {
  if (others.some((other) => foldText(other.name) === foldText(name)))
    throw invalid({ field: 'name', message: 'is the name of another action' })
}

const noSuchAction = () => new ApiError('NOT_FOUND', { message: 'Action not found.' })
