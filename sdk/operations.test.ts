// Every operation, once, through the SDK, against the application.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../test/app.ts'
import { makeWorld, OPERATIONS } from '../test/operations.ts'
import { type OpenapiDocument, type Operation, operationsOf } from './generator/operations.ts'
import { Foyer, FoyerError, Pages } from './typescript/src/index.ts'

const app = await startApp()
const baseUrl = await app.app.listen({ host: '127.0.0.1', port: 0 })
const document: OpenapiDocument = JSON.parse(
  readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8'),
)
const operations = operationsOf(document)

type Method = (...parameters: unknown[]) => PromiseLike<unknown> | Pages<unknown, unknown>

const methodOf = (foyer: Foyer, { resource, name }: Operation): Method => {
  const owner = foyer[resource as keyof Foyer] as unknown as Record<string, Method>
  return (...parameters) => owner[name]!(...parameters)
}

/** A call's path and body as the parameters of its method. */
const parametersOf = (
  { path, query, body }: Operation,
  call: { path: string; body?: unknown },
): unknown[] => {
  const [place = '', search = ''] = call.path.split('?')
  const names = place.split('/').filter((_, index) => path.split('/')[index]?.startsWith('{'))
  const types = query?.properties ?? {}
  const given = [...new URLSearchParams(search)].map(([name, value]) => [
    name,
    types[name]?.type === 'boolean'
      ? value === 'true'
      : types[name]?.type === 'integer'
        ? Number(value)
        : value,
  ])
  return [
    ...names,
    ...(query ? [Object.fromEntries(given)] : []),
    ...(body ? [call.body instanceof FormData ? Object.fromEntries(call.body) : call.body] : []),
  ]
}

test('each operation has a name of its own', () => {
  const names = operations.map(({ resource, name }) => `${resource}.${name}`)
  assert.deepEqual(names, [...new Set(names)])
  assert.ok(names.includes('conversations.sendMessage') && names.includes('contactGroups.list'))
})

for (const operation of operations)
  test(`${operation.resource}.${operation.name} works`, async () => {
    const known = OPERATIONS[operation.id]
    assert.ok(known, `test/operations.ts has no ${operation.id}`)
    const world = await makeWorld(app, `sdk-${operation.id.toLowerCase()}`)
    const foyer = new Foyer({ token: world.workspace.token, baseUrl, maxRetries: 0 })
    const answer = methodOf(foyer, operation)(...parametersOf(operation, known.success(world)))
    const data = await (answer instanceof Pages ? answer.page() : answer)
    assert.equal(typeof data, 'object')
    if (operation.rows) assert.ok(Array.isArray((data as Record<string, unknown>)[operation.rows]))
  })

test('a refusal has its code, its fields and the id of its request', async () => {
  const { token } = await app.make.workspace()
  const foyer = new Foyer({ token, baseUrl })
  const refused = await foyer.conversations.create({ email: 'nobody' }).then(
    () => assert.fail('it was accepted'),
    (error: unknown) => error,
  )
  assert.ok(refused instanceof FoyerError)
  assert.equal(refused.code, 'VALIDATION_ERROR')
  assert.equal(refused.status, 400)
  assert.deepEqual(
    refused.details.map(({ field }) => field),
    ['email'],
  )
  assert.ok(refused.requestId)
  assert.equal(refused.isRetryable, false)
  await assert.rejects(Promise.resolve(foyer.agents.get('c/../../me')), { code: 'AGENT_NOT_FOUND' })
  assert.throws(() => foyer.agents.get('..'), TypeError)
})

test('a list goes through all pages, by cursor and by number, while rows appear', async () => {
  const workspace = await app.make.workspace()
  const foyer = new Foyer({ token: workspace.token, baseUrl })
  for (let n = 0; n < 5; n++) await app.make.contact(workspace.id, { name: `Contact ${n}` })
  const seen: string[] = []
  for await (const { name } of foyer.contacts.list({ sort: 'created', limit: 2 })) {
    if (seen.length === 1) await app.make.contact(workspace.id, { name: 'Late' })
    seen.push(name)
  }
  assert.deepEqual(seen, ['Contact 4', 'Contact 3', 'Contact 2', 'Contact 1', 'Contact 0'])
  const numbered = await foyer.contacts.list({ pageSize: 4 }).firstN(100)
  assert.equal(new Set(numbered.map(({ name }) => name)).size, 6)
  let pages = 0
  for await (const { page } of foyer.contacts.list({ pageSize: 4 }).pages()) assert.equal(page, ++pages)
  assert.equal(pages, 2)
  assert.equal((await foyer.contacts.list({ sort: 'created' }).firstN(3)).length, 3)
  assert.equal((await foyer.contacts.list().page()).contacts.length, 6)
})

test('with its answer come the headers', async () => {
  const { token } = await app.make.workspace()
  const { data, response } = await new Foyer({ token, baseUrl }).tags.list().withResponse()
  assert.deepEqual(data, { tags: [] })
  assert.equal(response.status, 200)
  assert.ok(response.headers.get('x-request-id'))
})
