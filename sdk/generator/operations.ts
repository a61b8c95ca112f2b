// What the API can do, read from openapi.json in the form in which a client's methods are written.

export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  description?: string
  format?: string
}

type Parameter = {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}
type Content = { content?: Record<string, { schema: Schema; example?: unknown }> }

type DocumentedWebhook = { description: string; requestBody: Content }

type DocumentedOperation = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  parameters?: Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content>
}

export type EventType = {
  /** Such as message.created. */
  name: string
  description: string
  data: Schema
  example: unknown
}

export type OpenapiDocument = {
  paths: Record<string, Record<string, DocumentedOperation>>
  webhooks: Record<string, { post: DocumentedWebhook }>
  components: { schemas: Record<string, Schema> }
}

export type Operation = {
  id: string
  /** The property of the client that it belongs to, such as contactGroups. */
  resource: string
  /** The method's name, such as list. */
  name: string
  summary: string
  description: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below /api/v1, with {names} for the path's parameters. */
  path: string
  pathParameters: string[]
  query: Schema | null
  body: { schema: Schema; isRequired: boolean; isForm: boolean } | null
  isStream: boolean
  response: Schema
  /** The property with the rows, if the answer is a page of a list. */
  rows: string | null
}

const API = '/api/v1'
/** About the document itself; a client has no use for it. */
const SKIPPED_TAGS = new Set(['Reference'])

/** Those that a client has methods for: not streams, which are read in another way. */
export const operationsOf = (document: OpenapiDocument): Operation[] =>
  allOperationsOf(document).filter(({ isStream }) => !isStream)

export const allOperationsOf = (document: OpenapiDocument): Operation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !SKIPPED_TAGS.has(operation.tags[0]!))
      .map(([method, operation]) => operationOf(document, path, method, operation)),
  )

/** The events that the server sends, each of which is an Event with a type and data of its own. */
export const eventTypesOf = ({ webhooks }: OpenapiDocument): EventType[] =>
  Object.entries(webhooks).map(([name, { post }]) => {
    const { schema, example } = post.requestBody.content!['application/json']!
    return { name, description: post.description, data: schema.allOf!.at(-1)!.properties!.data!, example }
  })

const operationOf = (
  document: OpenapiDocument,
  path: string,
  method: string,
  operation: DocumentedOperation,
): Operation => {
  const parameters = (operation.parameters ?? []).filter(({ $ref }) => $ref === undefined)
  const queries = parameters.filter((one) => one.in === 'query')
  const [bodyType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const [mediaType, { schema: response }] = Object.entries(operation.responses['200']!.content!)[0]!
  const resource = propertyOf(operation.tags[0]!)
  return {
    id: operation.operationId,
    resource,
    name: methodNameOf(operation.operationId, operation.tags[0]!),
    summary: operation.summary,
    description: operation.description ?? '',
    method: method.toUpperCase() as Operation['method'],
    path: path.slice(API.length),
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    query:
      queries.length === 0
        ? null
        : {
            type: 'object',
            properties: Object.fromEntries(
              queries.map(({ name, schema, description }) => [name, { description, ...schema }]),
            ),
            required: queries.filter(({ required }) => required).map(({ name }) => name),
          },
    body: content
      ? {
          schema: content.schema,
          isRequired: operation.requestBody?.required === true,
          isForm: bodyType === 'multipart/form-data',
        }
      : null,
    isStream: mediaType !== 'application/json',
    response,
    rows: rowsOf(document, response),
  }
}

export const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s-]+/)
    .map((word) => word.toLowerCase())

export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const camelCase = (words: string[]): string =>
  words.map((word, index) => (index === 0 ? word : capitalized(word))).join('')

const propertyOf = (tag: string): string => camelCase(wordsOf(tag.replace('WhatsApp', 'Whatsapp')))

/** What the operation is called once its resource has been said: contacts.list, not contacts.listContacts. */
const methodNameOf = (operationId: string, tag: string): string => {
  const words = wordsOf(operationId)
  const ofResource = new Set(
    wordsOf(tag.replace('WhatsApp', 'Whatsapp')).flatMap((word) => [word, singular(word)]),
  )
  const rest = words.filter((word, index) => index === 0 || !ofResource.has(word))
  return camelCase(rest)
}

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '')

const resolve = (document: OpenapiDocument, schema: Schema): Schema =>
  schema.$ref ? resolve(document, document.components.schemas[nameOfRef(schema.$ref)]!) : schema

export const nameOfRef = (ref: string): string => ref.split('/').at(-1)!

/** The one array in a page that says where it goes on. */
const rowsOf = (document: OpenapiDocument, response: Schema): string | null => {
  const schema = resolve(document, response)
  const pages = (schema.anyOf ?? [schema]).map((one) => resolve(document, one).properties ?? {})
  if (!pages.some((page) => 'nextCursor' in page)) return null
  const arrays = Object.entries(pages[0]!).filter(([, property]) => property.type === 'array')
  return arrays.length === 1 ? arrays[0]![0] : null
}
