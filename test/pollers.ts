// Clients that poll the lists in creation order, newest first until a known row, while others write as fast as they
// can. Over HTTP only, against any number of processes on one database.
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

export type Place = {
  secret: string
  webChannelId: string
  whatsappId: string
  appSecret: string
  phoneNumberId: string
}

type Options = Place & {
  urls: readonly string[]
  writers: number
  forMs: number
  /** Runs at half time. Processes that are gone afterwards are no longer used. */
  halfWay?: () => Promise<void>
}

type Row = { id: string; createdAt?: string }
export type Found = { written: number; polls: number; missed: number; rising: number; shown: number }

const LISTS = {
  messages: '/messages?direction=all&',
  conversations: '/conversations?sort=created&',
  contacts: '/contacts?sort=created&',
} as const
export type List = keyof typeof LISTS

const PAGE = 100
const BATCHED_MAX = 40
const REST_MS = 20
const SETTLE_TIMEOUT_MS = 10_000

/** An overloaded server rejects what it has not started; the call is retried. */
const TRIES_MAX = 50
const TRY_AGAIN_MS = 200

const ask = async (url: string, init: RequestInit): Promise<Response> => {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, init)
    if (response.status !== 503 || tries === TRIES_MAX) return response
    await response.arrayBuffer()
    await delay(TRY_AGAIN_MS)
  }
}

export const send = async (
  url: string,
  secret: string | null,
  path: string,
  body: unknown,
  headers = {},
  method = 'POST',
) => {
  const response = await ask(url + path, {
    method,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(secret && { authorization: `Bearer ${secret}` }),
      ...headers,
    },
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text || '{}')
}

/** A page, its rows from the newest, and where the next starts. */
const read = async (url: string, secret: string, list: List, cursor: string | null) => {
  const query = `limit=${PAGE}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`
  const response = await ask(`${url}/api/v1${LISTS[list]}${query}`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  const body = (await response.json()) as Record<string, unknown>
  if (response.status !== 200) throw new Error(`GET ${list}: ${response.status} ${JSON.stringify(body)}`)
  return { rows: body[list] as Row[], next: body.nextCursor as string | null }
}

/** Rows until `isKnown` returns true, or the end of the list. */
export const readUntil = async (
  url: string,
  secret: string,
  list: List,
  isKnown: (row: Row) => boolean,
): Promise<Row[]> => {
  const found: Row[] = []
  for (let cursor: string | null = null; ; ) {
    const page = await read(url, secret, list, cursor)
    for (const row of page.rows) {
      if (isKnown(row)) return found
      found.push(row)
    }
    cursor = page.next
    if (!cursor) return found
  }
}

let people = 0
/** A message from each of several new customers in one webhook, as a provider sends them. */
const webhookOf = ({ phoneNumberId }: Place, count: number): string => {
  const messages = Array.from({ length: count }, () => ({
    from: `1555${String(Date.now() % 1e6).padStart(6, '0')}${String(people++ % 1e5).padStart(5, '0')}`.slice(
      0,
      15,
    ),
    id: `wamid.${randomUUID()}`,
    timestamp: String(Math.floor(Date.now() / 1000)),
    type: 'text',
    text: { body: 'Is it still there?' },
  }))
  const contacts = messages.map(({ from }) => ({ wa_id: from, profile: { name: 'Ada' } }))
  const metadata = { display_phone_number: '15550783881', phone_number_id: phoneNumberId }
  const value = { messaging_product: 'whatsapp', metadata, contacts, messages }
  return JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '102290129340398', changes: [{ field: 'messages', value }] }],
  })
}

/** What a writer does repeatedly: one of four ways to create rows. */
export const writerOf = (place: Place, kind: number) => {
  const { secret, webChannelId, whatsappId, appSecret } = place
  let conversationId: string | null = null
  let visitor: string | null = null
  return async (url: string): Promise<void> => {
    if (kind === 0) {
      const email = `${randomUUID()}@customers.example`
      await send(url, secret, '/api/v1/conversations', { email, channel: 'web', message: 'Hello' })
    } else if (kind === 1) {
      const raw = webhookOf(place, 1 + Math.floor(Math.random() * BATCHED_MAX))
      const signature = createHmac('sha256', appSecret).update(raw).digest('hex')
      await send(url, null, `/webhooks/whatsapp/${whatsappId}`, raw, {
        'x-hub-signature-256': `sha256=${signature}`,
      })
      await delay(5 * REST_MS)
    } else if (kind === 2) {
      if (!visitor || Math.random() < 0.2)
        visitor = (await send(url, null, `/widget/${webChannelId}/session`, {})).token as string
      await send(url, visitor, `/widget/${webChannelId}/messages`, { body: 'Hello' })
    } else {
      const email = `${randomUUID()}@customers.example`
      conversationId ??= (await send(url, secret, '/api/v1/conversations', { email, channel: 'web' }))
        .conversation.id as string
      await send(url, secret, `/api/v1/conversations/${conversationId}/messages`, { body: 'And?' })
    }
  }
}

