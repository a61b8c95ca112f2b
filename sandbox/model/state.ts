import type { Json } from '../http.ts'
import type { Answer, Heard, Wire } from './exchange.ts'
import type { ModelFaults } from './faults.ts'

/** The latest are kept. */
const CALLS_MAX = 200

export type SeenCall = {
  wire: Wire
  model: string
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
}

export const keepCall = (state: ModelState, call: SeenCall): void => {
  state.calls = [...state.calls, call].slice(-CALLS_MAX)
}
