// A visitor's page for tests: calls the widget's API and reads its event stream as the widget does.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createEventParser } from '../../../../widget/parse-events.ts'

const PATIENCE_MS = 10_000
const LOOK_EVERY_MS = 10

/** Waits until a condition holds. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`still not so after ${PATIENCE_MS} ms: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
export type SeenEvent = { id: string | null; event: string; data: any }

/** Opens a stream; `next` returns the events of one kind in order, each once. */
export const openEvents = async (
  url: string,
  credentials: string | Record<string, string>,
  lastEventId?: string,
) => {
  const outgoing = request(url, {
    agent: false,
    headers: {
      ...(typeof credentials === 'string' ? { authorization: `Bearer ${credentials}` } : credentials),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  }).end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  let text = ''
  let isEnded = false
  const events: SeenEvent[] = []
  const parse = createEventParser(({ id, event, data }) => {
    events.push({ id, event, data: JSON.parse(data) })
  })
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    text += chunk
    // An error response has a different body.
    if (response.statusCode === 200) parse(chunk)
  })
  response.on('error', () => {})
  response.on('close', () => {
    isEnded = true
  })
  const taken = new Set<number>()

  return {
    status: response.statusCode,
    headers: response.headers,
    text: () => text,
    events: (): SeenEvent[] => [...events],
    isEnded: () => isEnded,
    next: async (kind: string, fits: (event: SeenEvent) => boolean = () => true): Promise<SeenEvent> => {
      let found: SeenEvent | undefined
      await until(() => {
        const index = events.findIndex((event, n) => !taken.has(n) && event.event === kind && fits(event))
        if (index < 0 && isEnded) throw new Error(`the stream ended before ${kind}: ${text}`)
        if (index < 0) return false
        taken.add(index)
        found = events[index]
        return true
      })
      return found!
    },
    lastId: () => events.findLast(({ id }) => id !== null)?.id ?? undefined,
    pause: () => response.pause(),
    close: () => outgoing.destroy(),
  }
}

type AskOptions = {
  token?: string
  channel?: string
  headers?: Record<string, string>
  method?: string
}

type SessionAnswer = {
  token: string
  visitor: { id: string; name: string | null; email: string | null }
  conversation: { id: string; status: string } | null
  messages: {
    id: string
    body: string
    senderType: string
    status: string
    sender: { nickname: string }
    clientId: string | null
    reaction: string | null
  }[]
}

/** A site's page: `base` is read at every call, since the port is known only once the server listens. */
export const makePage = (base: () => string, channelId: string) => {
  const ask = async (path: string, body?: unknown, options: AskOptions = {}) => {
    const { token, channel = channelId, headers = {}, method = 'POST' } = options
    const response = await fetch(`${base()}/widget/${channel}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape; the schemas hold them
    const answer = (text ? JSON.parse(text) : null) as any
    return { status: response.status, headers: response.headers, text, body: answer }
  }

  return {
    ask,
    session: async (claims: object = {}, options: AskOptions = {}): Promise<SessionAnswer> => {
      const { status, body } = await ask('/session', claims, options)
      assert.equal(status, 200)
      return body
    },
    say: async (token: string, text: string, options: AskOptions & { clientId?: string } = {}) => {
      const { clientId } = options
      const { status, body } = await ask(
        '/messages',
        { body: text, ...(clientId !== undefined && { clientId }) },
        { token, ...options },
      )
      assert.equal(status, 200)
      return body.message
    },
    follow: (token: string, options: { lastEventId?: string; channel?: string } = {}) =>
      openEvents(`${base()}/widget/${options.channel ?? channelId}/events`, token, options.lastEventId),
  }
}
