import { type AiTool, failed, textOf } from './tool.ts'

const VALUE_MAX = 500

/** The fields are those that an admin opened. */
export const setFieldTool = (fields: readonly string[]): AiTool => ({
  spec: {
    name: 'set_field',
    description: 'Notes something that the customer told you, for the team.',
    parameters: {
      type: 'object',
      properties: {
        field: { type: 'string', enum: [...fields] },
        value: { type: 'string', maxLength: VALUE_MAX },
      },
      required: ['field', 'value'],
    },
  },
  run: (turn, given) => {
    const field = fields.find((one) => one === given.field)
    const value = textOf(given, 'value', VALUE_MAX).toWellFormed().replaceAll('\0', '')
    if (field === undefined) return failed(`\`field\` has to be one of: ${fields.join(', ')}.`)
    if (value === '') return failed('`value` is missing.')
    turn.effects = turn.effects.filter((effect) => effect.is !== 'field' || effect.field !== field)
    turn.effects.push({ is: 'field', field, value })
    return { text: 'It will be noted when you end the turn.' }
  },
})
