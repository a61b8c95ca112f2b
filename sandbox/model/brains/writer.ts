import type { Answer, Heard } from '../exchange.ts'

/** For a model without tools: does what the system prompt asks for in words, with the first tool that it names. */
export const writer = ({ system, entries }: Heard): Answer => {
  if (!/JSON object/.test(system)) return { text: 'I would be glad to help.' }
  const names = [...system.matchAll(/^([\w-]{1,64}): /gm)].map(([, name]) => name!)
  const said = entries.at(-1)
  const isTold = said !== undefined && 'text' in said && said.text.startsWith('Result of the tool')
  const tool = isTold ? names.at(-1) : names[0]
  const text = said && 'text' in said ? said.text : ''
  return { text: JSON.stringify({ tool, arguments: names.length > 1 && !isTold ? { box: '7' } : { text } }) }
}
