import type { IncomingHttpHeaders } from 'node:http'

/** What Retry-After says, in seconds or as a date. Not bounded, and negative if the date is past. */
export const retryAfterMsOf = (headers: Readonly<IncomingHttpHeaders>): number | undefined => {
  const value = headers['retry-after']
  if (typeof value !== 'string') return undefined
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Math.ceil(Number(value) * 1000)
  // Relative to the response's Date, because our clock may differ.
  const sentAt = typeof headers.date === 'string' ? Date.parse(headers.date) : Number.NaN
  const wait = Date.parse(value) - sentAt
  return Number.isNaN(wait) ? undefined : wait
}
