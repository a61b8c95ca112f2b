// An admin's action that changes something, or that somebody has to confirm: a model only proposes it, with values that
// are checked at once. Code asks the customer or the team, and it is called after their yes.
import type { Json } from '../../../../../flow-engine/paths.ts'
import type { StoredAction } from '../../../actions/queries.ts'
import { readParameters } from '../../../actions/read-parameters.ts'
import { PARAMETER_LENGTH_MAX } from '../../../actions/schema.ts'
import { cleanLine } from '../../guards/clean-text.ts'
import { fingerprintOf } from '../../proposals/proposal.ts'
import { askedOf, withContact } from './from-contact.ts'
import { aboutTool, actionSchema, singleValues, toolNameOf } from './read-action.ts'
import { type AiTool, failed } from './tool.ts'

/** Whatever the admin chose, nothing is written with one key alone. */
const confirmOf = ({ confirm }: StoredAction): 'customer' | 'person' =>
  confirm === 'person' ? 'person' : 'customer'

export const proposeActionTool = (action: StoredAction, at: number): AiTool => ({
  spec: {
    name: toolNameOf('propose', action, at),
    description: `Proposes to do this: ${action.name}. ${
      confirmOf(action) === 'customer' ? 'The customer' : 'A colleague'
    } is asked to confirm it, which ends your turn. It isn’t done before. Use only values that the customer or a tool gave.${aboutTool(action)}`,
    parameters: actionSchema(askedOf(action.parameters)),
  },
  run: (turn, given) => {
    if (turn.proposal) return failed('One action was proposed in this turn already.')
    const filled = withContact(turn, action.parameters, singleValues(given))
    if ('problem' in filled) return failed(filled.problem)
    const read = readParameters(action.parameters, shownValues(filled.values))
    if ('problem' in read) return failed(read.problem)
    turn.proposal = {
      proposed: {
        actionId: action.id,
        name: action.name,
        parameters: read.values,
        confirm: confirmOf(action),
        fingerprint: fingerprintOf(action),
        identity: turn.identity,
      },
      words: askedOf(action.parameters)
        .filter(({ type }) => type === 'string' || type === 'number')
        .flatMap(({ name }) => (Object.hasOwn(read.values, name) ? [String(read.values[name])] : []))
        .join('\n'),
    }
    return { text: 'It is proposed.' }
  },
})

/** As they can be read: what is confirmed is what is called. */
const shownValues = (given: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      // One character more than allowed, so that what is too long is refused and not cut.
      typeof value === 'string' ? cleanLine(value, PARAMETER_LENGTH_MAX + 1) : value,
    ]),
  )
