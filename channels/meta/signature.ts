// The proofs of Meta’s webhooks (WhatsApp, Messenger): the signature of a delivery and the handshake of a subscription.
// https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

const SIGNATURE = /^sha256=([0-9a-fA-F]{64})$/
const CHALLENGE_MAX = 1024

/**
 * Whether the delivery was signed with one of the app's secrets. The bytes must be those of the wire: the provider
 * escapes what JSON.stringify would not, so a body that was parsed and written again never matches.
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
    // An HMAC under the empty key is one that anybody can make.
    if (!secret) continue
    const expected = createHmac('sha256', secret).update(rawBody).digest()
    if (timingSafeEqual(given, expected)) matches = true
  }
  return matches
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * The challenge to answer with, verbatim and as text/plain, or undefined where the request is not the provider's. The
 * query is flat: `hub.mode`, `hub.verify_token`, `hub.challenge`.
 */
export const answerHandshake = (query: Record<string, unknown>, verifyToken: string): string | undefined => {
  const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query
  if (mode !== 'subscribe' || typeof token !== 'string' || typeof challenge !== 'string') return undefined
  if (!verifyToken || challenge.length > CHALLENGE_MAX) return undefined
  return timingSafeEqual(digestOf(token), digestOf(verifyToken)) ? challenge : undefined
}

/** How Meta proves its webhooks. */
export type MetaWebhooks = {
  isSigned: (rawBody: Uint8Array, header: string | undefined, secrets: readonly string[]) => boolean
  answerHandshake: (query: Record<string, unknown>, verifyToken: string) => string | undefined
}
