// A receiver of webhooks on loopback that does what a test tells it to.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

export type Received = {
  headers: Record<string, string>
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
  event: any
}

/** A status, or what to do with the response. */
type Behaviour = (
  received: Received,
  response: ServerResponse,
  request: IncomingMessage,
) => number | undefined | Promise<number | undefined>

export const startReceiver = async (behave: Behaviour = () => 200) => {
  const received: Received[] = []
  const state = { behave }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('end', async () => {
      const body = Buffer.concat(chunks).toString()
      const one = { headers: request.headers as Record<string, string>, body, event: JSON.parse(body) }
      received.push(one)
      const status = await state.behave(one, response, request)
      if (status !== undefined) response.writeHead(status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    sequences: (): number[] => received.map(({ event }) => event.sequence),
    closeConnections: (): void => server.closeAllConnections(),
    behave: (next: Behaviour): void => {
      state.behave = next
    },
  }
}
