import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

type Answer = (request: IncomingMessage, response: ServerResponse, attempt: number) => void

/** A server that answers the attempts of a call as told, and what it got. */
export const serve = async (answer: Answer) => {
  const got: { method: string; url: string; key: string | undefined; body: string }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const key = request.headers['idempotency-key'] as string | undefined
    got.push({ method: request.method!, url: request.url!, key, body: Buffer.concat(chunks).toString() })
    answer(request, response, got.length)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { got, baseUrl, server }
}

export const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

export const refuse = (response: ServerResponse, status: number, code: string, headers = {}) =>
  json(response, status, { error: { code, message: 'No.' } }, headers)
