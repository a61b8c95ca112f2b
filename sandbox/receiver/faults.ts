// What a receiver of webhooks can do wrong, on demand.
import Type, { type Static } from 'typebox'
import { makeRules, type Rule } from '../rules.ts'
import { absent, closed } from '../shapes.ts'

/**
 * server-error  500
 * gone          410, which disables the endpoint
 * hang          no response
 * slow          200 after `delayMs`
 * cut           the connection breaks
 */
export const ReceiverFaultInput = closed({
  kind: Type.Enum(['server-error', 'gone', 'hang', 'slow', 'cut']),
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  times: absent(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
})
export type ReceiverFaultInput = Static<typeof ReceiverFaultInput>
export type ReceiverFault = Rule<ReceiverFaultInput>

export const makeReceiverFaults = (onChange: () => void) => {
  const rules = makeRules<ReceiverFaultInput>(onChange)
  return { ...rules, takeNext: () => rules.take((fault): fault is ReceiverFault => fault !== undefined) }
}
