// WhatsApp for the benchmarks: a server that accepts every send, responds after a delay, and counts, on bare
// sockets to use little of the machine being measured; and its webhooks.
import { createHmac } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Request } from './load.ts'

const HEAD_END = Buffer.from('\r\n\r\n')

export type Provider = {
  url: string
  /** When each send arrived, in order of arrival. */
  arrivals: number[]
  /** How many sends each recipient received. */
  perRecipient: Map<string, number>
  reset(): void
  stop(): Promise<void>
}

export const startProvider = async (latencyMs: number): Promise<Provider> => {
  const sockets = new Set<Socket>()
  let count = 0
  const answer = (socket: Socket, body: string): void => {
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
    if (socket.writable) socket.write(head + body)
  }
  const take = (socket: Socket, head: string, body: string): void => {
    if (!head.startsWith('POST')) {
      answer(socket, '{"data":[]}')
      return
    }
    const to = /"to":"([^"]+)"/.exec(body)?.[1] ?? ''
    provider.arrivals.push(performance.now())
    provider.perRecipient.set(to, (provider.perRecipient.get(to) ?? 0) + 1)
    const id = `wamid.bench.${count++}`
    setTimeout(
      () =>
        answer(
          socket,
          `{"contacts":[{"input":"${to}","wa_id":"${to.replace('+', '')}"}],"messages":[{"id":"${id}"}]}`,
        ),
      latencyMs,
    )
  }
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let received: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      for (;;) {
        const headEnd = received.indexOf(HEAD_END)
        if (headEnd < 0) return
        const head = received.toString('latin1', 0, headEnd)
        const bodyFrom = headEnd + HEAD_END.length
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        if (received.length < bodyFrom + length) return
        take(socket, head, received.toString('utf8', bodyFrom, bodyFrom + length))
        received = received.subarray(bodyFrom + length)
      }
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const provider: Provider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: [],
    perRecipient: new Map(),
    reset: () => {
      provider.arrivals = []
      provider.perRecipient = new Map()
    },
    stop: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => done())
      }),
  }
  return provider
}

type Incoming = { accountId: string; waId: string; name: string; id: string; text: string }

/** Builds webhooks with one message each, signed as the provider does. */
export const makeWebhooks =
  (appSecret: string, numberId: string) =>
  ({ accountId, waId, name, id, text }: Incoming): Request => {
    const value = {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '15550783881', phone_number_id: numberId },
      contacts: [{ profile: { name }, wa_id: waId }],
      messages: [
        {
          from: waId,
          id,
          timestamp: String(Math.floor(Date.now() / 1000)),
          type: 'text',
          text: { body: text },
        },
      ],
    }
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '102290129340398', changes: [{ field: 'messages', value }] }],
    })
    const signature = createHmac('sha256', appSecret).update(body).digest('hex')
    return {
      method: 'POST',
      path: `/webhooks/whatsapp/${accountId}`,
      headers: { 'X-Hub-Signature-256': `sha256=${signature}` },
      body,
    }
  }
