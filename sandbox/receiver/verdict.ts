// Whether a request is signed as Standard Webhooks says (https://www.standardwebhooks.com), scheme v1.
import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300
const PREFIX = 'whsec_'

export const SECRET_PATTERN = '^whsec_[A-Za-z0-9+/]{20,200}={0,2}$'

export type Verdict =
  | 'valid'
  | 'no-secret'
  | 'no-headers'
  | 'no-timestamp'
  | 'too-old'
  | 'too-new'
  | 'wrong-signature'

type Signed = { headers: Readonly<Record<string, string>>; body: Buffer; atMs: number }

export const verdictOf = (secret: string | null, { headers, body, atMs }: Signed): Verdict => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!id || !timestamp || !signatures) return 'no-headers'
  if (secret === null) return 'no-secret'
  if (!/^\d{1,12}$/.test(timestamp)) return 'no-timestamp'
  const ageSeconds = atMs / 1_000 - Number(timestamp)
  if (ageSeconds > TOLERANCE_SECONDS) return 'too-old'
  if (ageSeconds < -TOLERANCE_SECONDS) return 'too-new'
  const expected = createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest()
  return signatures.split(' ').some((signature) => isOf(signature, expected)) ? 'valid' : 'wrong-signature'
}

const isOf = (signature: string, expected: Buffer): boolean => {
  const [version, value = ''] = signature.split(',', 2)
  const given = Buffer.from(value, 'base64')
  return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
}
