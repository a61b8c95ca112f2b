// A page for each type of event.
import { type EventType, eventTypesOf, type OpenapiDocument } from '../sdk/generator/operations.ts'
import { fieldList, type Schemas } from './fields.ts'
import type { Page } from './page.ts'

export const eventPages = (document: OpenapiDocument): Page[] => {
  const types = eventTypesOf(document)
  return [indexOf(types), ...types.map((type) => eventPage(type, document.components.schemas))]
}

/** The rest of a description says what `object` is. */
const summaryOf = ({ description }: EventType): string => description.split('\n')[0]!

const indexOf = (types: EventType[]): Page => ({
  path: 'events',
  title: 'All events',
  summary: 'Every type of event, in the feed and in webhooks.',
  group: 'Events',
  markdown: [
    '# Events',
    'Events say what happened in a workspace. Read them from [the feed](/docs/guides/events), or receive them as [webhooks](/docs/guides/webhooks). Both have the same events, with the same ids and numbers.',
    'New types are added without notice: ignore those that you don’t know.',
    `| Type | When |\n| --- | --- |\n${types.map((type) => `| [\`${type.name}\`](/docs/events/${type.name}) | ${summaryOf(type)} |`).join('\n')}`,
  ].join('\n\n'),
})

const eventPage = (type: EventType, schemas: Schemas): Page => {
  const fields = fieldList(type.data, schemas)
  return {
    path: `events/${type.name}`,
    title: type.name,
    summary: summaryOf(type),
    group: 'Events',
    markdown: [
      `# ${type.name}`,
      type.description,
      '## Data',
      fields || 'Empty.',
      '## All fields',
      fieldList({ $ref: '#/components/schemas/Event' }, schemas),
    ].join('\n\n'),
    aside: `**As a webhook**\n\n\`\`\`json\n${JSON.stringify(type.example, null, 2)}\n\`\`\``,
  }
}
