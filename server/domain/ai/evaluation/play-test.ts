// Plays one test in a workspace, or says why it can't be tried: what wasn't tried is neither passed nor failed.
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { type Check, checkOutcome } from './check-outcome.ts'
import { NotTried, reasonToSkip } from './not-tried.ts'
import type { Outcome } from './outcome.ts'
import { type Given, rehearse } from './rehearse.ts'
import type { Scenario } from './scenario.ts'

type Played = { checks: Check[]; outcome: Outcome } | { skipped: string }

/** `mayDoWithout`: a test that needs no certain model runs without one too. Throws TurnOver if the signal says so. */
export const playTest = async (
  ctx: Ctx,
  scenario: Scenario,
  { mayDoWithout, ...given }: Given & { mayDoWithout: boolean },
): Promise<Played> => {
  const provider = scenario.provider === 'none' ? null : given.provider
  const skipped = reasonToSkip(scenario, provider)
  if (skipped !== null) return { skipped }
  if (scenario.provider !== 'none' && !provider && !mayDoWithout) return { skipped: 'needs a model' }
  try {
    const outcome = await rehearse(ctx, scenario, { ...given, provider })
    return { checks: checkOutcome(scenario.expect, outcome), outcome }
  } catch (error) {
    if (error instanceof NotTried) return { skipped: error.message }
    throw error
  }
}
