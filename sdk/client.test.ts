// What the SDKs do on a bad day of the network.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { json, refuse, serve } from './testing/faulty-server.ts'
import { LANGUAGES } from './testing/languages.ts'
import { Foyer } from './typescript/src/index.ts'

/** At once, so that no test waits. */
const NOW = { 'retry-after': '0' }

for (const { name, skip, call } of LANGUAGES) {
  test(`${name}: a POST whose answer was lost is sent again under the same key`, { skip }, async () => {
    const { baseUrl, got } = await serve((_, response, attempt) => {
      if (attempt === 1) response.destroy()
      else json(response, 200, { note: {} })
    })
    const body = { body: 'Grüße 👋', conversationId: 'c1' }
    const { data } = await call({ baseUrl }, { method: 'notes.add', body })
    assert.deepEqual(data, { note: {} })
    assert.equal(got.length, 2)
    assert.ok(got[0]!.key)
    assert.equal(got[0]!.key, got[1]!.key)
    assert.deepEqual(JSON.parse(got[0]!.body), body)
    assert.equal(got[0]!.body, got[1]!.body)
  })

  test(`${name}: a page of 30 MB is read in full, and so are those after it`, { skip }, async () => {
    const page = (count: number, nextCursor: string | null) => ({
      messages: Array.from({ length: count }, (_, index) => ({ id: `${index}`, body: 'ü'.repeat(150_000) })),
      nextCursor,
    })
    const { baseUrl, got } = await serve((_, response, attempt) =>
      json(response, 200, attempt === 1 ? page(100, 'next') : page(1, null)),
    )
    const { data } = await call({ baseUrl }, { method: 'messages.list', take: 101 })
    assert.deepEqual(
      (data as { body: string }[]).map(({ body }) => body.length),
      Array.from({ length: 101 }, () => 150_000),
    )
    assert.equal(got.length, 2)
  })

  test(`${name}: two calls have two keys, and a key of one’s own is kept`, { skip }, async () => {
    const { baseUrl, got } = await serve((_, response) => json(response, 200, {}))
    const close = { method: 'conversations.close', ids: ['c1'] }
    await call({ baseUrl }, close)
    await call({ baseUrl }, close)
    await call({ baseUrl }, { ...close, options: { idempotencyKey: 'mine' } })
    assert.notEqual(got[0]!.key, got[1]!.key)
    assert.equal(got[2]!.key, 'mine')
  })

  for (const [status, code] of [
    [429, 'RATE_LIMIT_EXCEEDED'],
    [503, 'SERVICE_UNAVAILABLE'],
    [409, 'IDEMPOTENCY_KEY_IN_USE'],
  ] as const)
    test(`${name}: after ${code} it tries again, as often as it may`, { skip }, async () => {
      const passing = await serve((_, response, attempt) => {
        if (attempt < 3) refuse(response, status, code, NOW)
        else json(response, 200, { tags: [] })
      })
      const tags = { method: 'tags.list' }
      assert.deepEqual((await call({ baseUrl: passing.baseUrl }, tags)).data, { tags: [] })
      const lasting = await serve((_, response) => refuse(response, status, code, NOW))
      const { error } = await call({ baseUrl: lasting.baseUrl }, tags)
      assert.partialDeepStrictEqual(error, { code, status, isRetryable: true, retryAfterMs: 0 })
      assert.equal(lasting.got.length, 3)
    })

  test(`${name}: a refusal that stays one is not tried again, nor is one to wait an hour for`, {
    skip,
  }, async () => {
    const agent = { method: 'agents.get', ids: ['c1'] }
    const refused = await serve((_, response) => refuse(response, 404, 'AGENT_NOT_FOUND'))
    const { error } = await call({ baseUrl: refused.baseUrl }, agent)
    assert.equal(error?.code, 'AGENT_NOT_FOUND')
    assert.equal(refused.got.length, 1)
    const busy = await serve((_, response) =>
      refuse(response, 429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' }),
    )
    assert.equal((await call({ baseUrl: busy.baseUrl }, agent)).error?.retryAfterMs, 3_600_000)
    assert.equal(busy.got.length, 1)
  })

  test(`${name}: a Retry-After may be a date, and nonsense is none`, { skip }, async () => {
    for (const [value, isKnown] of [
      [new Date(Date.now() + 3_600_000).toUTCString(), true],
      ['soon', false],
    ] as const) {
      const { baseUrl } = await serve((_, response) =>
        refuse(response, 503, 'SERVICE_UNAVAILABLE', { 'retry-after': value }),
      )
      const { error } = await call({ baseUrl, maxRetries: 0 }, { method: 'tags.list' })
      assert.equal((error?.retryAfterMs ?? 0) > 3_000_000, isKnown, value)
    }
  })

  test(`${name}: a deletion whose answer was lost succeeded, unless more than success is answered`, {
    skip,
  }, async () => {
    const { baseUrl } = await serve((_, response, attempt) => {
      if (attempt === 1) response.destroy()
      else refuse(response, 404, 'AGENT_NOT_FOUND')
    })
    const { data } = await call({ baseUrl }, { method: 'agents.remove', ids: ['c1'] })
    assert.deepEqual(data, { success: true })
    const lost = await serve((_, response, attempt) => {
      if (attempt === 1) response.destroy()
      else refuse(response, 404, 'CONTACT_NOT_FOUND')
    })
    const erase = { method: 'contacts.erase', ids: ['c1'], query: { mode: 'erase' } }
    const { error } = await call({ baseUrl: lost.baseUrl }, erase)
    assert.equal(error?.code, 'CONTACT_NOT_FOUND')
  })

  test(`${name}: an answer that does not end is a timeout, also if it trickles in`, { skip }, async (t) => {
    const stuck = await serve((_, response) => response.writeHead(200).write('{'))
    const drip = await serve((_, response) => {
      const timer = setInterval(() => response.write(' '), 10)
      t.after(() => clearInterval(timer))
    })
    for (const { baseUrl } of [stuck, drip]) {
      const { error } = await call({ baseUrl, maxRetries: 0, timeoutMs: 80 }, { method: 'tags.list' })
      assert.equal(error?.name, 'FoyerTimeoutError')
    }
  })

  test(`${name}: what is no answer of Foyer says where to look, and no redirect gets the token`, {
    skip,
  }, async () => {
    const tags = { method: 'tags.list' }
    const page = await serve((_, response) => response.end('<h1>nginx</h1>'))
    const { error } = await call({ baseUrl: page.baseUrl, maxRetries: 0 }, tags)
    assert.match(error!.message, /returned 200, but not from Foyer/)
    const target = await serve((_, response) => json(response, 200, {}))
    const elsewhere = await serve((_, response) =>
      response.writeHead(307, { location: `${target.baseUrl}/` }).end(),
    )
    const redirected = await call({ baseUrl: elsewhere.baseUrl, maxRetries: 0 }, tags)
    assert.match(redirected.error!.message, /redirects to http.*Use that address as (baseUrl|base_url)/)
    assert.equal(target.got.length, 0)
    const cut = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{}')
      response.destroy()
    })
    for (const baseUrl of ['http://127.0.0.1:9', cut.baseUrl])
      assert.equal((await call({ baseUrl, maxRetries: 0 }, tags)).error?.name, 'FoyerConnectionError')
  })

  test(`${name}: a list that leads back to a page ends with an error`, { skip }, async () => {
    const { baseUrl } = await serve((_, response) =>
      json(response, 200, { messages: [{}], nextCursor: 'again' }),
    )
    const { error } = await call({ baseUrl }, { method: 'messages.list', query: {}, take: 10 })
    assert.match(error!.message, /already used/)
  })

  test(`${name}: ids and queries are escaped, and an id is never empty`, { skip }, async () => {
    const { baseUrl, got } = await serve((_, response) => json(response, 200, { contacts: [] }))
    await call({ baseUrl: `${baseUrl}/` }, { method: 'agents.get', ids: ['a/../b ?ü'] })
    const query = { search: 'a&b=ü', hasOpen: true, limit: 2 }
    await call({ baseUrl }, { method: 'contacts.list', query, take: 'page' })
    assert.deepEqual(
      got.map(({ url }) => url),
      [
        '/api/v1/agents/a%2F..%2Fb%20%3F%C3%BC',
        '/api/v1/contacts?search=a%26b%3D%C3%BC&hasOpen=true&limit=2',
      ],
    )
    for (const id of ['', '.', '..']) {
      const { error } = await call({ baseUrl }, { method: 'agents.get', ids: [id] })
      assert.match(error!.message, /must not be empty/)
    }
    assert.equal(got.length, 2)
  })
}

