import type { JsonObject } from '../../../../../models/contract.ts'
import type { TurnInHand } from '../known/turn-in-hand.ts'
import { type AiTool, failed, type ToolAnswer } from './tool.ts'

type Tag = { id: string; name: string }

/** The tags are those that an admin opened. */
const makeTool = (tags: readonly Tag[], name: 'add_tag' | 'remove_tag', description: string): AiTool => ({
  spec: {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { tag: { type: 'string', enum: tags.map(({ name }) => name) } },
      required: ['tag'],
    },
  },
  run: (turn, given) => change(turn, tags, name, given),
})

const change = (
  turn: TurnInHand,
  tags: readonly Tag[],
  how: 'add_tag' | 'remove_tag',
  given: JsonObject,
): ToolAnswer => {
  const tag = tags.find(({ name }) => name === given.tag)
  if (!tag) return failed(`\`tag\` has to be one of: ${tags.map(({ name }) => name).join(', ')}.`)
  turn.effects.push({
    is: 'tags',
    add: how === 'add_tag' ? [tag.id] : [],
    remove: how === 'remove_tag' ? [tag.id] : [],
  })
  return { text: 'It will be done when you end the turn.' }
}

export const tagTools = (tags: readonly Tag[]): AiTool[] => [
  makeTool(tags, 'add_tag', 'Adds a tag to this customer, for the team.'),
  makeTool(tags, 'remove_tag', 'Removes a tag from this customer.'),
]
