import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { newId } from '../db/id.ts'
import { ApiError } from '../errors.ts'
import { compileValidator } from './validation.ts'

/** The bodies of all operations. */
const bodies = new Map<string, unknown>()
const { call, make } = await startApp({
  deps: {
    decorate: (instance) => {
      instance.addHook('onRoute', ({ schema }) => {
        if (schema?.operationId && schema.body) bodies.set(schema.operationId, schema.body)
      })
    },
  },
})
const workspace = await make.workspace()

/** A write that takes any body: of a conversation that is not there, so 404 says that the body was read. */
const close = (payload: string, headers: Record<string, string>) =>
  call(workspace.token, 'POST', `/conversations/${newId()}/close`, undefined, { payload, headers })

test('a body may nest 64 levels, hold 100,000 values and objects of 1,000 keys; more is refused before it is parsed', async () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const values = (count: number) => `[${'0,'.repeat(count - 1)}0]`
  const object = (keys: number, prefix = '') =>
    `{${Array.from({ length: keys }, (_, at) => `"${prefix}${at}":0`).join()}}`
  const objects = (count: number, keys: number) =>
    `[${Array.from({ length: count }, (_, at) => object(keys, `${at}-`)).join()}]`
  const key = (length: number) => `{"${'k'.repeat(length)}":0}`
  const cases: [text: string, says: string | null][] = [
    [nested(64), null],
    [nested(65), 'must not nest more than 64 levels deep'],
    [nested(400_000), 'must not nest more than 64 levels deep'],
    ['['.repeat(1024 * 1024), 'must not nest more than 64 levels deep'],
    [`"${'[{,'.repeat(300_000)}"`, null],
    [values(100_000), null],
    [values(100_001), 'must not hold more than 100,000 values'],
    [object(1_000), null],
    [object(1_001), 'must not hold an object with more than 1,000 keys'],
    [objects(40, 1_000), null],
    [objects(41, 1_000), 'must not hold more than 40,000 keys in all'],
    [key(1_000), null],
    [key(1_001), 'must not hold a key longer than 1,000 bytes'],
  ]
  for (const [text, says] of cases) {
    const { status, body } = await close(text, { 'content-type': 'application/json' })
    const shown = `${text.slice(0, 40)} of ${text.length}`
    assert.equal(status, says === null ? 404 : 400, shown)
    if (says !== null) assert.deepEqual(body.error.details, [{ field: '(body)', message: says }], shown)
  }
})

test('malformed JSON is reported with the line and column of the error', async () => {
  const cases: [text: string, place: string][] = [
    ['{"name": "Ada",\n "x": nothing}', 'line 2, column 7'],
    ['{"name": "Ada"', 'line 1, column 15'],
    ['{"name": "A\nda"}', 'line 1, column 10'],
    ['{"tags": [1,]}', 'line 1, column 13'],
    ['{"a":', 'line 1, column 6'],
  ]
  for (const [text, place] of cases) {
    const { status, body } = await close(text, { 'content-type': 'application/json' })
    assert.equal(status, 400, text)
    const message = `must be valid JSON; the first error is at ${place}`
    assert.deepEqual(body.error.details, [{ field: '(body)', message }], text)
  }
})

test('of many mistakes the first hundred are listed, each by its own name', async () => {
  const contact = await make.contact(workspace.id)
  const tooMany = { tagIds: Array.from({ length: 90_000 }, () => 1) }
  const wide = await call(workspace.token, 'PUT', `/contacts/${contact.id}/tags`, tooMany)
  assert.equal(wide.status, 400)
  assert.deepEqual(wide.body.error.details, [{ field: 'tagIds', message: 'must have at most 50 items' }])

  const contactIds = Array.from({ length: 10_000 }, () => 1)
  const listed = await call(workspace.token, 'POST', '/broadcasts', {
    templateName: 'a',
    audience: { type: 'contacts', contactIds },
  })
  assert.equal(listed.body.error.details.length, 100)
  assert.deepEqual(listed.body.error.details[99], {
    field: 'audience.contactIds[99]',
    message: 'must be a string',
  })
  assert.match(listed.body.error.message, /the first 100 problems/)

  const rows = Array.from({ length: 9_000 }, () => ({ phone: '\0\0', name: '\0', parameters: ['\0'] }))
  const unstorable = { templateName: 'a', audience: { type: 'recipients', recipients: rows } }
  const named = await call(workspace.token, 'POST', '/broadcasts', unstorable)
  assert.equal(named.status, 400)
  assert.equal(named.body.error.details.length, 100)
  assert.deepEqual(named.body.error.details[2], {
    field: 'audience.recipients[0].parameters[0]',
    message: 'must not contain the character U+0000',
  })
})

