// Every operation succeeds as declared, and meets every error that it declares. A route, or a declared error, that is
// missing from the table in operations.ts fails here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openapiDocument } from '../server/platform/http/openapi.ts'
import { startApp } from './app.ts'
import { type Call, makeWorld, OPERATIONS } from './operations.ts'

const app = await startApp()
const limited = await startApp({ rateLimits: true })
/** Another workspace, and one that nobody gets into. */
const other = await makeWorld(app, 'other')
const closed = await makeWorld(app, 'closed')

/** Answered by what all operations share; api.test.ts, token-access.test.ts, rate-limit.test.ts, idempotency.test.ts and e2e/ meet them. */
const COMMON = new Set([
  'MISSING_TOKEN',
  'INVALID_API_TOKEN',
  'INSUFFICIENT_SCOPE',
  'ADDRESS_NOT_ALLOWED',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'WORKSPACE_MOVED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_KEY_IN_USE',
  'IDEMPOTENCY_KEY_REUSED',
])

/** The errors that name fields. */
const DETAILED = new Set(['VALIDATION_ERROR', 'CONTACT_CONFLICT'])

type Declared = {
  operationId: string
  security?: unknown[]
  parameters?: { in?: string }[]
  requestBody?: unknown
  responses: Record<string, { $ref?: string; 'x-error-codes'?: string[] }>
}

const document = openapiDocument(app.app) as unknown as { paths: Record<string, Record<string, Declared>> }
const declared = Object.values(document.paths)
  .flatMap((methods) => Object.entries(methods))
  .filter(([, operation]) => operation.security?.length !== 0)
  .map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    // An answer with a single code is kept under its name.
    codes: Object.values(operation.responses).flatMap(
      ({ $ref, 'x-error-codes': codes }) => codes ?? $ref?.split('/').at(-1) ?? [],
    ),
  }))

test('the table has every operation and no others', () => {
  assert.deepEqual(declared.map(({ operationId }) => operationId).sort(), Object.keys(OPERATIONS).sort())
})

const send = (token: string, { method, path, body }: Call, headers = {}) =>
  app.call(token, method, path, body, { headers })

for (const { operationId, codes, method, parameters = [], requestBody } of declared) {
  const operation = OPERATIONS[operationId]
  if (!operation) continue

  test(`${operationId} succeeds, and its limit is ${operation.limit} a minute`, async () => {
    const world = await makeWorld(limited, `limit-${operationId.toLowerCase()}`)
    const { method, path, body } = operation.success(world)
    const address = `10.1.0.${Object.keys(OPERATIONS).indexOf(operationId)}`
    const answer = await limited.call(world.workspace.token, method, path, body, {
      headers: { 'x-forwarded-for': address },
    })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers['ratelimit-limit'], String(operation.limit))
    assert.equal(answer.headers['ratelimit-remaining'], String(operation.limit - 1))
  })

  const takesInput = requestBody !== undefined || parameters.some((parameter) => parameter.in === 'query')
  const expected = codes.filter((code) => !COMMON.has(code) && (code !== 'VALIDATION_ERROR' || takesInput))
  test(`${operationId} returns every error that it declares`, async () => {
    assert.deepEqual(Object.keys(operation.refusals ?? {}).sort(), expected.sort())
    for (const [code, refusal] of Object.entries(operation.refusals ?? {})) {
      const name = `${operationId}-${code}`.toLowerCase().replaceAll('_', '-')
      const world = await makeWorld(app, name)
      const { body, text } = await send(world.workspace.token, await refusal(world, other, app))
      assert.equal(body.error?.code, code, text)
      assert.equal(Boolean(body.error.details), DETAILED.has(code), text)
    }
  })

  test(`${operationId} requires a token`, async () => {
    const { method, path, body } = operation.success(closed)
    assert.equal((await app.call(null, method, path, body)).body.error.code, 'MISSING_TOKEN')
    assert.equal(
      (await app.call(`foyer_${'A'.repeat(43)}`, method, path, body)).body.error.code,
      'INVALID_API_TOKEN',
    )
  })

  if (method === 'POST' && !operation.ignoresKey)
    test(`${operationId} does its work once under an Idempotency-Key`, async () => {
      const world = await makeWorld(app, `key-${operationId.toLowerCase()}`)
      const call = operation.success(world)
      const first = await send(world.workspace.token, call, { 'idempotency-key': 'k' })
      const again = await send(world.workspace.token, call, { 'idempotency-key': 'k' })
      assert.equal(first.status, 200, first.text)
      assert.equal(again.headers['idempotent-replayed'], 'true')
      assert.deepEqual(again.body, first.body)
    })
}
