// Programs that follow a workspace, written from its documentation alone: docs/guide and openapi.json. They keep their
// place while processes die, and note whatever the documentation says can't happen.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'

export type Followed = {
  id: string
  type: string
  sequence: number
  previous: number | null
  conversationId: string | null
  data: Record<string, unknown>
}

export type Follower = {
  name: string
  /** In the order of arrival, each once. */
  seen: Followed[]
  faults: string[]
  /** How often something came that it had already. */
  repeats: () => number
  stop: () => Promise<void>
}

type Server = { url: string; secret: string }

const AGAIN_MS = 50
const WAIT_SECONDS = 10
const PAGE = 200

/** Runs again after a broken connection or a 5xx, until stopped. */
const persist = (work: (signal: AbortSignal) => Promise<void>, faults: string[]) => {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = (async () => {
    while (!signal.aborted)
      try {
        await work(signal)
      } catch (error) {
        // A dead process breaks connections: fetch rejects with a TypeError.
        if (!signal.aborted && !(error instanceof TypeError)) faults.push(String(error))
        await delay(AGAIN_MS, undefined, { signal }).catch(() => {})
      }
  })()
  return async (): Promise<void> => {
    stopping.abort()
    await running
  }
}

/** Whether the response can be read; throws for one that can't be repaired by trying again. */
const isServed = async (response: Response): Promise<boolean> => {
  if (response.ok) return true
  const text = await response.text()
  if (response.status < 500) throw new Error(`${response.status} ${text}`)
  await delay(AGAIN_MS)
  return false
}

/** Calls that are held until something happens. */
export const followCalls = (
  { url, secret }: Server,
  from: 'oldest' | { cursor: string; next: number },
): Follower => {
  const seen: Followed[] = []
  const faults: string[] = []
  let [cursor, next, epoch] = from === 'oldest' ? ['', 1, ''] : [from.cursor, from.next, '']
  const stop = persist(async (signal) => {
    const place = cursor ? `cursor=${cursor}` : 'from=oldest'
    const response = await fetch(`${url}/api/v1/events?${place}&limit=${PAGE}&wait=${WAIT_SECONDS}`, {
      headers: { authorization: `Bearer ${secret}` },
      signal,
    })
    if (!(await isServed(response))) return
    const page = (await response.json()) as {
      events: Followed[]
      cursor: string
      covers: { from: number; to: number; epoch: string }
    }
    const { covers } = page
    if (covers.from !== next) faults.push(`covers from ${covers.from} instead of ${next}`)
    if (epoch && covers.epoch !== epoch) faults.push(`epoch ${covers.epoch} instead of ${epoch}`)
    for (const [index, { sequence }] of page.events.entries())
      if (sequence !== next + index) faults.push(`${sequence} instead of ${next + index}`)
    seen.push(...page.events)
    cursor = page.cursor
    next = covers.to + 1
    epoch = covers.epoch
  }, faults)
  return { name: 'held calls', seen, faults, repeats: () => 0, stop }
}

/** A stream that resumes after the last event it has. */
export const followStream = ({ url, secret }: Server): Follower => {
  const seen: Followed[] = []
  const faults: string[] = []
  let last = ''
  const take = (frame: string): void => {
    const fields = new Map(
      frame.split('\n').map((line) => {
        const end = line.indexOf(':')
        return [line.slice(0, end), line.slice(end + 1).trimStart()]
      }),
    )
    const event = fields.get('event')
    if (event === undefined) return
    if (event === 'reset') faults.push(`reset: ${fields.get('data')}`)
    last = fields.get('id') ?? last
    if (event === 'position' || event === 'reset') return
    const one = JSON.parse(fields.get('data')!) as Followed
    const expected = (seen.at(-1)?.sequence ?? 0) + 1
    if (one.sequence !== expected) faults.push(`${one.sequence} instead of ${expected}`)
    seen.push(one)
  }
  const stop = persist(async (signal) => {
    const response = await fetch(`${url}/api/v1/events/stream${last ? '' : '?from=oldest'}`, {
      headers: { authorization: `Bearer ${secret}`, ...(last && { 'last-event-id': last }) },
      signal,
    })
    if (!(await isServed(response))) return
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const frames = (text + chunk).split('\n\n')
      text = frames.pop()!
      for (const frame of frames) take(frame)
    }
  }, faults)
  return { name: 'stream', seen, faults, repeats: () => 0, stop }
}

/** A receiver that breaks off every so many requests after it has read them. */
export const receiveWebhooks = async (
  breaksEvery = Number.POSITIVE_INFINITY,
): Promise<Follower & { url: string; setSecret: (secret: string) => void }> => {
  const seen: Followed[] = []
  const faults: string[] = []
  const bodies = new Map<string, string>()
  const attempts = new Set<string>()
  const lastOf = new Map<string, number>()
  let webhook: Webhook
  let received = 0

  const take = (headers: Record<string, string>, body: string): void => {
    webhook.verify(body, headers)
    const id = headers['webhook-id']!
    const attempt = `${id} ${headers['foyer-attempt']}`
    if (attempts.has(attempt)) faults.push(`attempt ${attempt} came twice`)
    attempts.add(attempt)
    const known = bodies.get(id)
    if (known !== undefined && known !== body) faults.push(`${id} has another body`)
    if (known !== undefined) return
    bodies.set(id, body)
    const event = JSON.parse(body) as Followed
    if (event.id !== id) faults.push(`${event.id} was sent as ${id}`)
    seen.push(event)
    const { conversationId, sequence } = event
    if (conversationId === null) return
    if (sequence < (lastOf.get(conversationId) ?? 0)) faults.push(`${sequence} is late in ${conversationId}`)
    lastOf.set(conversationId, sequence)
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The sender died before it had sent everything.
      return
    }
    try {
      take(request.headers as Record<string, string>, Buffer.concat(chunks).toString())
    } catch (error) {
      faults.push(String(error))
    }
    if (++received % breaksEvery === 0) request.socket.destroy()
    else response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    name: 'webhooks',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    setSecret: (secret) => {
      webhook = new Webhook(secret)
    },
    seen,
    faults,
    repeats: () => attempts.size - bodies.size,
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