test('a call can be given up, also while it waits', async () => {
  const { baseUrl } = await serve((_, response) =>
    refuse(response, 429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '30' }),
  )
  const foyer = new Foyer({ token: 'foyer_x', baseUrl })
  const signal = AbortSignal.timeout(50)
  await assert.rejects(Promise.resolve(foyer.tags.list({ signal })), { name: 'TimeoutError' })
})

test('with pace it waits for the next minute instead of being refused', async () => {
  const { baseUrl, got } = await serve((_, response) =>
    json(response, 200, {}, { 'ratelimit-remaining': '0', 'ratelimit-reset': '1' }),
  )
  const foyer = new Foyer({ token: 'foyer_x', baseUrl, pace: true })
  await foyer.conversations.close('c1')
  // Another operation has a limit of its own.
  await foyer.conversations.reopen('c1')
  assert.equal(got.length, 2)
  await assert.rejects(Promise.resolve(foyer.conversations.close('c1', { signal: AbortSignal.timeout(20) })))
  assert.equal(got.length, 2)
})

test('an upload is sent again whole, and has no key', async () => {
  const { baseUrl, got } = await serve((_, response, attempt) => {
    if (attempt === 1) response.destroy()
    else json(response, 200, { attachment: {} })
  })
  const foyer = new Foyer({ token: 'foyer_x', baseUrl })
  await foyer.attachments.create({ file: new File(['Grüße'], 'hours.txt', { type: 'text/plain' }) })
  assert.equal(got.length, 2)
  for (const { key, body } of got) {
    assert.equal(key, undefined)
    assert.match(body, /name="file"; filename="hours\.txt"\r\nContent-Type: text\/plain\r\n\r\nGrüße\r\n/)
  }
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
