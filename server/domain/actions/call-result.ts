import type { RequestProblem } from '../../../channels/channel.ts'
import type { Json } from '../../../flow-engine/paths.ts'
import type { CallOutcome } from '../../platform/db/tables.ts'

/** What came of one call, whatever was called. */
export type CallResult = {
  outcome: CallOutcome
  /** Of the response; null without one. */
  status: number | null
  kept: Json
  /** Why it isn't `done`, in words for people, without values. */
  problem: RequestProblem | null
  /** Whether trying again could help and does no harm. */
  canRepeat: boolean
  /** The beginning of the response, which isn't stored. */
  preview: string
}

export const notAnswered = (outcome: CallOutcome, problem: RequestProblem | null): CallResult => ({
  outcome,
  status: null,
  kept: null,
  problem,
  canRepeat: false,
  preview: '',
})