test('a shape that is tried after another is checked whole', async () => {
  const schema = {
    type: 'object',
    properties: {
      list: {
        anyOf: [
          { type: 'array', items: { type: 'number' }, maxItems: 500 },
          { type: 'array', items: { type: 'string' }, maxItems: 500 },
        ],
      },
    },
  } as const
  const validate = compileValidator({ schema: schema as never, httpPart: 'body', method: '', url: '' })
  const strings = Array.from({ length: 300 }, () => 'x')
  assert.deepEqual(await validate({ list: strings }), { value: { list: strings } })
  const mixed = [...strings, 1]
  const result = await validate({ list: mixed })
  assert.ok(result && 'error' in result && result.error instanceof ApiError)
})

test('a value that may be of several types has one error, which says what it may be', async () => {
  const path = '/webhook-endpoints/c0000000000000000000nobody/replay'
  const details = async (body: object) => (await call(workspace.token, 'POST', path, body)).body.error.details
  for (const [from, message] of [
    ['yesterday', 'must be a valid date-time'],
    ['2027-02-30T00:00:00Z', 'must be a valid date-time'],
    [0, 'must be at least 1'],
    [1.5, 'must be a date-time or an integer'],
    [true, 'must be a date-time or an integer'],
    [null, 'must be a date-time or an integer'],
    [{}, 'must be a date-time or an integer'],
  ] as const)
    assert.deepEqual(await details({ from }), [{ field: 'from', message }])
  assert.deepEqual(await details({ from: true, to: [] }), [
    { field: 'from', message: 'must be a date-time or an integer' },
    { field: 'to', message: 'must be a date-time or an integer' },
  ])
  const run = await call(workspace.token, 'POST', '/flows/c0000000000000000000nobody/runs', {
    contactId: 'c0000000000000000000nobody',
    variables: { plan: {}, sizes: ['L', {}] },
  })
  assert.deepEqual(run.body.error.details, [
    { field: 'variables.sizes[1]', message: 'must be a string' },
    { field: 'variables.plan', message: 'must be a string, a number, a boolean, null or an array' },
  ])
})

test('a compressed body is refused, and the refusal says how to send it', async () => {
  const json = 'application/json'
  for (const encoding of ['gzip', 'br', 'deflate, gzip']) {
    const { status, body } = await close('\x1f\x8b', { 'content-type': json, 'content-encoding': encoding })
    assert.equal(status, 415, encoding)
    assert.match(body.error.message, /Compressed bodies are not supported/)
  }
  const plain = await close('{}', { 'content-type': json, 'content-encoding': 'identity' })
  assert.equal(plain.status, 404)
})

type Shape = {
  properties?: Record<string, Shape & { visible?: boolean; pattern?: string; enum?: unknown; type?: unknown }>
  items?: Shape
  anyOf?: Shape[]
}

/** Where a body takes what people call something, without a rule that it can be seen. */
const unseenNamesIn = (schema: unknown, path = ''): string[] => {
  const { properties = {}, items, anyOf = [] } = (schema ?? {}) as Shape
  return [
    ...Object.entries(properties).flatMap(([name, one]) => [
      ...(/^(name|nickname|title)$/.test(name) &&
      /string/.test(String(one.type)) &&
      !one.visible &&
      !one.pattern
        ? [`${path}${name}`]
        : []),
      ...unseenNamesIn(one, `${path}${name}.`),
    ]),
    ...(items ? unseenNamesIn(items, path) : []),
    ...anyOf.flatMap((one) => unseenNamesIn(one, path)),
  ]
}

/** What isn't called so by us: in the headers of mail and requests, and a place that is sent. */
const MAY_BE_UNSEEN = /(^| )(email\.(to|cc|bcc)|headerLocation|headers)\.name$/

test('a name of which nothing can be seen is refused wherever something gets a name', async () => {
  const color = '#2f80ed'
  for (const name of ['\u200b', '\u2800\u2800', '\u3164', '\u00ad', '\u2060\u180e\ufe0f', ' \u200e\ufeff ']) {
    const { status, body } = await call(workspace.token, 'POST', '/tags', { name, color })
    assert.equal(status, 400, JSON.stringify(name))
    assert.deepEqual(body.error.details, [{ field: 'name', message: 'needs a visible character' }])
  }
  const empty = await call(workspace.token, 'POST', '/tags', { name: ' ', color })
  assert.deepEqual(empty.body.error.details, [{ field: 'name', message: 'must not be empty' }])
  for (const name of ['👩\u200d👧', '\u2800x', '미\u3164래'])
    assert.equal((await call(workspace.token, 'POST', '/tags', { name, color })).status, 200, name)
  assert.ok(bodies.size > 60)
  const unseen = [...bodies]
    .flatMap(([operation, schema]) => unseenNamesIn(schema).map((path) => `${operation} ${path}`))
    .filter((place) => !MAY_BE_UNSEEN.test(place))
  assert.deepEqual(unseen, [])
})
