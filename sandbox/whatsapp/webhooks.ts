// WhatsApp's webhooks: signed requests, retried until the response is 200. Can batch, duplicate, shuffle and pause
// them.
import { makePoster } from '../post.ts'
import { signedHeaders } from './signed-headers.ts'
import type { Surroundings } from './surroundings.ts'

export type Change = {
  url: string | null
  businessAccountId: string
  field: string
  value: Record<string, unknown>
  /** Called once, after the first attempt. */
  onSent?: () => void
}

type Post = { url: string; body: Buffer; changes: number; attempt: number; firstAtMs: number }

type Attempt = {
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
const ATTEMPTS_KEPT_MAX = 200
const BODY_KEPT_MAX = 20_000
const BODY_MAX_BYTES = 3_000_000

export type Webhooks = ReturnType<typeof makeWebhooks>

export const makeWebhooks = (world: Surroundings) => {
  const { clock, settings } = world
  const queue = makeQueue()
  let batches = 0
  let isGathering = false
  let isStopped = false

  const send = (change: Change): void => {
    if (!change.url || isStopped) {
      change.onSent?.()
      return
    }
    const { shuffleMs } = settings.webhooks
    if (shuffleMs > 0) clock.after(Math.random() * shuffleMs, () => enqueue(change))
    else enqueue(change)
  }

  const enqueue = (change: Change): void => {
    if (queue.length() >= WAITING_MAX) {
      requests.counts.lost++
      change.onSent?.()
      return
    }
    queue.push(change)
    pump()
  }

  const pump = (): void => {
    const { isPaused, batchWaitMs, batchMax } = settings.webhooks
    if (isPaused || isStopped) return
    requests.release()
    if (batchWaitMs === 0 || queue.length() >= batchMax) {
      sendBatches()
      return
    }
    if (isGathering || queue.length() === 0) return
    isGathering = true
    clock.after(batchWaitMs, () => {
      isGathering = false
      sendBatches()
    })
  }

  const sendBatches = (): void => {
    while (requests.hasRoom() && queue.length() > 0) sendBatch(queue.take(settings.webhooks.batchMax))
  }

  const sendBatch = (batch: Change[]): void => {
    const onSent = (): void => {
      for (const change of batch) change.onSent?.()
    }
    let body: Buffer
    try {
      body = bodyOf({ object: 'whatsapp_business_account', entry: entriesOf(batch, nextShape()) })
    } catch (error) {
      // No caller is waiting for this; an error must not end the process.
      console.error(error)
      requests.counts.lost += batch.length
      onSent()
      return
    }
    const post = { url: batch[0]!.url!, body, changes: batch.length, attempt: 1, firstAtMs: clock.now() }
    const fault = world.faults.take(['duplicate-webhook'], { operation: 'send' })
    const copies = Math.max(fault ? (fault.copies ?? 2) : 1, settings.webhooks.copies)
    requests.send(post, onSent)
    for (let copy = 1; copy < copies; copy++) requests.send(post)
  }

  const nextShape = (): 'entries' | 'changes' | 'values' => {
    const { batchShape } = settings.webhooks
    return batchShape === 'mixed' ? (['entries', 'changes', 'values'] as const)[batches++ % 3]! : batchShape
  }

  const requests = makeRequests(world, pump)

  return {
    send,
    /** Sends a custom request, signed and retried like the others. */
    post: (url: string, payload: unknown): void =>
      requests.send({ url, body: bodyOf(payload), changes: 1, attempt: 1, firstAtMs: clock.now() }),
    pump,
    state: () => requests.state(queue.length()),
    latest: requests.latest,
    stop: (): void => {
      isStopped = true
      requests.stop()
    },
  }
}

/** The changes that wait for a request. Taking the first costs the same however many wait. */
const makeQueue = () => {
  let changes: Change[] = []
  let head = 0
  return {
    length: (): number => changes.length - head,
    push: (change: Change): void => void changes.push(change),
    /** The oldest changes for one URL. */
    take: (max: number): Change[] => {
      const { url } = changes[head]!
      const batch: Change[] = []
      while (batch.length < max && changes[head]?.url === url) batch.push(changes[head++]!)
      if (head > 10_000 || head === changes.length) {
        changes = changes.slice(head)
        head = 0
      }
      return batch
    },
  }
}

/** The requests under way, each repeated until the response is 200. */
const makeRequests = ({ clock, settings, reach, feed }: Surroundings, onEnd: () => void) => {
  const poster = makePoster()
  let inFlight = 0
  let retrying = 0
  let isStopped = false
  const counts = { accepted: 0, refused: 0, lost: 0 }
  const latest: Attempt[] = []
  /** Retries held back by a pause. */
  const held: Post[] = []

  const send = (post: Post, onSent?: () => void): void => {
    const { url, body, attempt, changes } = post
    inFlight++
    const startedAt = performance.now()
    const headers = signedHeaders(body, settings.appSecret)
    poster.post({ url: reach(url), body, headers, timeoutMs: settings.webhooks.timeoutMs }, (http) => {
      inFlight--
      const tookMs = Math.round(performance.now() - startedAt)
      const shown = body.length > BODY_KEPT_MAX ? '' : body.toString('latin1')
      latest.push({ atMs: clock.now(), url, http, attempt, changes, bytes: body.length, tookMs, body: shown })
      if (latest.length > ATTEMPTS_KEPT_MAX) latest.shift()
      onSent?.()
      if (http === 200) counts.accepted++
      else {
        counts.refused++
        retry(post)
      }
      feed.publish('webhook', () => ({ http, attempt, changes }))
      onEnd()
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

  return {
    send,
    counts,
    hasRoom: (): boolean => inFlight < settings.webhooks.concurrency,
    /** Sends the retries that a pause held back. */
    release: (): void => {
      for (const post of held.splice(0)) send(post)
    },
    state: (waiting: number) => ({ ...counts, waiting: waiting + held.length, inFlight, retrying }),
    latest: () => latest,
    stop: (): void => {
      isStopped = true
      poster.stop()
    },
  }
}

/** Verifies a webhook URL as Meta does: GET with a challenge that the response must repeat. */
export const shakeHands = async ({ settings, reach }: Surroundings, url: string): Promise<boolean> => {
  const challenge = Math.floor(Math.random() * 2 ** 31).toString()
  const address = new URL(reach(url))
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
}

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
