// The protocol, by its library. Nothing of a server lasts longer than what is asked of it: each exchange is made with
// requests of its own, within one limit of time and of bytes.
import { Client, ProtocolError, StreamableHTTPClientTransport, type Tool } from '@modelcontextprotocol/client'
import { type GuardedFetch, makeGuardedFetch } from '../channels/protocol/guarded-fetch.ts'
import type {
  CalledTool,
  Era,
  ListedTools,
  McpAccount,
  McpClient,
  McpProblem,
  ServerTool,
} from './contract.ts'
import { readTool } from './read-tool.ts'
import { resultText } from './result-text.ts'

const BYTES_MAX = 1_024 * 1_024
/** Copied of one server. */
const TOOLS_MAX = 100
const PAGES_MAX = 10

/** The server's schemas aren't executed: their patterns could take for ever. */
const UNCHECKED = { getValidator: () => (input: unknown) => ({ valid: true, data: input }) as never }
type Session = { client: Client; guarded: GuardedFetch; timeoutMs: number }

/** What `work` returns, or what went wrong. */
const inSession = async <T>(
  { url, token }: McpAccount,
  { timeoutMs, era }: { timeoutMs: number; era: Era | null },
  work: (session: Session) => Promise<T>,
  failed: (error: unknown, guarded: GuardedFetch) => T,
): Promise<T> => {
  const address = new URL(url)
  const guarded = makeGuardedFetch({
    strictnessOf: (to) => (to.href !== address.href ? null : to.protocol === 'https:' ? 'every' : 'listed'),
    timeoutMs,
    bytesMax: BYTES_MAX,
  })
  const transport = new StreamableHTTPClientTransport(address, {
    // Streams that stay open aren't wanted: nobody would read them.
    fetch: async (to, init) =>
      init?.method === 'GET' ? new Response(null, { status: 405 }) : guarded.fetch(to, init),
    ...(token !== null && { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
    },
    onInsufficientScope: 'throw',
  })
  const client = new Client(
    { name: 'foyer', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      jsonSchemaValidator: UNCHECKED,
    },
  )
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    await client.connect(transport, {
      timeout: timeoutMs,
      signal: deadline,
      ...(era === 'legacy' && { prior: { kind: 'legacy' } }),
    })
    return await work({ client, guarded, timeoutMs })
  } catch (error) {
    return failed(deadline.aborted ? new Late() : error, guarded)
  } finally {
    // Servers with sessions keep them otherwise. Nobody waits for it.
    void transport
      .terminateSession()
      .catch(() => {})
      .finally(() => client.close())
      .catch(() => {})
  }
}

class Late extends Error {}

/** The tools page by page, as far as they are wanted. */
async function* listPages({ client, timeoutMs }: Session): AsyncGenerator<Tool[]> {
  // It has none, and may refuse to be asked.
  if (!client.getServerCapabilities()?.tools) return
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const { tools, nextCursor } = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      { timeout: timeoutMs },
    )
    yield tools
    if (nextCursor === undefined || nextCursor === cursor) return
    cursor = nextCursor
  }
}

const listTools: McpClient['listTools'] = (account, timeoutMs) =>
  inSession<ListedTools>(
    account,
    { timeoutMs, era: null },
    async (session) => {
      const tools = new Map<string, ServerTool>()
      let skipped = 0
      for await (const page of listPages(session)) {
        for (const given of page) {
          const tool = tools.size < TOOLS_MAX ? readTool(given) : undefined
          if (tool && !tools.has(tool.name)) tools.set(tool.name, tool)
          else skipped++
        }
        if (tools.size >= TOOLS_MAX) break
      }
      return { is: 'listed', tools: [...tools.values()], skipped, era: eraOf(session.client) }
    },
    (error, guarded) => ({ is: 'failed', problem: problemOf(error, guarded) }),
  )

const eraOf = (client: Client): Era =>
  (client.getNegotiatedProtocolVersion() ?? '') >= '2026' ? 'modern' : 'legacy'

const callTool: McpClient['callTool'] = (account, { name, hash, arguments: given, era }, timeoutMs) => {
  let isCalling = false
  return inSession<CalledTool>(
    account,
    { timeoutMs, era },
    async (session) => {
      const found = await findTool(session, name)
      if (found?.tool.hash !== hash) return { is: 'changed', tool: found?.tool ?? null }
      isCalling = true
      session.guarded.expect()
      const result = await session.client.callTool(
        { name, arguments: given },
        { timeout: timeoutMs, toolDefinition: found.given },
      )
      return { is: 'answered', isError: result.isError === true, text: resultText(result) }
    },
    (error, guarded) => failedCall(error, guarded, isCalling),
  )
}

const findTool = async (
  session: Session,
  name: string,
): Promise<{ tool: ServerTool; given: Tool } | undefined> => {
  for await (const page of listPages(session))
    for (const given of page) {
      const tool = readTool(given)
      if (tool?.name === name) return { tool, given }
    }
  return undefined
}

/** Codes of requests that were refused before anything was done: no request, no method, no parameters of it. */
const NOT_RUN = new Set([-32600, -32601, -32602, -32700])

const failedCall = (error: unknown, guarded: GuardedFetch, isCalling: boolean): CalledTool => {
  const problem = problemOf(error, guarded)
  const status = guarded.status()
  const isRefused =
    error instanceof ProtocolError
      ? NOT_RUN.has(error.code)
      : status !== null && status >= 400 && status < 500
  if (isCalling && isRefused && guarded.problem() === null) return { is: 'refused', problem, status }
  return { is: 'unanswered', problem, isSent: isCalling && guarded.isSent() }
}

const problemOf = (error: unknown, guarded: GuardedFetch): McpProblem => {
  const seen = guarded.problem()
  if (seen) return seen
  if (error instanceof Late) return { code: 'TIMEOUT', message: 'The server didn’t respond in time.' }
  const status = guarded.status()
  if (status === 401 || status === 403)
    return { code: 'TOKEN_REFUSED', message: `The server refused the token (status ${status}).` }
  if (status !== null && status >= 400)
    return { code: 'STATUS', message: `The server responded with status ${status}.` }
  return error instanceof ProtocolError
    ? { code: 'PROTOCOL_ERROR', message: `The server refused the request (code ${error.code}).` }
    : { code: 'PROTOCOL_ERROR', message: 'The server’s response isn’t one of an MCP server.' }
}

export const client: McpClient = { listTools, callTool }
