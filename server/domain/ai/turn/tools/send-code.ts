// How a customer shows who they are: code sends them six digits, and looks itself whether they enter the same. A model
// neither learns where the code goes nor what it is, and whoever says that they are verified isn't.
import { meetsNeed } from '../../identity/identity.ts'
import type { TurnInHand } from '../known/turn-in-hand.ts'
import type { AiTool } from './tool.ts'

/** Only where something needs it that the customer can't have yet. */
export const sendCodeTool = ({ actions, identity, codeAddress }: TurnInHand): AiTool[] => {
  const closed = actions.filter(({ needs }) => needs === 'verified' && !meetsNeed(identity, needs))
  return codeAddress === null || closed.length === 0 ? [] : [toolFor(closed.map(({ name }) => name))]
}

const toolFor = (names: readonly string[]): AiTool => ({
  spec: {
    name: 'send_code',
    description: `Sends the customer a code to an address that the company has of them, and asks them to enter it here, which ends your turn. Only who has entered it can have this done: ${names.join(', ')}. Use it when they ask for one of these.`,
    parameters: { type: 'object', properties: {} },
  },
  run: (turn) => {
    turn.wantsCode = true
    return { text: 'It is sent.' }
  },
})
