// Writes the generated half of the Python SDK: the types of all requests and answers, and a method for each
// operation. The other half, which sends them, is written by hand.
import {
  capitalized,
  eventNameOf,
  eventTypesOf,
  nameOfRef,
  namesIn,
  type OpenapiDocument,
  type Operation,
  ORIGIN,
  operationsOf,
  reachable,
  resolve,
  type Schema,
  wordsOf,
} from './operations.ts'
import { docstring, pythonName, typeOf, unionOf } from './python-types.ts'

const TYPING = ['Any', 'Dict', 'List', 'Literal', 'Optional', 'TypedDict', 'Union']

/** File name → content. */
export const writePython = (document: OpenapiDocument): Record<string, string> => {
  const operations = operationsOf(document)
  const types = new Classes()
  const resources = resourcesOf(document, operations, types)
  const events = new Classes()
  const eventUnion = declareEvents(document, events)
  declareSchemas(document, operations, types)
  const known = types.names
  return {
    'types.py': fileOf(types.text, {}),
    'resources.py': fileOf(resources, {
      '..client': ['Call', 'Client', 'RequestOptions', 'Resource'],
      '..omit': ['OMIT', 'Omit', 'given'],
      '..pages': ['Pages'],
      '..uploads': ['Upload'],
      '.types': known,
    }),
    'events.py': fileOf(`${events.text}\n\n\n${eventUnion}`, { '.types': known }),
  }
}

/** Classes in the order in which they were declared, and aliases after them. */
class Classes {
  readonly #texts = new Map<string, string>()
  readonly #aliases = new Map<string, string>()

