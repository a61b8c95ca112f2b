// Whether the provider of a channel account responds. While it doesn't, the account's messages stay queued.
import type { DeliveryError } from '../../channels/channel.ts'
import { makeCircuits } from '../platform/circuit.ts'

/** The channels' error codes for a call without a response. */
const SILENT_CODES = new Set([
  'TIMEOUT',
  'CONNECTION_FAILED',
  'CONNECTION_LOST',
  'ETIMEDOUT',
  'ESOCKET',
  'ECONNECTION',
  'ECONNREFUSED',
  'ECONNRESET',
  'EDNS',
])

export const isSilence = ({ outcome, code }: DeliveryError): boolean =>
  outcome !== 'refused' && SILENT_CODES.has(code)

export const SILENT_PROBLEM = {
  code: 'PROVIDER_SILENT',
  message: 'The provider isn’t responding. Messages stay queued and will be sent when it does.',
}

/** By the account's id. Sending resumes within seconds of the provider's recovery. */
export const circuitOf = makeCircuits({
  silencesMax: 3,
  withinMs: Number.POSITIVE_INFINITY,
  probeMinMs: 1_000,
  probeMaxMs: 8_000,
})
