// For clients that only start programs: passes the messages of the Model Context Protocol between standard input and
// output and the /mcp of a server. Understands none of them, so it fits every revision that client and server share.
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server'
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { type Command, UsageError } from './command.ts'

const SERVER = 'http://127.0.0.1:8080'
/** As long as a restart takes; clients give up after a minute. */
const PATIENCE_MS = 30_000
const PAUSE_MS = 500
const IN_FLIGHT_MAX = 100
/** JSON-RPC leaves these codes to servers. */
const FAILED = -32_000

export const mcpCommand: Command = {
  words: 'mcp',
  about: `Connect an AI client that starts programs to a server’s tools. FOYER_TOKEN must be a token, FOYER_URL the server’s address (default ${SERVER}).`,
  run: async () => {
    const { FOYER_TOKEN: token, FOYER_URL: server = SERVER } = process.env
    if (!token) throw new UsageError('FOYER_TOKEN is not set. Set it to an API token.')
    const url = URL.parse(server)
    if (!url || !/^https?:$/.test(url.protocol))
      throw new UsageError('FOYER_URL must be a URL such as https://inbox.example.com.')
    const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
    await bridge(new StdioServerTransport(), {
      url,
      token,
      patienceMs: PATIENCE_MS,
      print: (line) => void process.stderr.write(`${line}\n`),
    })
  },
}

type Bridged = { url: URL; token: string; patienceMs: number; print: (line: string) => void }

/** Until the client closes its end. */
export const bridge = async (client: StdioServerTransport, bridged: Bridged): Promise<void> => {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const { url, token, print } = bridged
  const server = new StreamableHTTPClientTransport(new URL(`${url.href.replace(/\/$/, '')}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  const pending = new Map<JSONRPCRequest['id'], AbortController>()
  const answer = (message: JSONRPCMessage): void => {
    if ('id' in message && message.id !== undefined && !('method' in message) && !pending.delete(message.id))
      return
    if ('result' in message && typeof message.result.protocolVersion === 'string')
      server.setProtocolVersion(message.result.protocolVersion)
    client.send(message).catch(() => {})
  }
  const fail = (id: JSONRPCRequest['id'], text: string): void => {
    if (!pending.has(id)) return
    print(text)
    answer({ jsonrpc: '2.0', id, error: { code: FAILED, message: text } })
  }
  server.onmessage = answer
  client.onerror = ({ message }) => print(`A message can’t be read: ${message.split('\n', 1)[0]}`)
  client.onmessage = (message) => {
    if (!('method' in message)) return
    if (message.method === 'notifications/cancelled') {
      const id = message.params?.requestId as JSONRPCRequest['id']
      pending.get(id)?.abort()
      pending.delete(id)
      return
    }
    const id = 'id' in message ? message.id : null
    const cancelled = new AbortController()
    if (id !== null) {
      const isTooMuch = pending.size >= IN_FLIGHT_MAX
      pending.set(id, cancelled)
      if (isTooMuch) return fail(id, `More than ${IN_FLIGHT_MAX} requests at once. Try again later.`)
    }
    const lost = `The connection to ${url.origin} was lost. Check whether it was done before you try again.`
    const onRequestStreamEnd = () => void (id !== null && fail(id, lost))
    send(server, message, { ...bridged, signal: cancelled.signal, onRequestStreamEnd }).catch((error) => {
      if (id !== null) fail(id, describe(error, url) ?? lost)
    })
  }
  const closed = new Promise<void>((done) => {
    client.onclose = done
  })
  await server.start()
  await client.start()
  print(`Passing messages on to ${url.origin}.`)
  await closed
  await server.close()
}

type Sending = Bridged & { signal: AbortSignal; onRequestStreamEnd: () => void }

/** What didn’t reach the server, because it restarts, is sent again for a while; nothing else is. */
const send = async (
  server: StreamableHTTPClientTransport,
  message: JSONRPCMessage,
  { signal, onRequestStreamEnd, patienceMs, print, url }: Sending,
): Promise<void> => {
  for (let leftMs = patienceMs; ; leftMs -= PAUSE_MS)
    try {
      await server.send(message, { requestSignal: signal, onRequestStreamEnd })
      return
    } catch (error) {
      if (!isUnreached(error) || leftMs <= 0) throw error
      if (leftMs === patienceMs) print(`${url.origin} can’t be reached. Trying again…`)
      await sleep(PAUSE_MS, undefined, { signal })
    }
}

/** The library's error has the status and the body; that of fetch has the reason as its cause. */
type Failure = { status?: number; data?: { text?: string | null }; cause?: { code?: string } }

const isUnreached = (error: unknown): boolean => {
  const { status, cause } = error as Failure
  return status === 503 || ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(cause?.code ?? '')
}

/** Null if it may have been done. */
const describe = (error: unknown, { origin }: URL): string | null => {
  const { status, data } = error as Failure
  if (status !== undefined) {
    const said = /"message":("(?:[^"\\]|\\.)*")/.exec(data?.text ?? '')?.[1]
    return `${origin} responded ${status}${said ? `: ${JSON.parse(said)}` : '.'}`
  }
  return isUnreached(error) ? `${origin} can’t be reached. Try again later.` : null
}
