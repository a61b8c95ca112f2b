import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { artefacts } from './artefacts.ts'
import { makeDatabase } from './database.ts'

const database = await makeDatabase()
after(() => database.drop())
const generated = await artefacts(database.connectionString)

for (const [name, content] of Object.entries(generated))
  test(`${name} is what "npm run generate" makes`, () => {
    assert.ok(
      readFileSync(name, 'utf8') === content,
      `${name} is out of date: run "npm run generate" and read the difference`,
    )
  })

test('a public linter finds nothing in the OpenAPI document', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    // It wants a link to the licence, and a proprietary one has none.
    rules: { 'info-license-strict': 'off' },
  })
  const problems = await lintFromString({
    source: generated['openapi.json']!,
    absoluteRef: 'openapi.json',
    config,
  })
  assert.deepEqual(
    problems.map(
      ({ severity, ruleId, message, location }) =>
        `${severity} ${ruleId}: ${message} at ${location[0]?.pointer}`,
    ),
    [],
  )
})

type Operation = {
  summary?: string
  description?: string
  responses: Record<
    string,
    { content?: Record<string, { example?: unknown; schema?: { examples?: unknown } }> }
  >
  requestBody?: { content: Record<string, { example?: unknown; examples?: Record<string, unknown> }> }
}

test('every operation has a summary, a description, an example and its errors', () => {
  const { paths } = JSON.parse(generated['openapi.json']!) as {
    paths: Record<string, Record<string, Operation>>
  }
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`
      assert.ok(operation.summary, `${name} has no summary`)
      assert.ok((operation.description ?? '').length > 20, `${name} has no description`)
      const [answer] = Object.values(operation.responses['200']?.content ?? {})
      assert.ok(answer?.example ?? answer?.schema?.examples, `${name} has no example of its answer`)
      assert.ok(operation.responses['429'], `${name} declares no 429`)
      if (operation.requestBody) {
        const { example, examples } = Object.values(operation.requestBody.content)[0] ?? {}
        assert.ok(example ?? examples, `${name} has no example of its body`)
      }
    }
})
