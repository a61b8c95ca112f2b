// The OpenAPI 3.1 document, made from the very schemas that validate. `openapi.json` is its checked-in copy: the
// difference of that file is the review of an API change.
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { OpenAPIV3_1 } from 'openapi-types'
import { BUDGET_PER_IP, BUDGETS } from './api.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const TAGS = [
  ['Token', 'Which workspace a token opens.'],
  ['Agents', 'The people of the workspace, and its AI agent.'],
  ['Contacts', 'The customers: the directory, profiles and custom fields.'],
  ['Tags', 'Labels on contacts.'],
  ['Notes', 'What agents tell each other about a contact. The customer never sees a note.'],
  ['Conversations', 'Threads on web chat, WhatsApp, email, Messenger, Telegram and SMS.'],
  ['Messages', 'What was said, across the workspace.'],
  ['Contact groups', 'Saved sets of contacts.'],
  ['WhatsApp', 'Approved templates: what may be sent first, or after the reply window has closed.'],
  ['Broadcasts', 'A template to many people, each from the number that they know.'],
  ['Reference', 'This document.'],
] as const

const DESCRIPTION = `
Foyer is a customer-conversation inbox. Everything here happens inside the one workspace that the token opens; whatever
belongs to another workspace answers exactly like something that does not exist.

**First call.** \`curl -H "Authorization: Bearer foyer_…" {base}/api/v1/me\`

**Errors** have one shape: \`{"error": {"code", "message", "details"?}}\`. Act on \`code\`; \`details\` lists every field
that is wrong.

**Limits** are counted in windows of a minute: for writes by token and operation, for everything else ${BUDGET_PER_IP} a
minute by IP address. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` say where you stand, \`Retry-After\`
how many seconds to wait after a 429.

**Retries.** Send an \`Idempotency-Key\` with a POST and repeat it as often as you need: the work is done once, and the
repeat gets the first answer with \`Idempotent-Replayed: true\`.

**Pages.** Lists answer newest first with a \`nextCursor\`, which is null on the last page. To poll, read the first page
again and skip the ids that you know.
`.trim()

// The discriminator would name components, which the shapes' own constants already tell apart.
const CUSTOM_KEYWORDS = new Set(['trim', 'discriminator', 'patternSays', '~kind', '~optional', '~readonly'])

/** Our own keywords become what every reader of the document knows. */
const standardised = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(standardised)
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  for (const [key, item] of Object.entries(value)) {
    if (CUSTOM_KEYWORDS.has(key)) continue
    if (key === 'atLeastOneOf') copy.anyOf = (item as string[]).map((name) => ({ required: [name] }))
    else if (key === 'exactlyOneOf') copy.oneOf = (item as string[]).map((name) => ({ required: [name] }))
    else if (
      key === 'enum' &&
      value.type === undefined &&
      (item as Json[]).every((one) => typeof one === 'string')
    ) {
      copy.type = 'string'
      copy.enum = item
    } else copy[key] = key === 'examples' || key === 'example' ? item : standardised(item)
  }
  return copy
}

/** Moves every schema that has a title into the components and leaves a reference. */
const hoisted = (value: Json, components: JsonObject): Json => {
  if (Array.isArray(value)) return value.map((item) => hoisted(item, components))
  if (!isObject(value)) return value
  const copy: JsonObject = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === 'examples' || key === 'example' || key === 'info' ? item : hoisted(item, components),
    ]),
  )
  if (typeof copy.title !== 'string' || !(copy.type || copy.anyOf || copy.oneOf)) return copy
  const { title, ...schema } = copy
  const known = components[title]
  if (known && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`Two different schemas are titled ${title}`)
  components[title] = schema
  return { $ref: `#/components/schemas/${title}` }
}

