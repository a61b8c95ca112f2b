import type { AiTool } from './tool.ts'

export const readContactTool: AiTool = {
  spec: {
    name: 'read_contact',
    description: 'What is known about this customer: fields and tags that you may see.',
    parameters: { type: 'object', properties: {} },
  },
  isReading: true,
  run: (turn) => {
    const { context, guidance, identity } = turn
    const fields = identity === 'claimed' ? [] : guidance.readableFields
    const known = {
      name: context.name,
      tags: context.tags.filter(({ id }) => guidance.tagIds.includes(id)).map(({ name }) => name),
      fields: Object.fromEntries(
        fields
          .filter((field) => Object.hasOwn(context.customFields, field))
          .map((field) => [field, context.customFields[field]!]),
      ),
    }
    const text = JSON.stringify(known)
    turn.facts.push(text)
    return { text }
  },
}