  readonly declare = (name: string, text: string): void => {
    if (this.#texts.has(name) || this.#aliases.has(name)) throw new Error(`two types are called ${name}`)
    this.#texts.set(name, text)
  }

  alias(name: string, type: string, description: string | undefined): void {
    if (this.#texts.has(name)) throw new Error(`two types are called ${name}`)
    this.#aliases.set(name, [`${name} = ${type}`, ...docstring(description, '')].join('\n'))
  }

  get names(): string[] {
    return [...this.#texts.keys(), ...this.#aliases.keys()].filter((name) => !name.startsWith('_'))
  }

  get text(): string {
    return [...this.#texts.values(), ...this.#aliases.values()].join('\n\n\n')
  }
}

const fileOf = (body: string, modules: Record<string, string[]>): string => {
  const imports = Object.entries({ typing: TYPING, ...modules }).flatMap(([module, names]) => {
    const used = namesIn(names, body)
    return used.length === 0
      ? []
      : [`from ${module} import (\n${used.map((one) => `    ${one},\n`).join('')})`]
  })
  return [`# ${ORIGIN}`, 'from __future__ import annotations', '', ...imports, '', '', body, ''].join('\n')
}

/** All that answers, events and the inner parts of bodies lead to. The bodies themselves are parameters of methods. */
const declareSchemas = (document: OpenapiDocument, operations: Operation[], types: Classes): void => {
  const answered = reachable(document, [
    ...operations.map(({ response }) => response),
    ...eventTypesOf(document).map(({ data }) => data),
  ])
  const sent = reachable(
    document,
    operations.flatMap(({ query, body }) => [query, body ? resolve(document, body.schema).properties : null]),
  )
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const isOpen = answered.has(name)
    if (!isOpen && !sent.has(name) && name !== 'ErrorCode') continue
    const type = typeOf(schema, { name, isOpen, declare: types.declare })
    if (type !== name) types.alias(name, type, schema.description)
  }
}

const declareEvents = (document: OpenapiDocument, events: Classes): string => {
  const { properties = {}, required = [], description } = document.components.schemas.Event!
  const { type: _, data: __, ...common } = properties
  typeOf(
    {
      properties: common,
      required: required.filter((name) => name in common),
      ...(description && { description }),
    },
    { name: 'AnyEvent', isOpen: true, declare: events.declare },
  )
  const types = eventTypesOf(document)
  for (const { name, description, data } of types) {
    const event = eventNameOf(name)
    const dataName = event.replace(/Event$/, 'Data')
    const type = typeOf(data, { name: dataName, isOpen: true, declare: events.declare })
    events.declare(
      event,
      [
        `class ${event}(AnyEvent):`,
        ...docstring(description, '    '),
        `    type: Literal["${name}"]`,
        `    data: ${type}`,
      ].join('\n'),
    )
  }
  return [
    `FoyerEvent = Union[\n${types.map(({ name }) => `    ${eventNameOf(name)},\n`).join('')}]`,
    '"""Compare `type` to find out which one it is. A newer server may send types that are not listed: ignore those."""',
  ].join('\n')
}

const classNameOf = (resource: string): string => `${capitalized(resource)}Resource`

const resourcesOf = (document: OpenapiDocument, operations: Operation[], types: Classes): string => {
  const resources = Map.groupBy(operations, ({ resource }) => resource)
  return [
    ...[...resources].map(([name, own]) =>
      [
        `class ${classNameOf(name)}(Resource):`,
        own.map((operation) => methodOf(document, operation, types)).join('\n\n'),
      ].join('\n'),
    ),
    [
      'class Resources:',
      '    """What the API consists of."""',
      '',
      '    def __init__(self, client: Client) -> None:',
      ...[...resources.keys()].map(
        (name) => `        self.${pythonName(wordsOf(name))} = ${classNameOf(name)}(client)`,
      ),
    ].join('\n'),
  ].join('\n\n\n')
}

/** What an operation's method is called, such as send_message. */
export const methodNameOf = ({ name }: Operation): string => pythonName(wordsOf(name))

/** The parameter of a property, such as page_size. */
export const parameterNameOf = (name: string): string => pythonName(wordsOf(name))

type Parameter = {
  key: string
  name: string
  type: string
  fallback?: string
  description: string | undefined
}

const parametersOf = (document: OpenapiDocument, operation: Operation, types: Classes) => {
  const { query, body, id } = operation
  const context = (key: string) => ({
    name: `${capitalized(id)}${capitalized(key)}`,
    isOpen: false,
    declare: types.declare,
  })
  const list = (schema: Schema | null, rest: (type: string) => Partial<Parameter> & { type: string }) =>
    Object.entries(schema?.properties ?? {}).map(([key, property]): Parameter => {
      const type = typeOf(property, context(key))
      const isRequired = schema!.required?.includes(key)
      const description = property.description
      return { key, name: parameterNameOf(key), description, ...(isRequired ? { type } : rest(type)) }
    })
  return {
    queries: list(query, (type) => ({ type: unionOf([type, 'None']), fallback: 'None' })),
    fields: list(body ? resolve(document, body.schema) : null, (type) => ({
      type: `Union[${type}, Omit]`,
      fallback: 'OMIT',
    })),
  }
}

const methodOf = (document: OpenapiDocument, operation: Operation, types: Classes): string => {
  const { pathParameters, summary, description, rows, response } = operation
  const { queries, fields } = parametersOf(document, operation, types)
  const named = [...queries, ...fields].sort((a, b) => Number('fallback' in a) - Number('fallback' in b))
  const names = [...pathParameters.map(parameterNameOf), ...named.map(({ name }) => name)]
  if (new Set(names).size < names.length) throw new Error(`${operation.id} has two parameters of one name`)
  const answer = answerOf(document, operation, types)
  const about = [
    `${summary}.`,
    description,
    named.flatMap(({ name, description }) => (description ? [`${name}: ${description}`] : [])).join('\n'),
  ]
  const request = requestOf(operation, queries, fields)
  const rowType = rows ? rowsOf(document, response, rows) : ''
  return [
    `    def ${methodNameOf(operation)}(`,
    '        self,',
    ...pathParameters.map((one) => `        ${parameterNameOf(one)}: str,`),
    '        *,',
    ...named.map(
      ({ name, type, fallback }) => `        ${name}: ${type}${fallback ? ` = ${fallback}` : ''},`,
    ),
    '        request_options: Optional[RequestOptions] = None,',
    `    ) -> ${rows ? `Pages[${rowType}, ${answer}]` : answer}:`,
    ...docstring(about.filter(Boolean).join('\n\n'), '        '),
    ...(rows
      ? [`        return Pages(self._client, ${request}, "${rows}", request_options)`]
      : [
          `        answer: ${answer} = self._client.call(${request}, request_options)`,
          '        return answer',
        ]),
  ].join('\n')
}

const requestOf = (
  { id, method, path, body, isPlainDeletion }: Operation,
  queries: Parameter[],
  fields: Parameter[],
): string => {
  const place = path.replaceAll(/\{(\w+)\}/g, (_, one) => `{self._segment(${parameterNameOf(one)})}`)
  const mapOf = (parameters: Parameter[]) =>
    `{${parameters.map(({ key, name }) => `"${key}": ${name}`).join(', ')}}`
  return [
    `Call("${id}", "${method}", ${place === path ? '' : 'f'}"${place}"`,
    ...(queries.length > 0 ? [`query=${mapOf(queries)}`] : []),
    ...(fields.length > 0 ? [`${body?.isForm ? 'form' : 'body'}=given(${mapOf(fields)})`] : []),
    ...(isPlainDeletion ? ['is_plain_deletion=True'] : []),
  ]
    .join(', ')
    .concat(')')
}

/** Answers of several shapes are one type for whoever reads them: what not all of them have may be missing. */
const answerOf = (document: OpenapiDocument, { id, response }: Operation, types: Classes): string => {
  const context = { name: `${capitalized(id)}Answer`, isOpen: true, declare: types.declare }
  if (!response.anyOf) return typeOf(response, context)
  const shapes = response.anyOf.map((one) => resolve(document, one))
  return typeOf(
    {
      properties: Object.assign({}, ...shapes.map(({ properties }) => properties)),
      required: (shapes[0]!.required ?? []).filter((name) =>
        shapes.every((one) => one.required?.includes(name)),
      ),
    },
    context,
  )
}

const rowsOf = (document: OpenapiDocument, response: Schema, rows: string): string => {
  const shapes = (response.anyOf ?? [response]).map((one) => resolve(document, one))
  const refs = shapes.map(({ properties }) => properties![rows]!.items!.$ref)
  if (refs.some((ref) => !ref)) throw new Error(`the rows of ${rows} have no name`)
  return unionOf(refs.map((ref) => nameOfRef(ref!)))
}
