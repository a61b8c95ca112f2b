// When nobody has written for as long as a live flow asks for. Silence counts from messages of the customer and of the
// team: automated ones neither start nor end it, or a reminder would be followed by another for ever.
import type { PreparedFlows } from '../../../flow-engine/triggers.ts'

/** `of`: who hasn't answered. `firedMs`: triggers up to this length have had their turn. Times are in milliseconds. */
export type Silence = { of: 'customer' | 'team'; since: number; firedMs: number }

const eventOf = ({ of }: Silence) => (of === 'customer' ? 'customer_silent' : 'team_silent')

/**
 * When to look again; null if no live flow waits for longer silence, nor the AI agent (`aiAfterMs`). While the team owes an answer, also when the
 * customer could have been silent: a program's message (API) leaves no input that would tell us of it.
 */
export const nextSilence = (
  { byEvent }: PreparedFlows,
  silence: Silence | null,
  aiAfterMs: number | null,
): number | null => {
  if (!silence) return null
  const events =
    silence.of === 'team' ? (['team_silent', 'customer_silent'] as const) : (['customer_silent'] as const)
  const lengths = events
    .flatMap((on) => byEvent.get(on) ?? [])
    .flatMap(({ triggers }) => triggers.map(({ afterMs }) => afterMs))
    .concat(silence.of === 'team' && aiAfterMs !== null ? [aiAfterMs] : [])
    .filter((afterMs) => afterMs > silence.firedMs)
  return lengths.length === 0 ? null : silence.since + Math.min(...lengths)
}

/** The flows whose time has come, without those that had their turn, and what to match them with. */
export const dueSilence = (
  { byEvent, findSaid }: PreparedFlows,
  silence: Silence,
  now: number,
): { on: 'customer_silent' | 'team_silent'; silentMs: number; prepared: PreparedFlows } => {
  const on = eventOf(silence)
  const flows = (byEvent.get(on) ?? [])
    .map((flow) => ({
      ...flow,
      triggers: flow.triggers.filter(({ afterMs }) => afterMs > silence.firedMs),
    }))
    .filter(({ triggers }) => triggers.length > 0)
  return { on, silentMs: now - silence.since, prepared: { byEvent: new Map([[on, flows]]), findSaid } }
}
