// What the outcomes of a step add up to. The names are those of LogOutcome in flow-engine/contract.ts.
import type { FunnelStep } from '../../../state/flows.ts'

export type StepCounts = {
  entered: number
  answered: number
  invalid: number
  /** Nobody replied in time. */
  dropped: number
  failed: number
  waiting: number
}

export const countStep = ({ outcomes, waiting }: FunnelStep): StepCounts => {
  const of = (...names: string[]): number => names.reduce((sum, name) => sum + (outcomes[name] ?? 0), 0)
  // A step that waits is counted when it begins, and again when it goes on.
  const begun = of('asked', 'waiting')
  return {
    entered: (begun > 0 ? begun : of('done', 'failed')) + of('skipped', 'off'),
    answered: of('answered'),
    invalid: of('invalid'),
    dropped: of('timedOut'),
    failed: of('failed'),
    waiting,
  }
}
