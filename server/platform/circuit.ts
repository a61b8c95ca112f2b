// Whether a provider responds at all, as far as this process knows. It starts with a few concurrent calls and gains one
// with each response, so a hanging provider never holds many. After several calls in a row without a response it is only
// probed.
import { performance } from 'node:perf_hooks'

type CircuitLimits = {
  /** This many calls in a row without a response open the circuit, if they were within a time. */
  silencesMax: number
  withinMs: number
  /** When to probe; the interval doubles each time. */
  probeMinMs: number
  probeMaxMs: number
}

/** A probe that can't be repeated risks a message, so it is this rare while the account's check fails too. */
const RISK_EVERY_MS = 60_000
/** Circuits remembered; the least recently used is forgotten first. */
const CIRCUITS_MAX = 10_000

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

export const makeCircuit = (
  { silencesMax, withinMs, probeMinMs, probeMaxMs }: CircuitLimits,
  nowMs: () => number = () => performance.now(),
): Circuit => {
  let answers = 0
  let silentAtMs: number[] = []
  let isOpen = false
  let probes = 0
  let probeAtMs = 0
  let riskAtMs = 0
  const waitMs = () => Math.min(probeMinMs * 2 ** Math.min(probes, 20), probeMaxMs)
  return {
    isOpen: () => isOpen,
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
      const wasOpen = isOpen
      answers++
      silentAtMs = []
      isOpen = false
      return wasOpen
    },
    silent: () => {
      answers = 0
      if (isOpen) return false
      silentAtMs = [...silentAtMs.filter((at) => nowMs() - at < withinMs), nowMs()]
      if (silentAtMs.length < silencesMax) return false
      isOpen = true
      probes = 0
      probeAtMs = nowMs() + waitMs()
      riskAtMs = nowMs() + RISK_EVERY_MS
      return true
    },
  }
}

/** The circuit of each name, shared by everything in this process that calls that provider. */
export const makeCircuits = (limits: CircuitLimits): ((name: string) => Circuit) => {
  const circuits = new Map<string, Circuit>()
  return (name) => {
    const circuit = circuits.get(name) ?? makeCircuit(limits)
    circuits.delete(name)
    circuits.set(name, circuit)
    if (circuits.size > CIRCUITS_MAX) circuits.delete(circuits.keys().next().value!)
    return circuit
  }
}
