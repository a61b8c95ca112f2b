import { requestGuarded, retryAfterMsOf } from '../../../channels/channel.ts'
import type { PushKeys } from './push-keys.ts'
import { toPayload } from './push-payload.ts'
import type { ClaimedPush } from './push-queries.ts'

const TIMEOUT_MS = 10_000
/** For a browser that isn't running: an older notification says nothing that the inbox doesn't. */
const TTL_SECONDS = 4 * 3_600
const TRIES_MAX = 6
const RETRY_MIN_MS = 2_000
const RETRY_MAX_MS = 10 * 60_000

/** `gone`: the browser has unsubscribed. */
export type PushOutcome = { is: 'sent' | 'gone' | 'given_up' } | { is: 'failed'; againMs: number }

/** Never throws for what the push service can do. */
export const sendPush = async (
  push: ClaimedPush,
  { keys, publicUrl }: { keys: PushKeys; publicUrl: string },
): Promise<PushOutcome> => {
  // Loaded for the first notification.
  const { default: webPush } = await import('web-push')
  const { endpoint, publicKey: p256dh, authSecret: auth, kind, conversationId, tries } = push
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(toPayload(push)),
    {
      vapidDetails: { subject: subjectOf(publicUrl), ...keys },
      contentEncoding: 'aes128gcm',
      TTL: TTL_SECONDS,
      urgency: kind === 'unassigned' ? 'normal' : 'high',
      // Of what still waits for a browser that isn't running, the push service keeps the latest of a conversation.
      topic: conversationId,
    },
  )
  const result = await requestGuarded({
    method: 'POST',
    url: new URL(endpoint),
    headers: lowercase(headers),
    body,
    contentType: 'application/octet-stream',
    timeoutMs: TIMEOUT_MS,
    isRepeatable: true,
    bytesMax: null,
  })
  if (result.is === 'unanswered')
    return result.problem.code === 'ADDRESS_NOT_ALLOWED' ? { is: 'gone' } : retry(tries, 0)
  const { status } = result
  if (status >= 200 && status < 300) return { is: 'sent' }
  // 403: it was subscribed with another key pair.
  if (status === 404 || status === 410 || status === 403) return { is: 'gone' }
  if (status === 429 || status >= 500) return retry(tries, retryAfterMsOf(result.headers) ?? 0)
  return { is: 'given_up' }
}

const retry = (tries: number, afterMs: number): PushOutcome =>
  tries >= TRIES_MAX
    ? { is: 'given_up' }
    : {
        is: 'failed',
        againMs: Math.min(Math.max(RETRY_MIN_MS * 4 ** (tries - 1), afterMs), RETRY_MAX_MS),
      }

/** Whom push services may write to. They accept https and mail addresses. */
const subjectOf = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? publicUrl : `mailto:no-reply@${new URL(publicUrl).hostname}`

/** Those of the body are set by the request. */
const lowercase = (headers: Record<string, string | number>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), String(value)] as const)
      .filter(([name]) => name !== 'content-length' && name !== 'content-type'),
  )
