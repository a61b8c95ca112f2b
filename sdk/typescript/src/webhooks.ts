// Verifies that a webhook came from Foyer: Standard Webhooks (standardwebhooks.com), with WebCrypto.
import type { FoyerEvent } from './generated/events.ts'

export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
}

type HeaderSource = Headers | Record<string, string | string[] | undefined>

type VerifyOptions = {
  /** How old, or how far ahead, a webhook may be. Default 300. */
  toleranceSeconds?: number
}

const TOLERANCE_SECONDS = 300
const SECRET_PREFIX = 'whsec_'
const encoder = new TextEncoder()

/**
 * The event in a request that Foyer signed. `body` is the raw request body, as text or bytes. Pass both secrets while
 * you rotate them. Throws WebhookVerificationError.
 */
export const verify = async (
  body: string | Uint8Array | ArrayBuffer,
  headers: HeaderSource,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<FoyerEvent> => {
  const bytes = bytesOf(body)
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  checkTime(timestamp, toleranceSeconds)
  const signed = concat(encoder.encode(`${id}.${timestamp}.`), bytes)
  const given = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => decode(one.slice('v1,'.length)))
  if (given.length === 0) fail('webhook-signature contains no v1 signature')
  for (const one of [secret].flat()) {
    const key = await importKey(one)
    for (const signature of given)
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return parse(bytes)
  }
  return fail('the signature does not match. Check the secret, and pass the raw body.')
}

const fail = (message: string): never => {
  throw new WebhookVerificationError(message)
}

const bytesOf = (body: unknown): Uint8Array<ArrayBuffer> => {
  if (typeof body === 'string') return encoder.encode(body)
  if (body instanceof Uint8Array) return new Uint8Array(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  return fail('pass the raw body, before it is parsed: the signature covers its exact bytes')
}

const headerOf = (headers: HeaderSource, name: string): string => {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const value = Array.isArray(found) ? found[0] : found
  return value || fail(`the header ${name} is missing`)
}

const checkTime = (timestamp: string, toleranceSeconds: number): void => {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : fail('webhook-timestamp is not a number')
  const age = Date.now() / 1_000 - seconds
  if (age > toleranceSeconds) fail('the webhook is too old')
  if (age < -toleranceSeconds) fail('the webhook is from the future. Check the clock of this machine.')
}

const decode = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const importKey = (secret: string) => {
  const bytes = decode(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret)
  if (!bytes || bytes.length === 0) return fail('the secret is invalid. It begins with whsec_.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

const concat = (first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

const parse = (bytes: Uint8Array): FoyerEvent => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as FoyerEvent
  } catch {
    return fail('the body is signed, but is not JSON')
  }
}
