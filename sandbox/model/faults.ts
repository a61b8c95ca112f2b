// Failures on demand, and answers that no well-behaved model gives but some do.
import Type, { type Static } from 'typebox'
import { makeRules, type Rule } from '../rules.ts'
import { absent, closed } from '../shapes.ts'
import { WIRES } from './exchange.ts'
import { hasPictures } from './read-content.ts'

/** Errors as the provider words them. */
export const ERROR_KINDS = [
  'key',
  'forbidden',
  'no-model',
  'too-long',
  'too-large',
  'rate-limit',
  'no-funds',
  'filtered',
  'server',
  'unavailable',
  'overloaded',
] as const
/** What the model answers. */
export const ANSWER_KINDS = [
  'words-only',
  'empty-content',
  'reasoning-only',
  'length',
  'content-filter',
  'refusal',
  'unknown-tool',
  'broken-arguments',
  'list-arguments',
  'call-as-text',
  'many-calls',
  'two-finals',
  'final-and-tool',
  'text-beside',
  'duplicate-ids',
  'bad-ids',
  'odd-characters',
] as const
/** What becomes of the answer on its way. */
export const BODY_KINDS = [
  'no-usage',
  'odd-usage',
  'empty-choices',
  'wrong-types',
  'unknown-stop',
  'arguments-as-object',
  'key-quoted',
  'huge',
  'deep',
  'many-values',
  'malformed',
  'truncated',
  'cut',
  'html',
  'empty-body',
] as const
const KINDS = [
  ...ERROR_KINDS,
  ...ANSWER_KINDS,
  ...BODY_KINDS,
  'refuse-parameter',
  'refuse-pictures',
  'hang',
  'drop',
  'slow',
] as const

export const ModelFaultInput = closed({
  kind: Type.Enum([...KINDS]),
  /** By default, all. */
  wire: Type.Optional(Type.Enum([...WIRES, 'embeddings'])),
  /** With rate-limit, unavailable and overloaded. */
  retryAfterSeconds: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400 })),
  /** With slow. */
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
  /** With refuse-parameter: requests with it are refused. */
  parameter: Type.Optional(Type.String({ maxLength: 60 })),
  /** Only requests with this in their text. */
  saying: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  times: absent(Type.Integer({ minimum: 1 })),
})
export type ModelFaultInput = Static<typeof ModelFaultInput>
export type ModelFault = Rule<ModelFaultInput>

export type ModelFaults = ReturnType<typeof makeModelFaults>

export const makeModelFaults = (onChanged: () => void) => {
  const rules = makeRules<ModelFaultInput>(onChanged)
  return {
    ...rules,
    /** Uses up one turn of the first that applies. */
    takeFor: (wire: string, body: Record<string, unknown>): ModelFault | undefined =>
      rules.take(
        (fault): fault is ModelFault =>
          (fault.wire === undefined || fault.wire === wire) &&
          (fault.saying === undefined || JSON.stringify(body).includes(fault.saying)) &&
          (fault.kind !== 'refuse-parameter' || body[fault.parameter ?? ''] !== undefined) &&
          (fault.kind !== 'refuse-pictures' || hasPictures(body)),
      ),
  }
}
