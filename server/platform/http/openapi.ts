// The OpenAPI 3.1 document, generated from the schemas used for validation. `openapi.json` is its checked-in copy, so
// API changes show up in its diff.
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { OpenAPIV3_1 } from 'openapi-types'
import { BUDGET_PER_IP, BUDGETS } from './api.ts'
import { IGNORED_HEADER } from './ignored-parameters.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const TAGS = [
  ['Token', 'Find out which workspace a token belongs to.'],
  ['Agents', 'The members of the workspace, including its AI agent.'],
  ['Channels', 'Connected phone numbers, mailboxes, pages and websites.'],
  ['Contacts', 'Customers: directory, profiles and custom fields.'],
  ['Tags', 'Labels on contacts.'],
  ['Notes', 'Internal notes about a contact. Customers never see them.'],
  ['Conversations', 'Threads on web chat, WhatsApp, email, Messenger, Telegram and SMS.'],
  ['Messages', 'Messages across the whole workspace.'],
  ['Attachments', 'Files of messages, and those to send.'],
  ['Contact groups', 'Saved sets of contacts.'],
  [
    'WhatsApp',
    'Approved templates, for starting conversations and for writing after the reply window has closed.',
  ],
  ['Broadcasts', 'Send a template to many people at once.'],
  ['Knowledge', 'Articles and saved answers that replies are based on.'],
  ['Flows', 'Automations and their runs.'],
  ['Events', 'What happens in the workspace, numbered without gaps.'],
  ['Webhooks', 'Events sent to your server.'],
  ['Audit log', 'Who changed what in the workspace.'],
  ['Reference', 'This document.'],
] as const

const DESCRIPTION = `
Foyer is a customer-conversation inbox. Every request works within the workspace of its token. Anything in another workspace is reported as if it did not exist.

**First call.** \`curl -H "Authorization: Bearer foyer_…" {base}/api/v1/me\`

**Access.** A token has full access unless it was created with scopes, channels, an expiry or allowed addresses; \`GET /me\` shows them. Each operation names its scope; without it the response is 403 \`INSUFFICIENT_SCOPE\`. A token limited to channels sees the conversations on those, their messages, and the contacts who have one; everything else is reported as if it did not exist.

**Errors** all have the same shape: \`{"error": {"code", "message", "details"?}}\`. Act on \`code\`; \`details\` lists every invalid field.

**Rate limits** use one-minute windows. Writes are limited per token and operation; everything else is limited to ${BUDGET_PER_IP} requests a minute per IP address. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` show your current usage. After a 429, wait for the number of seconds in \`Retry-After\`.

**Retries.** Send an \`Idempotency-Key\` with a POST request to retry it safely: the work is done once, and a retry gets the first response with \`Idempotent-Replayed: true\`.

**Unknown query parameters** are ignored and listed in \`${IGNORED_HEADER}\`.

**Pagination.** Lists return the newest items first, with a \`nextCursor\` that is null on the last page. To poll, read the first page again and skip the ids you already know. What you have written is listed at once, with one exception: while a larger write of
the same workspace that began earlier is still going on, the three lists in the order of creation wait for it for up to a
second and then end below it. Reading the thing by its id shows it at once.
`.trim()

// The discriminator would need named components; the constants in the shapes already tell them apart.
const CUSTOM_KEYWORDS = new Set([
  'trim',
  'visible',
  'discriminator',
  'patternSays',
  '~kind',
  '~optional',
  '~readonly',
])

/** With a default on a property, client generators require callers to pass it. The description says it instead. */
const withoutDefaults = (properties: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const said = standardised(property!)
      if (!isObject(said) || said.default === undefined) return [name, said]
      const { default: value, description, ...rest } = said
      return [
        name,
        { ...rest, description: [description, `Default: \`${value}\`.`].filter(Boolean).join(' ') },
      ]
    }),
  )

/** Replaces our own keywords with standard ones. */
const standardised = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(standardised)
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  for (const [key, item] of Object.entries(value)) {
    if (CUSTOM_KEYWORDS.has(key)) continue
    if (key === 'atLeastOneOf') copy.anyOf = (item as string[]).map((name) => ({ required: [name] }))
    else if (key === 'properties') copy.properties = withoutDefaults(item as JsonObject)
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

const sayingNothing = (schema: Json): string =>
  JSON.stringify({ ...(schema as JsonObject), description: undefined })

/** Moves every schema with a title into the components and leaves a reference. */
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
  if (known && sayingNothing(known) !== sayingNothing(schema))
    throw new Error(`Two different schemas are titled ${title}`)
  // A query parameter's description goes next to its schema.
  if (!isObject(known) || known.description === undefined) components[title] = schema
  return { $ref: `#/components/schemas/${title}` }
}

