// Any JSON, any header, any path: a declared answer in the envelope, never a 500, never a hang. The inputs come from
// the OpenAPI document, so a new operation is fuzzed from its first day.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openapiDocument } from '../server/platform/http/openapi.ts'
import { startApp } from './app.ts'
import { bodiesOf, type JsonSchema, nastyText, valuesOf } from './arbitraries.ts'

const RUNS_PER_OPERATION = 60
const ANSWER_WITHIN_MS = 5_000

const { app, db, make } = await startApp()
const mine = await make.workspace()
const theirs = await make.workspace()
const ids = (
  await Promise.all(
    [mine, theirs].map(async ({ id }) => {
      const conversation = await make.conversation(id, { subject: 'Order 4711' })
      await make.message(id, conversation)
      const agent = await make.agent(id, { role: 'admin' })
      return [conversation.id, conversation.contactId, conversation.channelAccountId, agent.id]
    }),
  )
).flat()

type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema: JsonSchema }
type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, unknown>
}

const document = openapiDocument(app) as unknown as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema> }
}
const resolve = (ref: string): JsonSchema => document.components.schemas[ref.split('/').at(-1)!]!

const anId = fc.oneof(fc.constantFrom(...ids, 'ai'), nastyText)

/** Path and query parameters as text, some missing, some twice. */
const queryOf = (parameters: Parameter[]): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        ...parameters
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, schema }) =>
            fc
              .oneof(valuesOf(schema, resolve), anId)
              .map((value) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const),
          ),
        nastyText.map((text) => [text, text] as const),
      ),
      { maxLength: 5 },
    )
    .map((pairs) =>
      new URLSearchParams(
        pairs.map(([name, value]): [string, string] => [name.toWellFormed(), value.toWellFormed()]),
      ).toString(),
    )

const headers = fc.record(
  {
    'x-request-id': nastyText,
    'idempotency-key': fc.oneof(fc.uuid(), nastyText),
    'x-forwarded-for': fc.oneof(fc.ipV4(), nastyText),
    'accept-language': nastyText,
  },
  { requiredKeys: [] },
)

/** What Node's own client would let through as a header's value. */
const headerSafe = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')]),
  )

for (const [path, methods] of Object.entries(document.paths))
  for (const [method, operation] of Object.entries(methods)) {
    // A stream doesn't end. It takes the same parameters as the list.
    if (operation.operationId === 'followEvents') continue
    // How long a call is held, up to half a minute.
    const parameters = (operation.parameters ?? []).filter(({ name }) => name !== 'wait')
    const bodySchema = operation.requestBody?.content['application/json']?.schema

    test(`${operation.operationId} takes anything and answers with what it declares`, async () => {
      const places = path.match(/\{[^}]+\}/g) ?? []
      const inputs = fc.record({
        places: fc.tuple(...places.map(() => anId)),
        query: queryOf(parameters),
        headers,
        body: bodySchema ? bodiesOf(bodySchema, resolve) : fc.constant(undefined),
        contentType: fc.oneof(
          { weight: 9, arbitrary: fc.constant('application/json') },
          {
            weight: 1,
            arbitrary: fc.constantFrom(
              'text/plain',
              'application/json; charset=utf-16',
              'multipart/form-data',
            ),
          },
        ),
      })
      await fc.assert(
        fc.asyncProperty(inputs, async (input) => {
          let next = 0
          const url = path.replaceAll(/\{[^}]+\}/g, () =>
            encodeURIComponent(input.places[next++]!.toWellFormed()),
          )
          const started = Date.now()
          const response = await app.inject({
            method: method.toUpperCase() as 'GET',
            url: `${url}?${input.query}`,
            headers: {
              authorization: `Bearer ${mine.token}`,
              ...headerSafe(input.headers as Record<string, string>),
              ...(input.body !== undefined && { 'content-type': input.contentType }),
            },
            ...(input.body !== undefined && { payload: input.body }),
          })
          const shown = `${response.statusCode} ${response.body.slice(0, 300)}`
          assert.ok(response.statusCode < 500, shown)
          // An empty place in a path is another path.
          const declared = Object.keys(operation.responses)
          assert.ok(
            declared.includes(String(response.statusCode)) || input.places.some((place) => place === ''),
            shown,
          )
          assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
          const answer = response.json()
          if (response.statusCode !== 200) assert.equal(typeof answer.error.code, 'string')
          assert.ok(Date.now() - started < ANSWER_WITHIN_MS, 'took too long')
        }),
        { numRuns: RUNS_PER_OPERATION },
      )
    })
  }

test('nothing that was thrown at one workspace changed another', async () => {
  const rows = await db
    .selectFrom('conversations')
    .selectAll()
    .where('workspace_id', '=', theirs.id)
    .execute()
  assert.equal(rows.length, 1)
  assert.equal(rows[0]!.status, 'open')
  const messages = await db
    .selectFrom('messages')
    .select('id')
    .where('workspace_id', '=', theirs.id)
    .execute()
  assert.equal(messages.length, 1)
})
