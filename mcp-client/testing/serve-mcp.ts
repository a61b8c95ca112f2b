// An MCP server for tests: a real one, made with the library for servers, or any responses at all.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { allowOutbound } from '../../channels/protocol/outbound.ts'

export type TestTool = {
  name: string
  title?: string
  description?: string
  inputSchema?: Record<string, unknown>
  run?: (given: Record<string, unknown>) => unknown
}

type Asked = { method: string; headers: IncomingMessage['headers']; body: string }
/** True if it has responded. */
type Answer = (asked: Asked, response: ServerResponse) => boolean | Promise<boolean>

export const ORDER_TOOL: TestTool = {
  name: 'get_order',
  title: 'Look up an order',
  description: 'Finds an order by its number.',
  inputSchema: {
    type: 'object',
    properties: { number: { type: 'string', maxLength: 40 } },
    required: ['number'],
  },
  run: ({ number }) => ({ content: [{ type: 'text', text: `Order ${number} was sent on Tuesday.` }] }),
}

const makeServer = (tools: readonly TestTool[]): McpServer => {
  const server = new McpServer({ name: 'Shop', version: '1.0.0' })
  for (const { name, title, description, inputSchema, run } of tools)
    server.registerTool(
      name,
      {
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        inputSchema: fromJsonSchema<Record<string, unknown>>(
          inputSchema ?? { type: 'object', properties: {} },
        ),
      },
      async (given) => (run?.(given) ?? { content: [] }) as { content: [] },
    )
  return server
}

/** `era`: which revisions it speaks. Its tools and its answers may be changed at any time. */
export const serveMcp = async (
  options: { era?: 'both' | 'modern' | 'legacy'; tools?: TestTool[]; answer?: Answer } = {},
) => {
  const { era = 'both' } = options
  const shop = {
    tools: options.tools ?? [ORDER_TOOL],
    /** Comes before the real server. */
    answer: options.answer,
    asked: [] as Asked[],
    url: '',
    close: () => {},
    /** The methods of the protocol that were asked for, in their order. */
    methods: (): string[] =>
      shop.asked.map(({ method, body }) => (body ? String(JSON.parse(body).method) : method)),
    calls: (): Asked[] => shop.asked.filter(({ body }) => body.includes('"tools/call"')),
  }
  const handler = createMcpHandler(() => makeServer(shop.tools), {
    legacy: era === 'modern' ? 'reject' : 'stateless',
  })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const asked = {
      method: request.method ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    shop.asked.push(asked)
    if (await shop.answer?.(asked, response)) return
    // A server of before doesn't know the probe.
    if (era === 'legacy' && asked.body.includes('"server/discover"'))
      return void response.writeHead(400, { 'content-type': 'text/plain' }).end('Bad Request')
    const answer = await handler.fetch(
      new Request(shop.url, {
        method: asked.method,
        headers: Object.entries(asked.headers).map(
          ([name, value]) => [name, String(value)] as [string, string],
        ),
        ...(asked.body && { body: asked.body }),
      }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  shop.close = () => {
    server.closeAllConnections()
    server.close()
  }
  after(() => shop.close())
  // A server that listens on a port has such an address.
  shop.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  allowOutbound(shop.url)
  return shop
}

/** Responds as a server of revision 2026-07-28 to one method, and leaves the others to the real one. */
export const answering =
  (method: string, respond: (response: ServerResponse, id: unknown) => void): Answer =>
  ({ body }, response) => {
    const asked = body ? JSON.parse(body) : {}
    if (asked.method !== method) return false
    respond(response, asked.id)
    return true
  }

export const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