const HEADERS = {
  'RateLimit-Limit': { description: 'Requests allowed per minute.', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Requests left in this window.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the window ends.', schema: { type: 'integer' } },
  'X-Request-Id': { description: 'Include it when you report a problem.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before retrying.', schema: { type: 'integer' } },
  'Idempotent-Replayed': {
    description: 'The response is the one to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  [IGNORED_HEADER]: {
    description:
      'Unknown query parameters, each with its likely intended name, such as `"page_size";near="pageSize", "colour"`.',
    schema: { type: 'string' },
  },
} satisfies JsonObject

const LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

/** Listed where clients read them; every response has the first four. */
const HEADERS_OF: Record<string, string[]> = {
  '200': [...LIMIT_HEADERS, 'X-Request-Id'],
  '429': [...LIMIT_HEADERS, 'Retry-After'],
  '500': ['X-Request-Id'],
  '503': ['Retry-After'],
}

const headersOf = (status: string, more: readonly string[]): JsonObject =>
  Object.fromEntries(
    [...(HEADERS_OF[status] ?? []), ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )

const IDEMPOTENCY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A unique key for this request, kept for 24 hours. Repeating the request with the same key does not repeat the work.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} satisfies JsonObject

/** A form is streamed, and so not compared with an earlier one. */
const isForm = ({ requestBody }: JsonObject): boolean =>
  isObject(requestBody) && isObject(requestBody.content) && 'multipart/form-data' in requestBody.content

/** Headers, the idempotency key and the limits, which every operation has implicitly. */
const completeOperation = (method: string, operation: JsonObject): void => {
  const isRepeatable = method === 'post' && !isForm(operation)
  if (isRepeatable)
    operation.parameters = [
      ...((operation.parameters as Json[]) ?? []),
      { $ref: '#/components/parameters/Idempotency-Key' },
    ]
  // bracket-parameters.ts reads them.
  for (const parameter of (operation.parameters ?? []) as JsonObject[])
    if (parameter.in === 'query' && (parameter.schema as JsonObject).type === 'object')
      Object.assign(parameter, { style: 'deepObject', explode: true })
  const responses = operation.responses as JsonObject
  const ownHeader = isRepeatable ? ['Idempotent-Replayed'] : method === 'get' ? [IGNORED_HEADER] : []
  for (const [status, response] of Object.entries(responses)) {
    if (!isObject(response)) continue
    if (HEADERS_OF[status]) response.headers = headersOf(status, status === '200' ? ownHeader : [])
    if (status === '200' && response.description === 'Default Response') response.description = 'Done.'
  }
}

const errorSchemas = (codes: ReadonlySet<string>): JsonObject => ({
  Error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { $ref: '#/components/schemas/ErrorCode' },
          message: { type: 'string', description: 'Human-readable description.' },
          details: { type: 'array', items: { $ref: '#/components/schemas/ErrorDetail' } },
        },
      },
    },
  },
  ErrorCode: { type: 'string', enum: [...codes].sort(), description: 'Machine-readable code.' },
})

type ErrorResponse = {
  content: {
    'application/json': {
      schema: { properties: { error: { properties: { code: { enum: string[] } } } } }
    }
  }
}

/**
 * All errors share one schema, so that clients have one type for them; the codes a response may have are in its
 * description and, for programs, in x-error-codes. A response with a single code is written once, under the code's
 * name.
 */
const shareErrors = (operation: JsonObject, shared: JsonObject, codes: Set<string>): void => {
  const responses = operation.responses as JsonObject
  for (const [status, response] of Object.entries(responses)) {
    if (status < '400') continue
    const json = (response as ErrorResponse).content['application/json']
    const declared = json.schema.properties.error.properties.code.enum
    for (const one of declared) codes.add(one)
    const [code, ...others] = declared
    ;(json as JsonObject).schema = { $ref: '#/components/schemas/Error' }
    ;(response as JsonObject)['x-error-codes'] = declared
    if (others.length > 0 || code === undefined) continue
    shared[code] = response!
    responses[status] = { $ref: `#/components/responses/${code}` }
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
  const codes = new Set<string>()
  for (const [method, operation] of operationsOf(document.paths as JsonObject))
    completeOperation(method, operation)
  const paths = hoisted(standardised(document.paths!), schemas) as JsonObject
  for (const [, operation] of operationsOf(paths)) shareErrors(operation, responses, codes)
  const webhooks = hoisted(standardised(document.webhooks ?? {}), schemas)
  return {
    ...document,
    paths,
    webhooks,
    components: {
      ...(document.components as JsonObject),
      headers: HEADERS,
      parameters: { 'Idempotency-Key': IDEMPOTENCY_PARAMETER },
      responses: sorted(responses),
      schemas: sorted({ ...schemas, ...errorSchemas(codes) }),
    },
  }
}

/** Collects the routes for openapiDocument. Must be registered before them. `webhooks`: what the server sends. */
export const registerOpenapi = (app: FastifyInstance, webhooks: Record<string, object>): void => {
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      webhooks,
      info: {
        title: 'Foyer API',
        version: '1.0.0',
        description: DESCRIPTION,
        license: { name: 'Proprietary' },
      },
      servers: [{ url: '/', description: 'This server.' }],
      tags: TAGS.map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'A workspace API token, created in the console under Settings → API tokens.',
          },
        },
      },
      security: [{ token: [] }],
    },
    hideUntagged: true,
    transform: ({ schema, url, route }) => {
      const { config } = route
      const budget = config?.budget
        ? `Limit: ${BUDGETS[config.budget]} requests per minute per token.`
        : undefined
      const scope = config?.scope && config.scope !== 'any' ? config.scope : undefined
      const needs = scope && `Scope: \`${scope}\`.`
      const description = [schema?.description, [needs, budget].filter(Boolean).join(' ')]
        .filter(Boolean)
        .join('\n\n')
      const security = config?.isPublic ? [] : scope ? [{ token: [scope] }] : undefined
      return { schema: { ...schema, description, ...(security && { security }) }, url }
    },
  })
}

const finished = new WeakMap<object, OpenAPIV3_1.Document>()

/** The finished document, generated once. The application must be ready. */
export const openapiDocument = (app: FastifyInstance): OpenAPIV3_1.Document => {
  const raw = app.swagger()
  let document = finished.get(raw)
  if (!document) {
    // The plugin's type covers every OpenAPI version; ours is 3.1.
    document = complete(JSON.parse(JSON.stringify(raw))) as unknown as OpenAPIV3_1.Document
    finished.set(raw, document)
  }
  return document
}
