// What client generators make of the document.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

type Schema = { enum?: string[]; required?: string[]; properties?: Record<string, { default?: unknown }> }
type Response = { $ref?: string; content?: Record<string, { schema: { $ref?: string } }> }
type Operation = {
  requestBody?: { content: Record<string, unknown> }
  responses: Record<string, Response & { headers?: Record<string, unknown> }>
}
const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as {
  info: { license: object }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Response>; headers: object }
}
const { schemas, responses } = document.components
const operations = Object.values(document.paths).flatMap((path) => Object.entries(path))

test('what clients switch on has a schema and a short name of its own', () => {
  for (const name of ['Error', 'ErrorCode', 'Channel', 'MessageStatus', 'SenderType', 'ConversationStatus'])
    assert.ok(schemas[name], name)
  assert.deepEqual(schemas.MessageStatus!.enum, ['queued', 'sent', 'delivered', 'read', 'failed'])
  for (const name of [...Object.keys(schemas), ...Object.keys(responses)])
    assert.match(name, /^\w{1,40}$/, name)
})

test('every error of every operation is the one schema Error', () => {
  const errorOf = (response: Response): string | undefined =>
    (response.$ref ? responses[response.$ref.split('/').at(-1)!] : response)?.content?.['application/json']
      ?.schema.$ref
  for (const [, { responses }] of operations)
    for (const [status, response] of Object.entries(responses))
      if (status >= '400') assert.equal(errorOf(response), '#/components/schemas/Error')
  for (const code of ['VALIDATION_ERROR', 'CONTACT_NOT_FOUND', 'RATE_LIMIT_EXCEEDED'])
    assert.ok(schemas.ErrorCode!.enum!.includes(code), code)
})

test('a property with a default is not asked of callers', () => {
  for (const [name, { properties = {} }] of Object.entries(schemas))
    for (const [property, { default: value }] of Object.entries(properties))
      assert.ok(value === undefined, `${name}.${property} has a default`)
  assert.ok(!schemas.CreateConversation!.required!.includes('channel'))
})

test('the headers that an answer may carry are in the document', () => {
  for (const [method, { responses, requestBody }] of operations) {
    const headers = Object.keys(responses['200']?.headers ?? {})
    const isForm = requestBody?.content['multipart/form-data'] !== undefined
    if (method === 'post') assert.equal(headers.includes('Idempotent-Replayed'), !isForm)
    if (method === 'get') assert.ok(headers.includes('Foyer-Ignored-Parameters'))
  }
})

test('the licence is a name, without a link that leads nowhere', () => {
  assert.deepEqual(document.info.license, { name: 'Proprietary' })
})

test('the document refers to nothing that is not in it', () => {
  assert.doesNotMatch(JSON.stringify(document), /Delivery section/)
  for (const [, part, name] of JSON.stringify(document).matchAll(/#\/components\/(\w+)\/([\w.-]+)/g))
    assert.ok(name! in (document.components as Record<string, object>)[part!]!, `${part}/${name}`)
})