const HEADERS = {
  'RateLimit-Limit': { description: 'Calls a minute.', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Calls left in this window.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the window ends.', schema: { type: 'integer' } },
  'X-Request-Id': { description: 'Quote it when you report a problem.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
} satisfies JsonObject

const LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

/** Named where a client reads them; every answer carries the first four. */
const HEADERS_OF: Record<string, string[]> = {
  '200': [...LIMIT_HEADERS, 'X-Request-Id'],
  '429': [...LIMIT_HEADERS, 'Retry-After'],
  '500': ['X-Request-Id'],
  '503': ['Retry-After'],
}

const headersOf = (status: string): JsonObject =>
  Object.fromEntries(
    (HEADERS_OF[status] ?? []).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )

const IDEMPOTENCY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A key of your own for this piece of work, kept for 24 hours. The same request again under it does nothing twice.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} satisfies JsonObject

/** Headers, the idempotency key and the limits: what every operation has without saying so. */
const completeOperation = (method: string, operation: JsonObject): void => {
  if (method === 'post')
    operation.parameters = [
      ...((operation.parameters as Json[]) ?? []),
      { $ref: '#/components/parameters/Idempotency-Key' },
    ]
  const responses = operation.responses as JsonObject
  for (const [status, response] of Object.entries(responses)) {
    if (!isObject(response)) continue
    if (HEADERS_OF[status]) response.headers = headersOf(status)
    if (status === '200' && response.description === 'Default Response') response.description = 'Done.'
  }
}

type ErrorResponse = {
  content: {
    'application/json': {
      schema: { description?: string; properties: { error: { properties: { code: { enum: string[] } } } } }
    }
  }
}

/** Errors are much the same everywhere: each set of codes is written once, under the codes' names. */
const shareErrors = (operation: JsonObject, shared: JsonObject): void => {
  const responses = operation.responses as JsonObject
  for (const [status, response] of Object.entries(responses)) {
    if (status < '400') continue
    const { schema } = (response as ErrorResponse).content['application/json']
    // The answer itself says it already.
    delete schema.description
    const name = [...schema.properties.error.properties.code.enum].sort().join('.')
    shared[name] = response!
    responses[status] = { $ref: `#/components/responses/${name}` }
  }
}

const operationsOf = (paths: JsonObject): [method: string, operation: JsonObject][] =>
  Object.values(paths).flatMap((path) =>
    Object.entries(path as JsonObject).filter((entry): entry is [string, JsonObject] => isObject(entry[1])),
  )

const sorted = (components: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))

const complete = (document: JsonObject): JsonObject => {
  const schemas: JsonObject = {}
  const responses: JsonObject = {}
  for (const [method, operation] of operationsOf(document.paths as JsonObject))
    completeOperation(method, operation)
  const paths = hoisted(standardised(document.paths!), schemas) as JsonObject
  for (const [, operation] of operationsOf(paths)) shareErrors(operation, responses)
  return {
    ...document,
    paths,
    components: {
      ...(document.components as JsonObject),
      headers: HEADERS,
      parameters: { 'Idempotency-Key': IDEMPOTENCY_PARAMETER },
      responses: sorted(responses),
      schemas: sorted(schemas),
    },
  }
}

/** Collects the routes. Must be registered before them. */
export const registerOpenapi = (app: FastifyInstance): void => {
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Foyer API',
        version: '1.0.0',
        description: DESCRIPTION,
        license: { name: 'Proprietary', identifier: 'LicenseRef-Foyer' },
      },
      servers: [{ url: '/', description: 'This server.' }],
      tags: TAGS.map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'A workspace API token, made in the console under Settings, API.',
          },
        },
      },
      security: [{ token: [] }],
    },
    hideUntagged: true,
    transform: ({ schema, url, route }) => {
      const { config } = route
      const budget = config?.budget ? `${BUDGETS[config.budget]} calls a minute for each token.` : undefined
      const description = [schema?.description, budget].filter(Boolean).join('\n\n')
      return { schema: { ...schema, description, ...(config?.isPublic && { security: [] }) }, url }
    },
  })
}

const finished = new WeakMap<object, OpenAPIV3_1.Document>()

/** The finished document, made once. The application must be ready. */
export const openapiDocument = (app: FastifyInstance): OpenAPIV3_1.Document => {
  const raw = app.swagger()
  let document = finished.get(raw)
  if (!document) {
    document = complete(JSON.parse(JSON.stringify(raw))) as unknown as OpenAPIV3_1.Document
    finished.set(raw, document)
  }
  return document
}
