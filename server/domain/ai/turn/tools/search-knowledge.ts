import { sourceElements } from '../known/material.ts'
import { show } from '../known/turn-in-hand.ts'
import { type AiTool, failed, textOf } from './tool.ts'

const SEARCHES_MAX = 4
const QUERY_MAX = 300

export const searchTool: AiTool = {
  spec: {
    name: 'search_knowledge',
    description:
      'Searches the articles and answers of the company, by words. Use it if the sources that you have don’t answer the question, with other words than the customer’s.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', maxLength: QUERY_MAX } },
      required: ['query'],
    },
  },
  run: async (turn, given) => {
    const query = textOf(given, 'query', QUERY_MAX)
    if (query === '') return failed('`query` is missing.')
    if (turn.searches >= SEARCHES_MAX)
      return failed('No more searches in this turn. End it with what you have.')
    turn.searches++
    const shown = show(turn, await turn.search(query))
    return { text: shown.length > 0 ? sourceElements(shown) : 'Nothing was found.' }
  },
}
