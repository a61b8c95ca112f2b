// Webhooks on a developer's machine, without a tunnel: reads the feed, signs each event, and posts it to a local address.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, required, UsageError } from './command.ts'

const WAIT_SECONDS = 25
const READ_TIMEOUT_MS = 40_000
const FORWARD_TIMEOUT_MS = 15_000
const PAUSE_MIN_MS = 1_000
const PAUSE_MAX_MS = 30_000
const SERVER = 'http://localhost:3000'

export const listenCommand: Command = {
  words: 'listen',
  about:
    'Send events as signed webhooks to an address on this machine until Ctrl-C. FOYER_TOKEN must be a token with events:read.',
  flags: {
    'forward-to': required('URL'),
    server: { value: 'URL' },
    types: { value: 'TYPES' },
    secret: { value: 'WHSEC' },
    cursor: { value: 'CURSOR' },
  },
  run: async ({ flag, flags }) => {
    const { makeSecret } = await import('../server/domain/webhooks/secrets.ts')
    const token = process.env.FOYER_TOKEN
    if (!token) throw new UsageError('FOYER_TOKEN is not set. Set it to a token with events:read.')
    const given = (name: string) => (typeof flags[name] === 'string' ? flags[name] : undefined)
    const secret = given('secret') ?? makeSecret()
    if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret))
      throw new UsageError('--secret must begin with whsec_, followed by base64.')
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    const cursor = await listen({
      server: readUrl('--server', given('server') ?? SERVER),
      forwardTo: readUrl('--forward-to', flag('forwardTo')),
      token,
      types: given('types'),
      secret,
      cursor: given('cursor'),
      signal: stop.signal,
      print: (line) => void process.stderr.write(`${line}\n`),
    })
    return { cursor }
  },
}

const readUrl = (name: string, text: string): URL => {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${name} must be a URL such as http://localhost:4000/hook.`)
  return url
}

type Listening = {
  server: URL
  forwardTo: URL
  token: string
  /** As the feed takes them: separated by commas. */
  types: string | undefined
  secret: string
  cursor: string | undefined
  signal: AbortSignal
  print: (line: string) => void
}

type FedEvent = { id: string; type: string; sequence: number }
type Page = { events: FedEvent[]; cursor: string }

/** Until it is aborted. Resolves to the cursor after the last event that was forwarded, to go on with later. */
export const listen = async (listening: Listening): Promise<string | undefined> => {
  const { secret, forwardTo, signal, print } = listening
  let { cursor } = listening
  let previous: number | null = null
  let pauseMs = PAUSE_MIN_MS
  print(`Signing secret: ${secret}`)
  print(`Forwarding events to ${forwardTo}`)
  while (!signal.aborted) {
    const page = await readPage(listening, cursor)
    if (page === 'later') {
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)
      continue
    }
    pauseMs = PAUSE_MIN_MS
    for (const event of page.events) {
      const outcome = await forward(listening, event, previous)
      // The page comes again: once too often is better than never.
      if (outcome === null) return cursor
      print(outcome)
      previous = event.sequence
    }
    cursor = page.cursor
  }
  return cursor
}

/** Throws if trying again wouldn't help, such as for an unknown token. */
const readPage = async (
  { server, token, types, signal, print }: Listening,
  cursor: string | undefined,
): Promise<Page | 'later'> => {
  const url = new URL('/api/v1/events', server)
  // The first page is only there to have a cursor: then nothing is missed while the server can't be reached.
  if (cursor !== undefined) url.searchParams.set('wait', String(WAIT_SECONDS))
  if (cursor !== undefined) url.searchParams.set('cursor', cursor)
  if (types !== undefined) url.searchParams.set('types', types)
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)]),
    })
    text = await response.text()
  } catch {
    if (!signal.aborted) print(`${server.origin} can’t be reached. Trying again…`)
    return 'later'
  }
  if (response.ok) return JSON.parse(text) as Page
  if (response.status === 429 || response.status >= 500) {
    print(`${server.origin} responded ${response.status}. Trying again…`)
    return 'later'
  }
  throw new Error(`${server.origin} responded ${response.status}: ${text.slice(0, 300)}`)
}

/** Tries it once. Returns what became of it, in a line; null if it was aborted meanwhile. */
const forward = async (
  { forwardTo, secret, signal }: Listening,
  event: FedEvent,
  previous: number | null,
): Promise<string | null> => {
  const { signatureOf } = await import('../server/domain/webhooks/secrets.ts')
  const { id, type, sequence } = event
  const body = JSON.stringify({ ...event, previous })
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const says = (outcome: string) => `${sequence} ${type}: ${outcome}`
  try {
    const response = await fetch(forwardTo, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatureOf([secret], { id, timestamp, body }),
        'foyer-attempt': '1',
        'foyer-kind': 'live',
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    return says(String(response.status))
  } catch (error) {
    if (signal.aborted) return null
    const { cause, message } = error as Error & { cause?: { code?: string } }
    return says(`no response (${cause?.code ?? message})`)
  }
}
