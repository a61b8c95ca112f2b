// Writes the generated half of the TypeScript SDK: the types of all requests and answers, and a method for each
// operation. The other half, which sends them, is written by hand.
import {
  capitalized,
  eventNameOf,
  eventTypesOf,
  namesIn,
  type OpenapiDocument,
  type Operation,
  ORIGIN,
  operationsOf,
  reachable,
  type Schema,
} from './operations.ts'
import { commentOf, typeOf } from './typescript-types.ts'

/** File name → content. */
export const writeTypescript = (document: OpenapiDocument): Record<string, string> => {
  const operations = operationsOf(document)
  return {
    'types.ts': typesFile(document, operations),
    'resources.ts': resourcesFile(document, operations),
    'events.ts': eventsFile(document),
  }
}

const eventsFile = (document: OpenapiDocument): string => {
  const types = eventTypesOf(document)
  const declarations = types.map(({ name, description, data }) =>
    [
      ...commentOf(description, ''),
      `export type ${eventNameOf(name)} = EventOf<'${name}', ${typeOf(data, { isOpen: true })}>`,
      '',
    ].join('\n'),
  )
  const used = namesIn(
    Object.keys(document.components.schemas),
    types.map(({ data }) => typeOf(data, { isOpen: true })).join('\n'),
  )
  return [
    `// ${ORIGIN}`,
    "import type { EventOf } from '../event-of.ts'",
    `import type { ${used.join(', ')} } from './types.ts'`,
    '',
    ...declarations,
    '/** The events that this version of Foyer has. */',
    `export type KnownEvent =\n${types.map(({ name }) => `  | ${eventNameOf(name)}`).join('\n')}`,
    '',
    '/** Compare `type` to find out which one it is. A newer server may send types that are not listed: ignore those. */',
    'export type FoyerEvent = KnownEvent',
    '',
  ].join('\n')
}

const typesFile = (document: OpenapiDocument, operations: Operation[]): string => {
  const answered = reachable(
    document,
    operations.map(({ response }) => response),
  )
  return [
    `// ${ORIGIN}`,
    '',
    ...Object.entries(document.components.schemas).map(([name, schema]) =>
      declaration(name, schema, answered.has(name)),
    ),
    ...operations.flatMap((operation) =>
      operation.query ? [declaration(queryNameOf(operation), operation.query, false)] : [],
    ),
  ].join('\n')
}

const declaration = (name: string, schema: Schema, isOpen: boolean): string =>
  [...commentOf(schema.description, ''), `export type ${name} = ${typeOf(schema, { isOpen })}`, ''].join('\n')

const queryNameOf = ({ id }: Operation): string => `${capitalized(id)}Query`

const classNameOf = (resource: string): string => `${capitalized(resource)}Resource`

const resourcesFile = (document: OpenapiDocument, operations: Operation[]): string => {
  const resources = Map.groupBy(operations, ({ resource }) => resource)
  const body = [
    ...[...resources].map(([name, own]) => resourceClass(name, own)),
    allResources([...resources.keys()]),
  ].join('\n')
  const named = [...Object.keys(document.components.schemas), ...operations.map(queryNameOf)]
  const used = namesIn(named, body)
  return [
    `// ${ORIGIN}`,
    "import { type Call, type Client, type RequestOptions, Resource } from '../client.ts'",
    "import type { OneOf } from '../one-of.ts'",
    "import { Pages } from '../pages.ts'",
    `import type {\n${used.map((name) => `  ${name},\n`).join('')}} from './types.ts'`,
    '',
    body,
  ].join('\n')
}

const allResources = (names: string[]): string =>
  [
    '/** What the API consists of. */',
    'export class Resources {',
    ...names.map((name) => `  readonly ${name}: ${classNameOf(name)}`),
    '',
    '  constructor(client: Client) {',
    ...names.map((name) => `    this.${name} = new ${classNameOf(name)}(client)`),
    '  }',
    '}',
    '',
  ].join('\n')

const resourceClass = (name: string, operations: Operation[]): string =>
  `export class ${classNameOf(name)} extends Resource {\n${operations.map(methodOf).join('\n\n')}\n}\n`

const methodOf = (operation: Operation): string => {
  const { name, summary, description, rows } = operation
  const answer = answerOf(operation)
  const request = requestOf(operation)
  const comment = commentOf(`${summary}.\n\n${description}`, '  ')
  const signature = `  ${name}(${parametersOf(operation).join(', ')})`
  const [type, value] = rows
    ? [
        `Pages<${answer}['${rows}'][number], ${answer}>`,
        `new Pages(this.client, ${request}, '${rows}', options)`,
      ]
    : [`Call<${answer}>`, `this.client.call(${request}, options)`]
  return [...comment, `${signature}: ${type} {`, `    return ${value}`, '  }'].join('\n')
}

const parametersOf = (operation: Operation): string[] => {
  const { pathParameters, query, body } = operation
  const isQueryNeeded = (query?.required ?? []).length > 0
  return [
    ...pathParameters.map((one) => `${one}: string`),
    ...(query ? [`query: ${queryNameOf(operation)}${isQueryNeeded ? '' : ' = {}'}`] : []),
    ...(body ? [`body${body.isRequired ? '' : '?'}: ${typeOf(body.schema, { isOpen: false })}`] : []),
    'options: RequestOptions = {}',
  ]
}

const requestOf = (operation: Operation): string => {
  const { id, method, path, pathParameters, query, body } = operation
  const place =
    pathParameters.length > 0
      ? `\`${path.replaceAll(/\{(\w+)\}/g, (_, one) => `\${this.segment(${one})}`)}\``
      : `'${path}'`
  const parts = [`id: '${id}'`, `method: '${method}'`, `path: ${place}`]
  if (query) parts.push('query')
  if (body) parts.push(body.isForm ? 'form: body' : 'body')
  if (operation.isPlainDeletion) parts.push('isPlainDeletion: true')
  return `{ ${parts.join(', ')} }`
}

/** Answers of several shapes are one type for whoever reads them. */
const answerOf = ({ response }: Operation): string => {
  const type = typeOf(response, { isOpen: true })
  return response.anyOf ? `OneOf<${type}>` : type
}
