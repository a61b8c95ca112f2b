import type { Json } from '../http.ts'
import type { Answer, Heard, Wire } from './exchange.ts'
import type { ModelFaults } from './faults.ts'
import type { ModelName } from './names.ts'
import type { Waiting } from './waiting.ts'

/** The latest are kept. */
const CALLS_MAX = 200

export type SeenCall = {
  wire: Wire
  model: string
  /** Which answered: the model that was asked for, unless another one answers for all. */
  brain: ModelName
  atMs: number
  body: Json
  heard: Heard
  answer: Answer
  fault: string | null
}

export type ModelState = {
  /** Null: any key will do, and none. */
  apiKey: string | null
  script: Answer[]
  faults: ModelFaults
  calls: SeenCall[]
  count: number
  /** Answers every request, whichever model it names; null: the one that it names. */
  brain: ModelName | null
  /** Requests that a person answers. */
  waiting: Waiting
  /** Something that the page shows has changed. */
  onChanged: () => void
}

export const keepCall = (state: ModelState, call: SeenCall): void => {
  state.calls = [...state.calls, call].slice(-CALLS_MAX)
  state.onChanged()
}