/** Polls while the writers write, then once more, and counts what no poll had seen. */
export const poll = async ({ urls, writers, forMs, halfWay, ...place }: Options): Promise<Found> => {
  const { secret } = place
  let isWriting = true
  let isPolling = true
  const gone = new Set<string>()
  const found: Found = { written: 0, polls: 0, missed: 0, rising: 0, shown: 0 }

  const write = async (index: number): Promise<void> => {
    const once = writerOf(place, index % 4)
    for (let turn = index; isWriting; turn++) {
      const left = urls.filter((url) => !gone.has(url))
      const url = left[turn % left.length]!
      try {
        await once(url)
        found.written++
      } catch (error) {
        // The response of a killed process, or an error that the writer retries.
        if (!(error instanceof TypeError)) throw error
        gone.add(url)
      }
    }
  }

  /** By list: what pollers of one process have seen. */
  const follow = async (
    url: string,
    list: List,
  ): Promise<{ url: string; list: List; known: Set<string> }> => {
    const known = new Set<string>()
    while (isPolling && !gone.has(url)) {
      try {
        const rows = await readUntil(url, secret, list, ({ id }) => known.has(id))
        for (const [place, { createdAt }] of rows.entries())
          if (place > 0 && createdAt && createdAt > rows[place - 1]!.createdAt!) found.rising++
        for (const { id } of rows) known.add(id)
        found.polls++
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        gone.add(url)
      }
      await delay(Math.random() * REST_MS)
    }
    return { url, list, known }
  }

  const lists = Object.keys(LISTS) as List[]
  const polling = Promise.all(urls.flatMap((url) => lists.map((list) => follow(url, list))))
  const writing = Promise.all(Array.from({ length: writers }, (_, index) => write(index)))
  await Promise.race([delay(forMs / 2), writing, polling])
  await halfWay?.()
  await Promise.race([delay(forMs / 2), writing, polling])
  isWriting = false
  await writing
  const left = urls.find((url) => !gone.has(url))!
  // The last rows appear at the latest when the transaction of a killed process has ended.
  const endMs = performance.now() + SETTLE_TIMEOUT_MS
  for (let last = ''; performance.now() < endMs; ) {
    const [newest] = (await read(left, secret, 'messages', null)).rows
    if (newest?.id === last) break
    last = newest?.id ?? ''
    await delay(20 * REST_MS)
  }
  isPolling = false
  for (const { url, list, known } of await polling) {
    if (gone.has(url)) continue
    for (const { id } of await readUntil(left, secret, list, () => false)) {
      found.shown++
      if (!known.has(id)) found.missed++
    }
  }
  return found
}

/** Creates over several connections at once; returns how many new rows the list did not show to their creator. */
export const readOwnWrites = async (
  { secret, urls }: Pick<Options, 'secret' | 'urls'>,
  { connections, times }: { connections: number; times: number },
): Promise<number> => {
  let missing = 0
  const one = async (index: number): Promise<void> => {
    for (let time = 0; time < times; time++) {
      const email = `${randomUUID()}@customers.example`
      const [to, from] = [urls[index % urls.length]!, urls[(index + time) % urls.length]!]
      const made = await send(to, secret, '/api/v1/conversations', {
        email,
        channel: 'web',
        message: 'Hello',
      })
      const isShown = async (list: List, id: string): Promise<boolean> => {
        let isFound = false
        await readUntil(from, secret, list, (row) => {
          isFound ||= row.id === id
          return row.id <= id
        })
        return isFound
      }
      if (!(await isShown('messages', made.message.id))) missing++
      if (!(await isShown('conversations', made.conversation.id))) missing++
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, index) => one(index)))
  return missing
}
