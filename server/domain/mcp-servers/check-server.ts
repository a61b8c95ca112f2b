// Copies what a server offers now, and switches off what isn't what an admin approved.
import type { ListedTools } from '../../../mcp-client/contract.ts'
import { loadMcpClient } from '../../../mcp-client/index.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { openAccount, UNREADABLE } from './open-account.ts'
import { dropOtherTools, findServer, type StoredServer, saveChecked, saveTools } from './queries.ts'

/** Of everything that is asked of a server at once. */
export const SERVER_TIMEOUT_MS = 10_000
export const CHECK_EVERY_MS = 3_600_000

/**
 * Asks the server, and then stores what it said in one transaction. One that can't be reached keeps its tools, which are
 * compared before each call anyway. Nothing happens if it was removed.
 */
export const checkServer = async (ctx: Ctx, id: string): Promise<void> => {
  const server = await findServer(ctx, id)
  if (!server) return
  const listed = await listOf(ctx, server)
  if (listed.is === 'failed')
    ctx.log.info({ serverId: id, code: listed.problem.code }, 'an MCP server could not be read')
  await inTransaction(ctx, async (ctx) => {
    if (listed.is === 'failed') {
      await saveChecked(ctx, id, { problem: listed.problem })
      return
    }
    const { tools, skipped, era } = listed
    if (!(await saveChecked(ctx, id, { problem: null, found: { skipped, era } }))) return
    await saveTools(ctx, id, tools)
    await dropOtherTools(
      ctx,
      id,
      tools.map(({ name }) => name),
    )
  })
}

const listOf = async (ctx: Ctx, server: StoredServer): Promise<ListedTools> => {
  const account = openAccount(ctx, server)
  if (!account) return { is: 'failed', problem: UNREADABLE }
  return (await loadMcpClient()).listTools(account, SERVER_TIMEOUT_MS)
}
