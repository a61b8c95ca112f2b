// Why a test isn't played: it takes more than a rehearsal has, or something was missing while it was played.
import type { Provider } from '../provider/find-provider.ts'
import type { Scenario } from './scenario.ts'

/** The test couldn't be played, and so says nothing about the agent. */
export class NotTried extends Error {}

export const NOT_TRIED = {
  provider_down: 'the model couldn’t be used',
  budget: 'the budget is spent',
} as const

/** Why a test takes a conversation, or another model than the workspace's; null if it doesn't. */
export const reasonToSkip = (
  { provider = 'live', protocol, settings, hours, isUnassigned, actions, turns }: Scenario,
  own: Provider | null,
): string | null => {
  if (!['none', 'live', 'facts'].includes(provider)) return 'needs a model of the sandbox'
  if (protocol && own && own.kind !== protocol) return 'needs a model that speaks another protocol'
  if (settings || hours || isUnassigned) return 'needs settings of its own'
  // Calling them, and time that runs out for it, takes rows.
  if (actions && turns.length > 1) return 'needs a conversation'
  return turns.every((turn) => 'tap' in turn || 'passMs' in turn || ('customer' in turn && !turn.meanwhile))
    ? null
    : 'needs a conversation'
}
