import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { newId } from '../db/id.ts'

const { app, call, db, make, tokens } = await startApp()
const workspace = await make.workspace({ name: 'Northwind' })

test('a token identifies its workspace', async () => {
  const { status, body } = await call(workspace.token, 'GET', '/me')
  assert.equal(status, 200)
  assert.deepEqual(body.company, { id: workspace.id, name: 'Northwind' })
  assert.equal(body.token.id, workspace.tokenId)
  assert.equal(body.token.name, 'Test token')
})

test('no Authorization header, or one that is no bearer, counts as missing', async () => {
  for (const authorization of [undefined, '', 'Basic Zm9vOmJhcg==', 'Bearer', 'Bearer   ', 'Bearer a b']) {
    const { status, body, headers } = await call(null, 'GET', '/me', undefined, {
      headers: authorization === undefined ? {} : { authorization },
    })
    assert.equal(status, 401)
    assert.equal(body.error.code, 'MISSING_TOKEN')
    assert.equal(headers['www-authenticate'], 'Bearer')
  }
})

test('the scheme of the Authorization header compares without case', async () => {
  for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
    const { status } = await call(null, 'GET', '/me', undefined, {
      headers: { authorization: `${scheme} ${workspace.token}` },
    })
    assert.equal(status, 200)
  }
})

test('an unknown or malformed token is rejected', async () => {
  for (const secret of [
    `foyer_${'A'.repeat(43)}`,
    'foyer_short',
    workspace.token.slice(0, -1),
    `${workspace.token}x`,
  ]) {
    const { status, body } = await call(secret, 'GET', '/me')
    assert.equal(status, 401)
    assert.equal(body.error.code, 'INVALID_API_TOKEN')
  }
})

test('a revoked token is refused by the very next request', async () => {
  const { secret, tokenId } = await make.token(workspace.id)
  assert.equal((await call(secret, 'GET', '/me')).status, 200)
  await db.updateTable('api_tokens').set({ revoked_at: new Date() }).where('id', '=', tokenId).execute()
  tokens.forget(tokenId)
  const { status, body } = await call(secret, 'GET', '/me')
  assert.equal(status, 401)
  assert.equal(body.error.code, 'INVALID_API_TOKEN')
})

test('an unknown path needs the token too, and is 404 with one', async () => {
  assert.equal((await call(null, 'GET', '/nothing')).status, 401)
  const { status, body } = await call(workspace.token, 'GET', '/nothing')
  assert.equal(status, 404)
  assert.equal(body.error.code, 'NOT_FOUND')
})

test('a known path with another method lists the allowed ones', async () => {
  const { status, body, headers } = await call(workspace.token, 'DELETE', '/me')
  assert.equal(status, 405)
  assert.equal(body.error.code, 'METHOD_NOT_ALLOWED')
  assert.equal(headers.allow, 'GET, HEAD')
  const close = await call(workspace.token, 'GET', `/conversations/${newId()}/close`)
  assert.equal(close.status, 405)
  assert.equal(close.headers.allow, 'POST')
  assert.equal((await call(null, 'DELETE', '/me')).status, 401)
  const authorization = `Bearer ${workspace.token}`
  const traced = await app.inject({ method: 'TRACE', url: '/api/v1/me', headers: { authorization } })
  assert.equal(traced.statusCode, 405)
})

test('every answer is JSON in UTF-8 and carries a request id', async () => {
  for (const path of ['/me', '/nothing']) {
    const { headers } = await call(workspace.token, 'GET', path)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.match(String(headers['x-request-id']), /^\S+$/)
  }
  const outside = await app.inject({ url: '/nothing' })
  assert.equal(outside.headers['content-type'], 'application/json; charset=utf-8')
  assert.match(String(outside.headers['x-request-id']), /^\S+$/)
})

test('a sane request id is echoed, any other is replaced', async () => {
  const echoed = await call(workspace.token, 'GET', '/me', undefined, {
    headers: { 'x-request-id': 'trace-1.a:b' },
  })
  assert.equal(echoed.headers['x-request-id'], 'trace-1.a:b')
  for (const given of ['', 'has space', 'x'.repeat(200), '<script>']) {
    const { headers } = await call(workspace.token, 'GET', '/me', undefined, {
      headers: { 'x-request-id': given },
    })
    assert.notEqual(headers['x-request-id'], given)
  }
})

const close = (body: string | Buffer | undefined, headers: Record<string, string>) =>
  call(workspace.token, 'POST', `/conversations/${newId()}/close`, undefined, { payload: body, headers })

test('a body that is not JSON is refused by its content type, an empty one is not', async () => {
  assert.equal((await close('a=b', { 'content-type': 'application/x-www-form-urlencoded' })).status, 415)
  assert.equal((await close('{}', { 'content-type': 'text/plain' })).status, 415)
  assert.equal((await close('', { 'content-type': 'text/plain' })).status, 404)
  assert.equal((await close('', { 'content-type': 'application/json' })).status, 404)
  assert.equal((await close('{}', { 'content-type': 'application/json; charset=utf-8' })).status, 404)
})

test('malformed JSON, text that is not UTF-8 and broken numbers are validation errors', async () => {
  for (const body of ['{', '{"a":}', 'nul', Buffer.from([0x22, 0xff, 0x22]), '\u0000']) {
    const { status, body: answer } = await close(body, { 'content-type': 'application/json' })
    assert.equal(status, 400)
    assert.equal(answer.error.code, 'VALIDATION_ERROR')
  }
})

