// Parameters whose values the server takes from the contact: no model is told of them, and none can choose them. So an
// action that looks up a customer's orders looks up this customer's, whatever anybody has written.
import type { Json } from '../../../../../flow-engine/paths.ts'
import type { ActionParameter } from '../../../../platform/db/tables.ts'
import { isAtLeast } from '../../identity/identity.ts'
import type { TurnInHand } from '../known/turn-in-hand.ts'

type Values = Record<string, Json>

/** What a model is to give. */
export const askedOf = (parameters: readonly ActionParameter[]): ActionParameter[] =>
  parameters.filter(({ fromContact }) => !fromContact)

const NAMES = { externalId: 'id', email: 'email address', phone: 'phone number' } as const

/** What the model gave, less what isn't its to give, and the contact's own. A problem is told to the model. */
export const withContact = (
  turn: Pick<TurnInHand, 'context' | 'guidance' | 'identity'>,
  parameters: readonly ActionParameter[],
  given: Values,
): { values: Values } | { problem: string } => {
  const values: Values = {}
  for (const { name, isRequired, fromContact } of parameters) {
    if (!fromContact) {
      if (Object.hasOwn(given, name)) values[name] = given[name]!
      continue
    }
    // Such an action isn't offered to anyone else. Should it be, it still isn't called.
    if (!isAtLeast(turn.identity, 'channel'))
      return { problem: 'It isn’t certain who the customer is, so this wasn’t done.' }
    const value = ownValue(turn, fromContact)
    if (value !== null) values[name] = value
    else if (isRequired)
      return {
        problem: `The customer’s ${fromContact.is === 'field' ? 'record' : NAMES[fromContact.is]} isn’t known for certain, so this wasn’t done. You can’t give it; a colleague can look.`,
      }
  }
  return { values }
}

const ownValue = (
  { context, guidance }: Pick<TurnInHand, 'context' | 'guidance'>,
  { is, field = '' }: NonNullable<ActionParameter['fromContact']>,
): Json => {
  if (is !== 'field') return context.addresses[is]
  // What the agent may note is what customers told it.
  const isTold = guidance.writableFields.includes(field)
  return !isTold && Object.hasOwn(context.customFields, field) ? context.customFields[field]! : null
}
