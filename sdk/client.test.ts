// What the SDK does on a bad day of the network.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { json, refuse, serve } from './testing/faulty-server.ts'
import { Foyer, FoyerConnectionError, FoyerTimeoutError } from './typescript/src/index.ts'

/** At once, so that no test waits. */
const NOW = { 'retry-after': '0' }

test('a POST whose answer was lost is sent again under the same key', async () => {
  const { foyer, got } = await serve((_, response, attempt) => {
    if (attempt === 1) response.destroy()
    else json(response, 200, { note: {} })
  })
  await foyer.notes.add({ body: 'Hello', conversationId: 'c1' })
  assert.equal(got.length, 2)
  assert.ok(got[0]!.key)
  assert.equal(got[0]!.key, got[1]!.key)
  assert.equal(got[0]!.body, got[1]!.body)
})

test('two calls have two keys, and a key of one’s own is kept', async () => {
  const { foyer, got } = await serve((_, response) => json(response, 200, {}))
  await foyer.conversations.close('c1')
  await foyer.conversations.close('c1')
  await foyer.conversations.close('c1', { idempotencyKey: 'mine' })
  assert.notEqual(got[0]!.key, got[1]!.key)
  assert.equal(got[2]!.key, 'mine')
})

for (const [status, code] of [
  [429, 'RATE_LIMIT_EXCEEDED'],
  [503, 'SERVICE_UNAVAILABLE'],
  [409, 'IDEMPOTENCY_KEY_IN_USE'],
] as const)
  test(`after ${code} it tries again, as often as it may`, async () => {
    const passing = await serve((_, response, attempt) => {
      if (attempt < 3) refuse(response, status, code, NOW)
      else json(response, 200, { tags: [] })
    })
    assert.deepEqual(await passing.foyer.tags.list(), { tags: [] })
    const lasting = await serve((_, response) => refuse(response, status, code, NOW))
    await assert.rejects(Promise.resolve(lasting.foyer.tags.list()), {
      code,
      isRetryable: true,
      retryAfterMs: 0,
    })
    assert.equal(lasting.got.length, 3)
  })

test('a refusal that stays one is not tried again, nor is one to wait an hour for', async () => {
  const refused = await serve((_, response) => refuse(response, 404, 'AGENT_NOT_FOUND'))
  await assert.rejects(Promise.resolve(refused.foyer.agents.get('c1')), { code: 'AGENT_NOT_FOUND' })
  assert.equal(refused.got.length, 1)
  const busy = await serve((_, response) =>
    refuse(response, 429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' }),
  )
  await assert.rejects(Promise.resolve(busy.foyer.agents.get('c1')), { retryAfterMs: 3_600_000 })
  assert.equal(busy.got.length, 1)
})

test('a deletion whose answer was lost succeeded', async () => {
  const { foyer } = await serve((_, response, attempt) => {
    if (attempt === 1) response.destroy()
    else refuse(response, 404, 'AGENT_NOT_FOUND')
  })
  assert.deepEqual(await foyer.agents.remove('c1'), { success: true })
})

test('an answer that does not end is a timeout', async () => {
  const { foyer } = await serve((_, response) => response.writeHead(200).write('{'), {
    maxRetries: 0,
    timeoutMs: 50,
  })
  await assert.rejects(Promise.resolve(foyer.tags.list()), FoyerTimeoutError)
})

test('a call can be given up, also while it waits', async () => {
  const { foyer } = await serve((_, response) =>
    refuse(response, 429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '30' }),
  )
  const signal = AbortSignal.timeout(50)
  await assert.rejects(Promise.resolve(foyer.tags.list({ signal })), { name: 'TimeoutError' })
})

test('what is no answer of Foyer says where to look', async () => {
  const page = await serve((_, response) => response.end('<h1>nginx</h1>'), { maxRetries: 0 })
  await assert.rejects(Promise.resolve(page.foyer.tags.list()), /returned 200, but not from Foyer/)
  const elsewhere = await serve(
    (_, response) => response.writeHead(301, { location: 'https://inbox.example.com/' }).end(),
    { maxRetries: 0 },
  )
  await assert.rejects(Promise.resolve(elsewhere.foyer.tags.list()), /Use that address as baseUrl/)
  const nobody = new Foyer({ token: 'x', baseUrl: 'http://127.0.0.1:9', maxRetries: 0 })
  await assert.rejects(Promise.resolve(nobody.tags.list()), FoyerConnectionError)
})

test('a list that leads back to a page ends with an error', async () => {
  const { foyer } = await serve((_, response) => json(response, 200, { messages: [{}], nextCursor: 'again' }))
  await assert.rejects(foyer.messages.list().firstN(10), /already used/)
})

test('with pace it waits for the next minute instead of being refused', async () => {
  const { foyer, got } = await serve(
    (_, response) => json(response, 200, {}, { 'ratelimit-remaining': '0', 'ratelimit-reset': '1' }),
    { pace: true },
  )
  await foyer.conversations.close('c1')
  // Another operation has a limit of its own.
  await foyer.conversations.reopen('c1')
  assert.equal(got.length, 2)
  await assert.rejects(Promise.resolve(foyer.conversations.close('c1', { signal: AbortSignal.timeout(20) })))
  assert.equal(got.length, 2)
})

test('a client needs a token and an address, and refuses to run in a page', () => {
  assert.throws(() => new Foyer({ baseUrl: 'http://x' }), /FOYER_TOKEN/)
  assert.throws(() => new Foyer({ token: 'x' }), /FOYER_URL/)
  const page = globalThis as { window?: unknown }
  page.window = { document: {} }
  try {
    assert.throws(() => new Foyer({ token: 'x', baseUrl: 'http://x' }), /dangerouslyAllowBrowser/)
    new Foyer({ token: 'x', baseUrl: 'http://x', dangerouslyAllowBrowser: true })
  } finally {
    page.window = undefined
  }
})
