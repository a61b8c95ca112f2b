import type { Task } from '../../think.ts'
import { type AiTool, failed, textOf } from './tool.ts'

const VALUE_MAX = 500

/** For a step of a flow that needs to know something: what the customer answered, under the flow's own names. */
export const noteAnswerTool = ({ collect }: Task): AiTool => ({
  spec: {
    name: 'note_answer',
    description: 'Notes what the customer said about one of the things that you have to find out.',
    parameters: {
      type: 'object',
      properties: {
        name: { type: 'string', enum: [...collect] },
        value: { type: 'string', maxLength: VALUE_MAX },
      },
      required: ['name', 'value'],
    },
  },
  run: (turn, given) => {
    const name = collect.find((one) => one === given.name)
    const value = textOf(given, 'value', VALUE_MAX).toWellFormed().replaceAll('\0', '')
    if (name === undefined) return failed(`\`name\` has to be one of: ${collect.join(', ')}.`)
    if (value === '') return failed('`value` is missing.')
    turn.effects = turn.effects.filter((effect) => effect.is !== 'collected' || effect.name !== name)
    turn.effects.push({ is: 'collected', name, value })
    return { text: 'Noted.' }
  },
})
