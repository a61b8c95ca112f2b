// An MCP client, by the library, of the application in a test.
import { Client, type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { FastifyInstance } from 'fastify'

/** `fetch` without a port. */
const fetchOf =
  (app: FastifyInstance): FetchLike =>
  async (url, init) => {
    const { pathname, search, host } = new URL(url)
    const response = await app.inject({
      method: (init?.method ?? 'GET') as 'GET',
      url: pathname + search,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), host },
      ...(typeof init?.body === 'string' && { payload: init.body }),
    })
    return new Response(response.statusCode === 202 || response.statusCode === 204 ? null : response.body, {
      status: response.statusCode,
      headers: Object.entries(response.headers).map(
        ([name, value]) => [name, String(value)] as [string, string],
      ),
    })
  }

export type Era = '2025-06-18' | '2025-11-25' | '2026-07-28'

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape; the client checks the schemas
type Called = { data: any; text: string; isError: boolean }

type Options = {
  era?: Era
  /** Who is asked, if the client can ask: answers a question. */
  person?: (question: string) => 'accept' | 'decline' | 'cancel'
}

export const connect = async (
  app: FastifyInstance,
  secret: string,
  { era = '2026-07-28', person }: Options = {},
) => {
  const transport = new StreamableHTTPClientTransport(new URL('http://foyer.test/mcp'), {
    fetch: fetchOf(app),
    requestInit: { headers: { authorization: `Bearer ${secret}` } },
  })
  const client = new Client(
    { name: 'Test client', version: '7' },
    {
      versionNegotiation: { mode: era === '2026-07-28' ? 'auto' : 'legacy' },
      // A client of before offers the first of these, and takes no other.
      ...(era !== '2026-07-28' && { supportedProtocolVersions: [era] }),
      ...(person && { capabilities: { elicitation: {} } }),
    },
  )
  if (person)
    client.setRequestHandler('elicitation/create', ({ params }) => ({ action: person(params.message) }))
  await client.connect(transport)
  return {
    client,
    revision: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools,
    call: async (name: string, given: Record<string, unknown> = {}): Promise<Called> => {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: given })
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
      return { data: structuredContent, text, isError: isError === true }
    },
  }
}
