import type { FastifyRequest } from 'fastify'
import type { Wire } from './exchange.ts'
import { isBad, refuse } from './refuse.ts'
import type { ModelState } from './state.ts'

const VERSIONS = new Set(['2023-06-01', '2026-10-21'])

/** The key, and the headers that each provider requires. */
export const checkKey = ({ apiKey }: ModelState, wire: Wire, { headers }: FastifyRequest): void => {
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
  // The documentation of Messages names x-api-key; since its version 1, its library sends the key as a bearer.
  const given = (wire === 'messages' ? headers['x-api-key'] : undefined) ?? bearer
  if (apiKey !== null && given !== apiKey)
    throw refuse(wire, 'key', wire === 'messages' ? { message: 'invalid x-api-key' } : {})
  if (wire === 'messages' && !VERSIONS.has(String(headers['anthropic-version'])))
    throw isBad(wire, 'anthropic-version: header is required')
}
