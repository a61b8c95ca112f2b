// The headers of Meta's webhooks.
import { createHmac } from 'node:crypto'

export const signedHeaders = (body: Buffer, appSecret: string): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'facebookexternalua',
  'x-hub-signature-256': `sha256=${sign(body, appSecret)}`,
})

/** HMAC-SHA256 over the exact bytes, in hex. */
export const sign = (body: Buffer, appSecret: string): string =>
  createHmac('sha256', appSecret).update(body).digest('hex')
