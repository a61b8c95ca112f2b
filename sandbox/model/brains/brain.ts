import type { Answer, Heard, Wire } from '../exchange.ts'
import type { ModelState } from '../state.ts'

/** `signal`: whoever asked has gone. */
export type Asked = { wire: Wire; signal: AbortSignal }

export type Brain = (heard: Heard, state: ModelState, asked: Asked) => Answer | Promise<Answer>
