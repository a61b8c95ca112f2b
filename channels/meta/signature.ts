// Verifies Meta’s webhooks (WhatsApp, Messenger): the signature of each request and the handshake of a subscription.
// https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

const SIGNATURE = /^sha256=([0-9a-fA-F]{64})$/
const CHALLENGE_MAX = 1024

/**
 * Whether the body was signed with one of the app's secrets. It must be the raw bytes: the provider escapes characters
 * that JSON.stringify doesn't, so a body that was parsed and serialised again never matches.
 */
export const isSigned = (
  rawBody: Uint8Array,
  header: string | undefined,
  secrets: readonly string[],
): boolean => {
  const hex = SIGNATURE.exec(header ?? '')?.[1]
  if (!hex) return false
  const given = Buffer.from(hex, 'hex')
  let matches = false
  for (const secret of secrets) {
    // Anyone can compute an HMAC with an empty key.
    if (!secret) continue
    const expected = createHmac('sha256', secret).update(rawBody).digest()
    if (timingSafeEqual(given, expected)) matches = true
  }
  return matches
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * The challenge to return verbatim as text/plain; undefined if the request doesn't come from the provider. The query is
 * flat: `hub.mode`, `hub.verify_token`, `hub.challenge`.
 */
export const answerHandshake = (query: Record<string, unknown>, verifyToken: string): string | undefined => {
  const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query
  if (mode !== 'subscribe' || typeof token !== 'string' || typeof challenge !== 'string') return undefined
  if (!verifyToken || challenge.length > CHALLENGE_MAX) return undefined
  return timingSafeEqual(digestOf(token), digestOf(verifyToken)) ? challenge : undefined
}

/** How Meta authenticates its webhooks. */
export type MetaWebhooks = {
  isSigned: (rawBody: Uint8Array, header: string | undefined, secrets: readonly string[]) => boolean
  answerHandshake: (query: Record<string, unknown>, verifyToken: string) => string | undefined
}
