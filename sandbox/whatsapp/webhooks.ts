// WhatsApp's webhooks: signed requests, retried until the response is 200. Can batch, duplicate, shuffle and pause
// them.
import { createHmac } from 'node:crypto'
import { makePoster } from '../post.ts'
import type { World } from './world.ts'

export type Change = {
  url: string | null
  businessAccountId: string
  field: string
  value: Record<string, unknown>
  /** Called once, after the first attempt. */
  onTold?: () => void
}

type Post = { url: string; body: Buffer; changes: number; attempt: number; firstAtMs: number }

type Told = {
  atMs: number
  url: string
  http: number | null
  attempt: number
  changes: number
  bytes: number
  tookMs: number
  body: string
}

/** Meta gives up after a week. */
const RETRY_FOR_MS = 7 * 86_400_000
const RETRY_AT_MOST_EVERY_MS = 3_600_000
const WAITING_MAX = 200_000
const RETRIES_MAX = 20_000
const TOLD_MAX = 200
const BODY_KEPT_MAX = 20_000
const BODY_MAX_BYTES = 3_000_000

export type Webhooks = {
  tell: (change: Change) => void
  /** Sends a custom request, signed and retried like the others. */
  post: (url: string, payload: unknown) => void
  shakeHands: (url: string) => Promise<boolean>
  pump: () => void
  state: () => {
    told: number
    refused: number
    lost: number
    waiting: number
    inFlight: number
    retrying: number
  }
  latest: () => Told[]
  stop: () => void
}

export const makeWebhooks = (world: World): Webhooks => {
  const { clock, settings } = world
  const poster = makePoster()
  let waiting: Change[] = []
  let head = 0
  let inFlight = 0
  let retrying = 0
  let batches = 0
  let isGathering = false
  let isStopped = false
  const counts = { told: 0, refused: 0, lost: 0 }
  const told: Told[] = []
  /** Requests held back by a pause. */
  const held: Post[] = []

  const tell = (change: Change): void => {
    if (!change.url || isStopped) {
      change.onTold?.()
      return
    }
    const { shuffleMs } = settings.webhooks
    if (shuffleMs > 0) clock.after(Math.random() * shuffleMs, () => enqueue(change))
    else enqueue(change)
  }

  const enqueue = (change: Change): void => {
    if (waiting.length - head >= WAITING_MAX) {
      counts.lost++
      change.onTold?.()
      return
    }
    waiting.push(change)
    pump()
  }

  const pump = (): void => {
    const { isPaused, concurrency, batchWaitMs, batchMax } = settings.webhooks
    if (isPaused || isStopped) return
    for (const post of held.splice(0)) send(post)
    if (batchWaitMs > 0 && waiting.length - head < batchMax) {
      if (isGathering || waiting.length === head) return
      isGathering = true
      clock.after(batchWaitMs, () => {
        isGathering = false
        while (inFlight < concurrency && head < waiting.length) sendBatch()
      })
      return
    }
    while (inFlight < concurrency && head < waiting.length) sendBatch()
  }

  const sendBatch = (): void => {
    const first = waiting[head]!
    const batch: Change[] = []
    while (batch.length < settings.webhooks.batchMax && waiting[head]?.url === first.url)
      batch.push(waiting[head++]!)
    if (head > 10_000 || head === waiting.length) {
      waiting = waiting.slice(head)
      head = 0
    }
    const onTold = (): void => {
      for (const change of batch) change.onTold?.()
    }
    let body: Buffer
    try {
      body = bodyOf({ object: 'whatsapp_business_account', entry: entriesOf(batch, shapeOf()) })
    } catch (error) {
      // No caller is waiting for this; an error must not end the process.
      console.error(error)
      counts.lost += batch.length
      onTold()
      return
    }
    const post: Post = { url: first.url!, body, changes: batch.length, attempt: 1, firstAtMs: clock.now() }
    const fault = world.faults.take(['duplicate-webhook'], { operation: 'send' })
    const copies = Math.max(fault ? (fault.copies ?? 2) : 1, settings.webhooks.copies)
    send(post, onTold)
    for (let copy = 1; copy < copies; copy++) send(post)
  }

  const shapeOf = (): 'entries' | 'changes' | 'values' => {
    const { batchShape } = settings.webhooks
    return batchShape === 'mixed' ? (['entries', 'changes', 'values'] as const)[batches++ % 3]! : batchShape
  }

  const send = (post: Post, onTold?: () => void): void => {
    inFlight++
    const startedAt = performance.now()
    request(post, (http) => {
      inFlight--
      told.push({
        atMs: clock.now(),
        url: post.url,
        http,
        attempt: post.attempt,
        changes: post.changes,
        bytes: post.body.length,
        tookMs: Math.round(performance.now() - startedAt),
        body: post.body.length > BODY_KEPT_MAX ? '' : post.body.toString('latin1'),
      })
      if (told.length > TOLD_MAX) told.shift()
      onTold?.()
      if (http === 200) counts.told++
      else {
        counts.refused++
        retry(post)
      }
      world.feed.tell('webhook', () => ({ http, attempt: post.attempt, changes: post.changes }))
      pump()
    })
  }

  const retry = (post: Post): void => {
    const waitMs = Math.min(RETRY_AT_MOST_EVERY_MS, settings.webhooks.retryFirstMs * 2 ** (post.attempt - 1))
    if (isStopped) return
    if (retrying >= RETRIES_MAX || clock.now() + waitMs - post.firstAtMs > RETRY_FOR_MS) {
      counts.lost += post.changes
      return
    }
    retrying++
    clock.after(waitMs, () => {
      retrying--
      const again = { ...post, attempt: post.attempt + 1 }
      if (settings.webhooks.isPaused) held.push(again)
      else send(again)
    })
  }

  const request = ({ url, body }: Post, done: (http: number | null) => void): void =>
    poster.post(
      {
        url: world.reach(url),
        body,
        timeoutMs: settings.webhooks.timeoutMs,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'facebookexternalua',
          'x-hub-signature-256': `sha256=${sign(body, settings.appSecret)}`,
        },
      },
      done,
    )

  return {
    tell,
    pump,
    post: (url, payload) =>
      send({ url, body: bodyOf(payload), changes: 1, attempt: 1, firstAtMs: clock.now() }),
    shakeHands: async (url) => {
      const challenge = Math.floor(Math.random() * 2 ** 31).toString()
      const address = new URL(world.reach(url))
      address.searchParams.set('hub.mode', 'subscribe')
      address.searchParams.set('hub.challenge', challenge)
      address.searchParams.set('hub.verify_token', settings.verifyToken)
      try {
        const response = await fetch(address, {
          redirect: 'manual',
          signal: AbortSignal.timeout(settings.webhooks.timeoutMs),
        })
        return response.status === 200 && (await response.text()) === challenge
      } catch {
        return false
      }
    },
    state: () => ({ ...counts, waiting: waiting.length - head + held.length, inFlight, retrying }),
    latest: () => told,
    stop: () => {
      isStopped = true
      poster.stop()
    },
  }
}

