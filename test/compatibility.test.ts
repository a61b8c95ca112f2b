// docs/guide/versioning.md: /api/v1 only grows. When a version is released, its openapi.json replaces
// testdata/released-openapi.json.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { breaks, type Description } from './compatibility.ts'

const read = (name: string): Description => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'))
const released = read('testdata/released-openapi.json')

test('a program that works with the last released version works with this one', () => {
  assert.deepEqual(breaks(released, read('../openapi.json')), [])
})

const CLOSE = '/api/v1/conversations/{conversationId}/close'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
const dataOf = (webhooks: any, type: string) =>
  webhooks[type].post.requestBody.content['application/json'].schema.allOf[1].properties.data

/** Changes of a description, and what they break. */
// biome-ignore lint/suspicious/noExplicitAny: a JSON document, changed in places
const CHANGES: [change: (description: any) => void, says: RegExp | null][] = [
  [({ paths }) => delete paths[CLOSE], /close is gone/],
  [({ paths }) => (paths[CLOSE].post.operationId = 'end'), /operationId/],
  [({ paths }) => delete paths[CLOSE].post.responses['404'], /lost or moved 404 CONVERSATION_NOT_FOUND/],
  [({ paths }) => (paths['/api/v1/contacts'].get.parameters[0].required = true), /search is required now/],
  [({ paths }) => paths['/api/v1/contacts'].get.parameters.shift(), /search is gone/],
  [
    ({ components }) => (components.schemas.SendMessage.properties.body.maxLength = 100),
    /body has a smaller/,
  ],
  [({ components }) => (components.schemas.SendMessage.required = ['sendTo']), /sendTo is required now/],
  [({ components }) => components.schemas.SendMessage.anyOf.pop(), /body is required now/],
  [({ components }) => (components.schemas.SendMessage.properties.body.type = 'object'), /is no string/],
  [({ components }) => components.schemas.NewAgent.properties.role.enum.pop(), /may not be/],
  [({ components }) => delete components.schemas.Message.properties.status, /status is gone/],
  [
    ({ components }) => (components.schemas.Message.properties.body.type = ['string', 'null']),
    /may be null now/,
  ],
  [({ components }) => components.schemas.Message.required.shift(), /may be missing now/],
  [
    ({ components }) => delete components.schemas.Assignment.properties.agentNickname,
    /agentNickname is gone/,
  ],
  [
    ({ components }) => (components.schemas.FilterAudience.properties.filter = { type: 'string' }),
    /audience no longer takes/,
  ],
  [
    ({ components }) => (components.schemas.NewTag.properties.color.pattern = '^#'),
    /color has another pattern/,
  ],
  [({ paths }) => (paths[CLOSE].post.security[0].token = ['agents:write']), /close needs another scope/],
  [({ paths }) => (paths[CLOSE].post.security[0].token = []), null],
  [({ webhooks }) => delete webhooks['contact.merged'], /event contact.merged is gone/],
  [
    ({ webhooks }) => delete dataOf(webhooks, 'contact.merged').properties.mergedContactId,
    /event contact.merged.data.mergedContactId is gone/,
  ],
  [({ components }) => delete components.schemas.Event.properties.sequence, /event .*sequence is gone/],
  [({ webhooks }) => (dataOf(webhooks, 'contact.merged').properties.extra = { type: 'string' }), null],
  [({ webhooks }) => (webhooks['contact.moved'] = webhooks['contact.merged']), null],
  [({ components }) => (components.schemas.Message.properties.extra = { type: 'string' }), null],
  [({ components }) => components.schemas.MessageStatus.enum.push('seen'), null],
  [({ components }) => (components.schemas.SendMessage.properties.extra = { type: 'string' }), null],
  [({ paths }) => (paths['/api/v1/new'] = {}), null],
]

for (const [change, says] of CHANGES)
  test(`it ${says ? 'finds' : 'allows'} ${change.toString().replaceAll(/\s+/g, ' ').slice(0, 90)}`, () => {
    const next = structuredClone(released)
    change(next)
    const found = breaks(released, next)
    if (says) assert.match(found.join('\n'), says)
    else assert.deepEqual(found, [])
  })
