// Whether the provider of a channel account responds at all, as far as this process knows. An account starts with a
// few concurrent calls and gains one with each response, so a hanging provider never holds many. After several
// timeouts in a row it is only probed: its messages stay queued until it responds again.
import { performance } from 'node:perf_hooks'
import type { DeliveryError } from '../../channels/channel.ts'

/** This many calls in a row without a response open the circuit. */
const SILENCES_MAX = 3
/** When to probe; the interval doubles each time. Sending resumes within seconds of the provider's recovery. */
const PROBE_MIN_MS = 1_000
const PROBE_MAX_MS = 8_000
/** A probe that can't be repeated risks a message, so it is this rare while the account's check fails too. */
const RISK_EVERY_MS = 60_000
/** Accounts remembered; the least recently used is forgotten first. */
const ACCOUNTS_MAX = 10_000

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

export type Circuit = {
  isOpen: () => boolean
  /** Maximum concurrent calls while the circuit is closed. */
  window: (bounds: { start: number; max: number }) => number
  /** How long until the next probe of an open circuit; 0: now. */
  probeInMs: () => number
  /** Claims the probe that is due. */
  takeProbe: () => void
  /** Whether this probe may risk a message although the account's check got no response. */
  takeRisk: () => boolean
  /** The provider responded, with whatever result. True if the circuit was open. */
  answered: () => boolean
  /** The provider did not respond. True if that opened the circuit. */
  silent: () => boolean
}

export const makeCircuit = (nowMs: () => number = () => performance.now()): Circuit => {
  let answers = 0
  let silences = 0
  let probes = 0
  let probeAtMs = 0
  let riskAtMs = 0
  const isOpen = () => silences >= SILENCES_MAX
  const waitMs = () => Math.min(PROBE_MIN_MS * 2 ** Math.min(probes, 20), PROBE_MAX_MS)
  return {
    isOpen,
    window: ({ start, max }) => Math.min(start + answers, max),
    probeInMs: () => Math.max(0, probeAtMs - nowMs()),
    takeProbe: () => {
      probes++
      probeAtMs = nowMs() + waitMs()
    },
    takeRisk: () => {
      if (nowMs() < riskAtMs) return false
      riskAtMs = nowMs() + RISK_EVERY_MS
      return true
    },
    answered: () => {
      const wasOpen = isOpen()
      answers++
      silences = 0
      return wasOpen
    },
    silent: () => {
      const wasOpen = isOpen()
      answers = 0
      silences++
      if (wasOpen || !isOpen()) return false
      probes = 0
      probeAtMs = nowMs() + waitMs()
      riskAtMs = nowMs() + RISK_EVERY_MS
      return true
    },
  }
}

const circuits = new Map<string, Circuit>()

/** The circuit of an account, shared by everything that calls its provider. */
export const circuitOf = (channelAccountId: string): Circuit => {
  const circuit = circuits.get(channelAccountId) ?? makeCircuit()
  circuits.delete(channelAccountId)
  circuits.set(channelAccountId, circuit)
  if (circuits.size > ACCOUNTS_MAX) circuits.delete(circuits.keys().next().value!)
  return circuit
}
