import { type AiTool, failed } from './tool.ts'

/** The flows are those that an admin opened: the way to whatever has to go step by step. */
export const startFlowTool = (flows: readonly { id: string; name: string }[]): AiTool => ({
  spec: {
    name: 'start_flow',
    description:
      'Starts a procedure of the company with this customer, which speaks after your reply. End the turn afterwards, with a short word about what comes.',
    parameters: {
      type: 'object',
      properties: { flow: { type: 'string', enum: flows.map(({ name }) => name) } },
      required: ['flow'],
    },
  },
  run: (turn, given) => {
    const flow = flows.find(({ name }) => name === given.flow)
    if (!flow) return failed(`\`flow\` has to be one of: ${flows.map(({ name }) => name).join(', ')}.`)
    turn.effects = turn.effects.filter(({ is }) => is !== 'flow')
    turn.effects.push({ is: 'flow', flowId: flow.id })
    return { text: 'It starts when you end the turn.' }
  },
})