test('a body over 1 MiB is too large, one of exactly 1 MiB is not', async () => {
  const json = { 'content-type': 'application/json' }
  const exact = JSON.stringify('x'.repeat(1024 * 1024 - 2))
  assert.equal((await close(exact, json)).status, 404)
  const { status, body } = await close(`${exact} `, json)
  assert.equal(status, 413)
  assert.equal(body.error.code, 'PAYLOAD_TOO_LARGE')
})

test('all errors in a request are listed, including text that cannot be stored', async () => {
  const fieldsOf = async (method: 'GET' | 'POST', path: string, sent?: unknown) => {
    const { status, body } = await call(workspace.token, method, path, sent)
    assert.equal(status, 400)
    return body.error.details.map(({ field }: { field: string }) => field).sort()
  }
  assert.deepEqual(
    await fieldsOf('POST', '/conversations', { email: 'a\0@b.example', name: '', channel: 'fax' }),
    ['channel', 'email', 'name'],
  )
  assert.deepEqual(await fieldsOf('POST', '/agents', { nickname: '\ud800', role: 1 }), [
    'email',
    'nickname',
    'role',
  ])
  assert.deepEqual(await fieldsOf('GET', '/contacts?search=%00&country=x&page=0'), [
    'country',
    'page',
    'search',
  ])
})

test('no value in a body is coerced, and unknown fields change nothing', async () => {
  const contact = await make.contact(workspace.id, { name: 'Ada', email: 'ada@example.com' })
  const other = await make.workspace()
  const path = `/contacts/${contact.id}`
  for (const name of [5, true, null, ['Eve'], { a: 1 }])
    assert.equal((await call(workspace.token, 'PATCH', path, { name })).status, 400, JSON.stringify(name))
  const stored = () =>
    db.selectFrom('contacts').selectAll().where('id', '=', contact.id).executeTakeFirstOrThrow()
  const before = await stored()
  const { status } = await call(workspace.token, 'PATCH', path, {
    name: 'Ada',
    customFields: { number: 5, text: '5' },
    ...{
      id: 'c000000000000000000000000',
      workspaceId: other.id,
      workspace_id: other.id,
      email: 'eve@example.com',
    },
    ...{ openCount: 99, optedOutAt: null, channels: ['sms'] },
  })
  assert.equal(status, 200)
  const after = await stored()
  assert.deepEqual({ ...after, custom_fields: null }, { ...before, custom_fields: null })
  assert.deepEqual(after.custom_fields, { number: 5, text: '5' })
})

test('a number too large for any is a validation error, not a limit without an end', async () => {
  for (const path of ['/conversations?limit=1e309', '/messages?limit=-1e309', '/contacts?page=-1e309']) {
    const { status, body } = await call(workspace.token, 'GET', path)
    assert.equal(status, 400, path)
    assert.equal(body.error.details.length, 1)
    assert.match(body.error.details[0].field, /^(limit|page)$/)
  }
})

test("a browser's preflight is rejected with the reason and needs no token", async () => {
  for (const url of ['/api/v1/me', '/api/v1/conversations', '/api/v1/nothing']) {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
    const response = await app.inject({ method: 'OPTIONS', url, headers })
    assert.equal(response.statusCode, 403, url)
    assert.match(response.json().error.message, /cannot be called from web pages/)
    assert.equal(response.headers['access-control-allow-origin'], undefined)
    assert.equal((await app.inject({ method: 'OPTIONS', url })).statusCode, 401)
  }
})

test('no spelling of a path leads out of the folder of the docs, or to an error of ours', async () => {
  const names = [
    '..%2f..%2fpackage.json',
    '%2e%2e/x',
    '%00',
    '%',
    'a%5c..%5cx',
    '...',
    '/',
    'a'.repeat(5_000),
  ]
  for (const name of [...names, 'theme/../../x', '%c0%ae', 'x\\..\\y', '\u00e4']) {
    const { statusCode } = await app.inject(`/docs/static/${name}`)
    assert.equal(statusCode, 404, name)
  }
  const page = await app.inject('/docs/try')
  const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!)
  assert.equal(files.length, 4)
  for (const path of files) assert.equal((await app.inject(path)).statusCode, 200, path)
})

test('an error of the API leads to its page in the documentation', async () => {
  const { headers } = await call(null, 'GET', '/me')
  assert.equal(headers.link, '</docs/errors/MISSING_TOKEN>; rel="help"')
})

test('what is not HTTP gets the envelope', async () => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  assert.ok(address && typeof address === 'object')
  const ask = (text: string) =>
    new Promise<string>((resolve) => {
      let answer = ''
      const socket = connect(address.port, '127.0.0.1', () => socket.write(text))
      socket.on('data', (chunk) => {
        answer += chunk
      })
      socket.on('close', () => resolve(answer))
    })
  assert.match(
    await ask('NONSENSE\r\n\r\n'),
    /^HTTP\/1.1 400 .*\r\nX-Request-Id: \S+\r\n.*"VALIDATION_ERROR"/s,
  )
  const huge = `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nX-Big: ${'y'.repeat(40_000)}\r\n\r\n`
  assert.match(await ask(huge), /^HTTP\/1.1 431 .*"REQUEST_HEADERS_TOO_LARGE"/s)
})
