// What a request says and what the model answers, in no protocol's form.
import type { Json } from '../http.ts'

export const WIRES = ['chat', 'responses', 'messages'] as const
export type Wire = (typeof WIRES)[number]

export type Entry =
  | { from: 'user' | 'assistant'; text: string }
  | { from: 'call'; callId: string; name: string; given: Json }
  | { from: 'result'; callId: string; text: string }

export type Tool = { name: string; description: string; parameters: Json }

/** A request that is valid. */
export type Heard = {
  model: string
  system: string
  entries: Entry[]
  tools: Tool[]
  /** `any`: one of the tools; a name: this one. */
  mustCall: null | 'any' | { name: string }
  tokensMax: number | null
}

export type Call = {
  name: string
  /** Text is sent as it is, where the protocol has text. */
  arguments: unknown
  /** By default, made up. */
  id?: string
}

export type Stop = 'end' | 'tools' | 'length' | 'filtered' | 'refused'

export type Answer = {
  text?: string
  calls?: Call[]
  refusal?: string
  /** By default, what fits the rest. */
  stop?: Stop
  /** Shown before the rest, in the protocol's form. */
  reasoning?: string
}

export type Usage = { input: number; output: number }

const CHARACTERS_PER_TOKEN = 4

/** The same for the same text. */
export const countTokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN)

export const tokensIn = ({ system, entries, tools }: Heard): number =>
  countTokens(
    system +
      JSON.stringify(tools) +
      entries.map((entry) => ('text' in entry ? entry.text : JSON.stringify(entry.given))).join(''),
  )

export const textOfArguments = (given: unknown): string =>
  typeof given === 'string' ? given : JSON.stringify(given)

export const tokensOut = ({ text = '', calls = [], reasoning = '', refusal = '' }: Answer): number =>
  countTokens(text + reasoning + refusal + calls.map((call) => textOfArguments(call.arguments)).join('')) || 1

/** Ends an answer at the request's limit, in the middle of whatever stands there. */
export const cutAtLimit = (answer: Answer, tokensMax: number | null): Answer => {
  if (tokensMax === null || tokensOut(answer) <= tokensMax) return answer
  let left = tokensMax * CHARACTERS_PER_TOKEN
  const take = (text: string): string => {
    const taken = text.slice(0, Math.max(0, left))
    left -= taken.length
    return taken
  }
  return {
    stop: 'length',
    ...(answer.text !== undefined && { text: take(answer.text) }),
    ...(answer.calls && {
      calls: answer.calls.map((call) => ({ ...call, arguments: take(textOfArguments(call.arguments)) })),
    }),
  }
}

export const stopOf = ({ stop, calls = [], refusal }: Answer): Stop =>
  stop ?? (refusal === undefined ? (calls.length > 0 ? 'tools' : 'end') : 'refused')
