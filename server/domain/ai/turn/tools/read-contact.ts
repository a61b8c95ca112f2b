import type { CustomFields } from '../../../../platform/db/tables.ts'
import { cleanText, PART_MAX } from '../../guards/clean-text.ts'
import type { AiTool } from './tool.ts'

export const readContactTool: AiTool = {
  spec: {
    name: 'read_contact',
    description: 'What is known about this customer: fields and tags that you may see.',
    parameters: { type: 'object', properties: {} },
  },
  run: (turn) => {
    const { context, guidance, identity } = turn
    const { readableFields, writableFields, tagIds } = guidance
    const fields = pick(context.customFields, identity === 'claimed' ? [] : readableFields)
    const tags = context.tags.filter(({ id }) => tagIds.includes(id)).map(({ name }) => name)
    // What customers told the agent, and how they call themselves, proves nothing.
    const facts = pick(
      fields,
      readableFields.filter((field) => !writableFields.includes(field)),
    )
    turn.facts.push(JSON.stringify({ tags, fields: facts }))
    return { text: cleanText(JSON.stringify({ name: context.name, tags, fields }), PART_MAX.toolResult) }
  },
}

const pick = (fields: CustomFields, names: readonly string[]): CustomFields =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]!]] : [])))