/** HMAC-SHA256 over the exact bytes, in hex. */
export const sign = (body: Buffer, appSecret: string): string =>
  createHmac('sha256', appSecret).update(body).digest('hex')

const bodyOf = (payload: unknown): Buffer => {
  const body = Buffer.from(escapeAscii(JSON.stringify(payload)), 'latin1')
  if (body.length > BODY_MAX_BYTES)
    throw new Error(`a webhook of ${body.length} bytes is beyond what Meta sends`)
  return body
}

/**
 * Meta escapes everything beyond ASCII as \u, and some ASCII too, so receivers must verify the raw bytes. None of these
 * characters occurs outside strings in JSON, so the whole text can be escaped at once.
 */
export const escapeAscii = (json: string): string =>
  json.replace(/[/@<\u007f-\uffff]/g, (character) => {
    if (character === '/') return '\\/'
    if (character === '<') return '\\u003C'
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })

const entriesOf = (batch: Change[], shape: 'entries' | 'changes' | 'values') => {
  const entries: { id: string; changes: { value: Record<string, unknown>; field: string }[] }[] = []
  for (const { businessAccountId, field, value } of batch) {
    const entry = entries.at(-1)
    if (!entry || entry.id !== businessAccountId || shape === 'entries') {
      entries.push({ id: businessAccountId, changes: [{ value, field }] })
      continue
    }
    const change = entry.changes.at(-1)!
    if (shape === 'values' && change.field === field && isSameNumber(change.value, value))
      change.value = mergeValues(change.value, value)
    else entry.changes.push({ value, field })
  }
  return entries
}

const isSameNumber = (a: Record<string, unknown>, b: Record<string, unknown>): boolean =>
  a.metadata !== undefined && JSON.stringify(a.metadata) === JSON.stringify(b.metadata)

const mergeValues = (a: Record<string, unknown>, b: Record<string, unknown>): Record<string, unknown> => {
  const merged = { ...a }
  for (const [key, value] of Object.entries(b))
    if (Array.isArray(value)) merged[key] = [...((merged[key] as unknown[] | undefined) ?? []), ...value]
  return merged
}
